"""Providers: where they give tokens, and for what."""

import json
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from pbem.config import OAuth2Settings
from pbem.config.mail import is_secure

ANSWER_SECONDS = 15.0
"""How long a provider may take to answer."""
LONGEST = 100_000
TOKEN, DEVICE, BROWSER = "token_endpoint", "device_authorization_endpoint", "authorization_endpoint"
TITLES = {"google": "Google", "microsoft": "Microsoft"}


@dataclass(frozen=True, slots=True)
class Provider:
    token_url: str
    device_url: str | None
    """Where one logs in with a code on any device, if mail can be read with that."""
    authorize_url: str | None
    """Where one logs in with a browser."""
    scope: str
    extra: Mapping[str, str] = field(default_factory=dict)
    """What it wants to be told besides, so that its tokens can be renewed."""


def title(settings: OAuth2Settings) -> str:
    return TITLES.get(settings.provider, "the provider")


def provider(settings: OAuth2Settings) -> Provider:
    """Return the provider of the settings; raises OSError if it must be asked and doesn't answer."""
    match settings.provider:
        case "google":  # its logins by device allow no mail
            return Provider(
                "https://oauth2.googleapis.com/token",
                None,
                "https://accounts.google.com/o/oauth2/v2/auth",
                "https://mail.google.com/",
                {"access_type": "offline", "prompt": "consent"},
            )
        case "microsoft":
            base = f"https://login.microsoftonline.com/{settings.tenant}/oauth2/v2.0"
            outlook = "https://outlook.office.com"
            return Provider(
                f"{base}/token",
                f"{base}/devicecode",
                f"{base}/authorize",
                f"{outlook}/IMAP.AccessAsUser.All {outlook}/SMTP.Send offline_access",
            )
        case url:
            return _discovered(url, settings.scope)


def ask(url: str, form: str | None = None) -> str:
    """Return the answer to a form, or what is at the URL, also if it is a refusal; raises OSError if there is none."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    request = urllib.request.Request(url, form.encode() if form is not None else None, headers)  # noqa: S310 - is_secure allows no other schemes
    host = urlsplit(url).netloc
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:  # noqa: S310 - see above
            raw: bytes = answer.read(LONGEST)
    except HTTPError as error:
        with error:
            if error.code >= 500:
                raise ConnectionError(f"{host} answers {error.code}") from error
            raw = error.read(LONGEST)
    except URLError as error:
        raise ConnectionError(f"{host}: {error.reason}") from error
    return raw.decode("utf-8", "replace")


def _discovered(url: str, scope: str) -> Provider:
    """Return what the provider at that URL says of itself (OpenID Connect Discovery, section 4); raises OSError."""
    place = f"{url.rstrip('/')}/.well-known/openid-configuration"
    try:
        said = json.loads(ask(place))
        ends = {name: is_secure(said[name]) for name in (TOKEN, DEVICE, BROWSER) if name in said}
        return Provider(ends[TOKEN], ends.get(DEVICE), ends.get(BROWSER), scope)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConnectionError(f"{place} doesn't say where tokens are given") from error

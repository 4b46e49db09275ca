"""Providers: where they give tokens, and for what; and logging in there, once, with a browser anywhere (RFC 8252)."""

import json
import secrets
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from pbem.config import OAuth2Settings
from pbem.config.mail import is_secure
from pbem.secret_setting import BadConfig
from pbem.storage import atomic_files

ANSWER_SECONDS = 15.0
LONGEST = 100_000
VERIFIER_LENGTH = 64
RETURN = "http://localhost:8765"  # where the provider sends the browser. Nothing listens there.
TITLES = {"google": "Google", "microsoft": "Microsoft"}


@dataclass(frozen=True, slots=True)
class Provider:
    token_url: str
    authorize_url: str
    scope: str
    extra: Mapping[str, str] = field(default_factory=dict)  # parameters without which its tokens can't be renewed


def title(settings: OAuth2Settings) -> str:
    return TITLES.get(settings.provider, "the provider")


def provider(settings: OAuth2Settings) -> Provider:
    """Return the provider of the settings; raises OSError if it must be asked and doesn't answer."""
    match settings.provider:
        case "google":
            return Provider(
                "https://oauth2.googleapis.com/token",
                "https://accounts.google.com/o/oauth2/v2/auth",
                "https://mail.google.com/",
                {"access_type": "offline", "prompt": "consent"},
            )
        case "microsoft":
            base = f"https://login.microsoftonline.com/{settings.tenant}/oauth2/v2.0"
            outlook = "https://outlook.office.com"
            return Provider(
                f"{base}/token",
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
        document = json.loads(ask(place))
        return Provider(is_secure(document["token_endpoint"]), is_secure(document["authorization_endpoint"]), scope)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ConnectionError(f"{place} doesn't say where tokens are given") from error


@dataclass(frozen=True, slots=True)
class Tokens:
    access: str = field(repr=False)
    expires: float
    refresh: str = field(repr=False)
    client_id: str


def load(path: Path) -> Tokens | None:
    """Return the tokens; None if there are none. Raises BadConfig."""
    try:
        return Tokens(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadConfig(f"{path} can't be read: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise BadConfig(f'{path} has no tokens; "pbem login" writes it anew') from error


def save(path: Path, tokens: Tokens) -> None:
    """Store the tokens, all or nothing; for the owner of the folder if we are root. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        draft = Path(folder) / path.name
        draft.write_text(json.dumps(asdict(tokens)), encoding="utf-8")
        atomic_files.adopt(draft, path.parent)
        atomic_files.publish(draft, path)


USUAL_SECONDS = 3_600  # the lifetime of a token if the provider gives none


class Denied(Exception):
    """The provider refuses: its word for why, and its description."""

    def __init__(self, word: str, description: str) -> None:
        self.word = word
        super().__init__(f"{word}: {' '.join(description.split())[:300]}".removesuffix(": "))


def secret(settings: OAuth2Settings) -> dict[str, str]:
    return {"client_secret": settings.client_secret.read()} if settings.client_secret is not None else {}


def tokens(client: Any, answer: str, now: float, refresh: str = "") -> Tokens:
    """Return the tokens in an answer; a provider may leave the one for renewing as it was. Raises Denied."""
    from oauthlib.oauth2 import OAuth2Error  # most servers never need it

    try:
        values = client.parse_request_body_response(answer)
    except OAuth2Error as error:
        raise Denied(error.error, error.description or "") from error
    except ValueError as error:
        raise ConnectionError(f"the provider's answer can't be used: {error}") from error
    seconds = float(values.get("expires_in") or USUAL_SECONDS)
    return Tokens(values["access_token"], now + seconds, values.get("refresh_token") or refresh, client.client_id)


def renew(settings: OAuth2Settings, url: str, old: Tokens, now: float) -> Tokens:
    from oauthlib.oauth2 import WebApplicationClient  # most servers never need it

    client = WebApplicationClient(settings.client_id)
    body = client.prepare_refresh_body(
        refresh_token=old.refresh, client_id=settings.client_id, include_client_id=True, **secret(settings)
    )
    return tokens(client, ask(url, body), now, old.refresh)


class NotLoggedIn(Exception):
    """Nobody logged in, and why."""


def by_browser(settings: OAuth2Settings, visit: Callable[[str], str]) -> Tokens:
    """Have somebody visit a URL in a browser, which returns the one that it ends at; return the tokens.

    Raises NotLoggedIn and OSError.
    """
    from oauthlib.oauth2 import OAuth2Error, WebApplicationClient  # most servers never need it

    place, name = provider(settings), title(settings)
    client = WebApplicationClient(settings.client_id)
    state, verifier = secrets.token_urlsafe(24), client.create_code_verifier(VERIFIER_LENGTH)
    end = visit(
        client.prepare_request_uri(
            place.authorize_url,
            redirect_uri=RETURN,
            scope=place.scope,
            state=state,
            code_challenge=client.create_code_challenge(verifier, "S256"),
            code_challenge_method="S256",
            **place.extra,
        )
    )
    query = urlsplit(end).query
    try:
        # oauthlib takes nothing but https for secure; this URL never left the browser.
        code = client.parse_request_uri_response(f"https://127.0.0.1/?{query}", state)["code"]
        body = client.prepare_request_body(code=code, redirect_uri=RETURN, code_verifier=verifier, **secret(settings))
        given = tokens(client, ask(place.token_url, body), time.time())
    except OAuth2Error as error:
        raise NotLoggedIn(f"{name} sent the browser back without a login: {error}") from error
    except Denied as error:
        raise NotLoggedIn(f"{name} refuses: {error}") from error
    if not given.refresh:
        raise NotLoggedIn(f"{name} gave no token for renewing; its scope must allow that (offline_access)")
    return given

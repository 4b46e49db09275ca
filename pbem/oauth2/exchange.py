"""Requests to a provider, and its answers."""

import json
import time
import urllib.request
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from pbem.config import OAuth2Settings
from pbem.oauth2.stored import Tokens

LONGEST = 100_000
USUAL_SECONDS = 3_600
"""How long a token is good for if the provider doesn't say."""


class Denied(Exception):
    """The provider refuses: its word for why, and what it says about that."""

    def __init__(self, word: str, said: str = "") -> None:
        self.word = word
        super().__init__(f"{word}: {' '.join(said.split())[:300]}" if said else word)


def post(settings: OAuth2Settings, url: str, body: str) -> str:
    """Return the answer to a form, also if it is a refusal; raises OSError if there is none."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    request = urllib.request.Request(url, body.encode(), headers)  # noqa: S310 - the settings allow no other schemes
    host = urlsplit(url).netloc
    try:
        with urllib.request.urlopen(request, timeout=settings.answer_seconds) as answer:  # noqa: S310 - see above
            raw: bytes = answer.read(LONGEST)
    except HTTPError as error:
        with error:
            if error.code >= 500:
                raise ConnectionError(f"{host} answers {error.code}") from error
            raw = error.read(LONGEST)
    except URLError as error:
        raise ConnectionError(f"{host}: {error.reason}") from error
    return raw.decode("utf-8", "replace")


def secret(settings: OAuth2Settings) -> dict[str, str]:
    """Return what tells the provider that it is us, besides our id."""
    return {"client_secret": settings.client_secret.read()} if settings.client_secret is not None else {}


def parsed(answer: str) -> dict[str, Any]:
    """Return an answer that is JSON; raises Denied for a refusal."""
    try:
        values = json.loads(answer)
    except ValueError as error:
        raise ConnectionError("the provider's answer isn't JSON") from error
    if not isinstance(values, dict):
        raise ConnectionError("the provider's answer isn't JSON")
    if "error" in values:
        raise Denied(str(values["error"]), str(values.get("error_description", "")))
    return values


def tokens(client: Any, answer: str, now: float, refresh: str = "") -> Tokens:
    """Return the tokens in an answer; a provider may leave the one for renewing as it was. Raises Denied."""
    from oauthlib.oauth2 import OAuth2Error  # most servers never need it

    parsed(answer)
    try:
        found = client.parse_request_body_response(answer)
    except (OAuth2Error, ValueError) as error:
        raise ConnectionError(f"the provider's answer can't be used: {error}") from error
    seconds = float(found.get("expires_in") or USUAL_SECONDS)
    return Tokens(found["access_token"], now + seconds, found.get("refresh_token") or refresh, client.client_id)


def renew(settings: OAuth2Settings, url: str, old: Tokens, now: float | None = None) -> Tokens:
    """Return new tokens for old ones; raises Denied and OSError."""
    from oauthlib.oauth2 import WebApplicationClient  # most servers never need it

    client = WebApplicationClient(settings.client_id)
    body = client.prepare_refresh_body(
        refresh_token=old.refresh, client_id=settings.client_id, include_client_id=True, **secret(settings)
    )
    return tokens(client, post(settings, url, body), time.time() if now is None else now, old.refresh)

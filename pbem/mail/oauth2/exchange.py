"""Requests to a provider, and its answers."""

import json
import time
from typing import Any

from pbem.config import OAuth2Settings
from pbem.mail.oauth2.providers import ask
from pbem.mail.oauth2.stored import Tokens

USUAL_SECONDS = 3_600
"""How long a token is good for if the provider doesn't say."""


class Denied(Exception):
    """The provider refuses: its word for why, and what it says about that."""

    def __init__(self, word: str, said: str = "") -> None:
        self.word = word
        super().__init__(f"{word}: {' '.join(said.split())[:300]}" if said else word)


def secret(settings: OAuth2Settings) -> dict[str, str]:
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
    from oauthlib.oauth2 import WebApplicationClient  # most servers never need it

    client = WebApplicationClient(settings.client_id)
    body = client.prepare_refresh_body(
        refresh_token=old.refresh, client_id=settings.client_id, include_client_id=True, **secret(settings)
    )
    return tokens(client, ask(url, body), time.time() if now is None else now, old.refresh)

"""Logging in, once: with a code on any device (RFC 8628), or with a browser whose last address is pasted (RFC 8252)."""

import secrets
import time
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from pbem.config import OAuth2Settings
from pbem.mail.oauth2 import providers
from pbem.mail.oauth2.providers import Denied, Tokens, ask, provider, title

PATIENCE_SECONDS = 900.0
"""How long we wait for a login, unless the provider says."""
LOOK_SECONDS = 5.0
VERIFIER_LENGTH = 64
RETURN = "http://127.0.0.1:8765/"
"""Where the provider sends the browser. Nothing listens there: the address that the browser then shows is pasted."""


class NotLoggedIn(Exception):
    """Nobody logged in, and why."""


def by_device(
    settings: OAuth2Settings,
    show: Callable[[str, str], None],
    *,
    sleep: Callable[[float], None] = time.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> Tokens:
    """Have somebody enter a code at a URL, both of which are shown; return the tokens. Raises NotLoggedIn, OSError."""
    from oauthlib.oauth2 import DeviceClient  # most servers never need it

    place, name = provider(settings), title(settings)
    if place.device_url is None:
        raise NotLoggedIn(f"{name} doesn't allow to read mail with a login by device")
    client = DeviceClient(settings.client_id)
    form = urlencode({"client_id": settings.client_id, "scope": place.scope, **providers.secret(settings)})
    try:
        answer = providers.parsed(ask(place.device_url, form))
        show(str(answer.get("verification_uri") or answer["verification_url"]), str(answer["user_code"]))
        every = float(answer.get("interval") or LOOK_SECONDS)
        until = monotonic() + float(answer.get("expires_in") or PATIENCE_SECONDS)
        code = str(answer["device_code"])
        body = client.prepare_request_body(code, include_client_id=True, **providers.secret(settings))
    except Denied as error:
        raise NotLoggedIn(f"{name} refuses: {error}") from error
    except KeyError as error:
        raise NotLoggedIn(f"{name}'s answer has no {error}") from error
    while monotonic() < until:
        sleep(every)
        try:
            return _whole(providers.tokens(client, ask(place.token_url, body), time.time()))
        except Denied as error:
            if error.word == "slow_down":
                every += LOOK_SECONDS
            elif error.word != "authorization_pending":
                raise NotLoggedIn(f"{name} refuses: {error}") from error
    raise NotLoggedIn("nobody entered the code in time")


def by_browser(settings: OAuth2Settings, show: Callable[[str], None], paste: Callable[[], str]) -> Tokens:
    """Have somebody open a URL in a browser, and paste the one that it ends at; return the tokens.

    Raises NotLoggedIn and OSError.
    """
    from oauthlib.oauth2 import OAuth2Error, WebApplicationClient  # most servers never need it

    place, name = provider(settings), title(settings)
    if place.authorize_url is None:
        raise NotLoggedIn(f"{name} has no authorize_url")
    client = WebApplicationClient(settings.client_id)
    state, verifier = secrets.token_urlsafe(24), client.create_code_verifier(VERIFIER_LENGTH)
    show(
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
    query = urlsplit(paste()).query
    try:
        # oauthlib takes nothing but https for secure; this URL never left the browser.
        code = client.parse_request_uri_response(f"https://127.0.0.1/?{query}", state)["code"]
        body = client.prepare_request_body(
            code=code, redirect_uri=RETURN, code_verifier=verifier, **providers.secret(settings)
        )
        return _whole(providers.tokens(client, ask(place.token_url, body), time.time()))
    except OAuth2Error as error:
        raise NotLoggedIn(f"{name} sent the browser back without a login: {error}") from error
    except Denied as error:
        raise NotLoggedIn(f"{name} refuses: {error}") from error


def _whole(tokens: Tokens) -> Tokens:
    if not tokens.refresh:
        raise NotLoggedIn("the provider gave no token for renewing; its scope must allow that (offline_access)")
    return tokens

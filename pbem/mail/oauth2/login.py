"""Logging in, once, with a browser anywhere: the address that it shows at the end is pasted (RFC 8252)."""

import secrets
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from pbem.config import OAuth2Settings
from pbem.mail.oauth2 import providers
from pbem.mail.oauth2.providers import Denied, Tokens, ask, provider, title

VERIFIER_LENGTH = 64
RETURN = "http://localhost:8765"
"""Where the provider sends the browser. Nothing listens there."""


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
        body = client.prepare_request_body(
            code=code, redirect_uri=RETURN, code_verifier=verifier, **providers.secret(settings)
        )
        tokens = providers.tokens(client, ask(place.token_url, body), time.time())
    except OAuth2Error as error:
        raise NotLoggedIn(f"{name} sent the browser back without a login: {error}") from error
    except Denied as error:
        raise NotLoggedIn(f"{name} refuses: {error}") from error
    if not tokens.refresh:
        raise NotLoggedIn(f"{name} gave no token for renewing; its scope must allow that (offline_access)")
    return tokens

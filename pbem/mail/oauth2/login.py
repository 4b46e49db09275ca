"""Logging in, once: with a code on any device (RFC 8628), or with a browser that comes back here (RFC 8252)."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlencode, urlsplit

from pbem.config import OAuth2Settings
from pbem.mail.oauth2 import providers
from pbem.mail.oauth2.providers import Denied, Tokens, ask, provider, title

PATIENCE_SECONDS = 900.0
"""How long we wait for somebody, unless the provider says."""
LOOK_SECONDS = 5.0
VERIFIER_LENGTH = 64


class NotLoggedIn(Exception):
    """Nobody logged in, and why."""


@dataclass(frozen=True, slots=True)
class Pause:
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic


def by_device(settings: OAuth2Settings, show: Callable[[str, str], None], pause: Pause | None = None) -> Tokens:
    """Have somebody enter a code at a URL, both of which are shown; return the tokens. Raises NotLoggedIn, OSError."""
    from oauthlib.oauth2 import DeviceClient  # most servers never need it

    wanted, name, pause = provider(settings), title(settings), pause or Pause()
    if wanted.device_url is None:
        raise NotLoggedIn(f"{name} doesn't allow to read mail with a login by device; use --browser")
    client = DeviceClient(settings.client_id)
    asked = urlencode({"client_id": settings.client_id, "scope": wanted.scope, **providers.secret(settings)})
    try:
        begun = providers.parsed(ask(wanted.device_url, asked))
        show(str(begun.get("verification_uri") or begun["verification_url"]), str(begun["user_code"]))
        every = float(begun.get("interval") or LOOK_SECONDS)
        until = pause.monotonic() + float(begun.get("expires_in") or PATIENCE_SECONDS)
        body = client.prepare_request_body(
            str(begun["device_code"]), include_client_id=True, **providers.secret(settings)
        )
    except Denied as error:
        raise NotLoggedIn(f"{name} refuses: {error}") from error
    except KeyError as error:
        raise NotLoggedIn(f"{name}'s answer has no {error}") from error
    while pause.monotonic() < until:
        pause.sleep(every)
        try:
            return _whole(providers.tokens(client, ask(wanted.token_url, body), time.time()))
        except Denied as error:
            if error.word == "slow_down":
                every += LOOK_SECONDS
            elif error.word != "authorization_pending":
                raise NotLoggedIn(f"{name} refuses: {error}") from error
    raise NotLoggedIn("nobody entered the code in time")


def by_browser(
    settings: OAuth2Settings, show: Callable[[str], None], port: int = 0, paste: Callable[[], str] | None = None
) -> Tokens:
    """Have somebody open a URL in a browser, which then comes back to a port of this machine; return the tokens.

    With `paste`, they give the URL to which the browser was sent instead. Raises NotLoggedIn and OSError.
    """
    from oauthlib.oauth2 import OAuth2Error, WebApplicationClient  # most servers never need it

    wanted, name = provider(settings), title(settings)
    if wanted.authorize_url is None:
        raise NotLoggedIn(f"{name} has no authorize_url; use --device")
    client = WebApplicationClient(settings.client_id)
    state, verifier = secrets.token_urlsafe(24), client.create_code_verifier(VERIFIER_LENGTH)
    with _Returning(port) as server:
        back = f"http://127.0.0.1:{server.server_port}/"
        show(
            client.prepare_request_uri(
                wanted.authorize_url,
                redirect_uri=back,
                scope=wanted.scope,
                state=state,
                code_challenge=client.create_code_challenge(verifier, "S256"),
                code_challenge_method="S256",
                **wanted.extra,
            )
        )
        came = paste() if paste is not None else server.wait()
    try:
        # oauthlib takes nothing but https for secure; this URL never left the browser and this machine.
        code = client.parse_request_uri_response(f"https://127.0.0.1/?{urlsplit(came).query}", state)["code"]
        body = client.prepare_request_body(
            code=code, redirect_uri=back, code_verifier=verifier, **providers.secret(settings)
        )
        return _whole(providers.tokens(client, ask(wanted.token_url, body), time.time()))
    except OAuth2Error as error:
        raise NotLoggedIn(f"{name} sent the browser back without a login: {error}") from error
    except Denied as error:
        raise NotLoggedIn(f"{name} refuses: {error}") from error


def _whole(tokens: Tokens) -> Tokens:
    if not tokens.refresh:
        raise NotLoggedIn("the provider gave no token for renewing; its scope must allow that (offline_access)")
    return tokens


class _Returning(HTTPServer):
    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Page)
        self.came = ""

    def wait(self) -> str:
        self.timeout = LOOK_SECONDS
        until = time.monotonic() + PATIENCE_SECONDS
        while not self.came and time.monotonic() < until:
            self.handle_request()
        if not self.came:
            raise NotLoggedIn("no browser came back in time")
        return self.came


class _Page(BaseHTTPRequestHandler):
    timeout = LOOK_SECONDS
    server: _Returning

    def do_GET(self) -> None:
        is_it = "state=" in self.path
        if is_it:
            self.server.came = self.path
        content = b"You can close this page, and go on in the terminal.\n" if is_it else b"Nothing is here.\n"
        self.send_response(200 if is_it else 404)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        """Print nothing: the path is a secret."""

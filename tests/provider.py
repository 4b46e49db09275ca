"""A provider of OAuth2 tokens on this machine: authorization, token and introspection endpoints."""

import base64
import hashlib
import itertools
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from pbem.config import OAuth2Settings
from pbem.mail.oauth2 import providers_and_tokens
from pbem.mail.oauth2.providers_and_tokens import Tokens
from pbem.secret_setting import Secret
from tests.servers import HOST

CLIENT_ID, CLIENT_SECRET = "pbem-client", "hunter2-of-the-client"
START = 1_800_000_000.0


class Provider:
    """The provider. Its tokens are for one user at a time."""

    def __init__(self) -> None:
        self.user = "games@pbem.example"
        self.valid: dict[str, str] = {}
        """The access tokens that mail servers accept, with their users."""
        self.renewing: set[str] = set()
        """The tokens for renewing, each good for one time."""
        self.denies = ""
        """The word with which it refuses everything."""
        self.status = 0
        """The status with which it answers everything, if it is broken."""
        self.rotates = True
        self.offers = {"token": "token", "authorization": "authorize"}
        """What it says that it has, and where."""
        self.seconds = 3600
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.codes: dict[str, dict[str, str]] = {}
        self._numbers = itertools.count(1)
        self._server = ThreadingHTTPServer((HOST, 0), _handler(self))
        self.url = f"http://{HOST}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def settings(self, folder: Path, **changes: Any) -> OAuth2Settings:
        values: dict[str, Any] = {
            "provider": self.url,
            "client_id": CLIENT_ID,
            "client_secret": Secret.model_validate({"value": CLIENT_SECRET}),
            "token_file": folder / "oauth2.token",
            "scope": "mail offline",
        }
        return OAuth2Settings(**values | changes)

    def log_in(self, settings: OAuth2Settings, expires: float = START + 3600) -> Tokens:
        """Store tokens as a login does."""
        given = self.give()
        tokens = Tokens(given["access_token"], expires, given["refresh_token"], CLIENT_ID)
        providers_and_tokens.save(settings.token_file, tokens)
        return tokens

    def give(self) -> dict[str, Any]:
        number = next(self._numbers)
        access, refresh = f"access-{number}", f"refresh-{number}"
        self.valid[access] = self.user
        self.renewing.add(refresh)
        return {"access_token": access, "token_type": "Bearer", "expires_in": self.seconds, "refresh_token": refresh}

    def count(self, path: str) -> int:
        return sum(asked == path for asked, _ in self.asked)

    def answer(self, path: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.asked.append((path, form))
        if self.status:
            return self.status, {}
        if path == "/introspect":
            user = self.valid.get(form.get("token", ""))
            return 200, {"active": user is not None, "username": user, "email": user} if user else {"active": False}
        if self.denies:
            return 400, {"error": self.denies, "error_description": "The login has been\r\nrevoked"}
        assert form["client_id"] == CLIENT_ID
        assert form["client_secret"] == CLIENT_SECRET
        return self._token(form)

    def _token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        match form["grant_type"]:
            case "refresh_token":
                if form["refresh_token"] not in self.renewing:
                    return 400, {"error": "invalid_grant"}
                if self.rotates:
                    self.renewing.remove(form["refresh_token"])
                    return 200, self.give()
                return 200, {name: value for name, value in self.give().items() if name != "refresh_token"}
            case "authorization_code":
                asked = self.codes.pop(form["code"])
                digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
                assert asked["redirect_uri"] == form["redirect_uri"]
                return 200, self.give()
        raise AssertionError(form)

    def authorize(self, asked: dict[str, str]) -> str:
        """Return where a browser is sent after a login."""
        assert (asked["code_challenge_method"], asked["scope"]) == ("S256", "mail offline")
        if self.denies:
            return f"{asked['redirect_uri']}?{urlencode({'error': self.denies, 'state': asked['state']})}"
        code = f"code-{next(self._numbers)}"
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            self._say(*provider.answer(urlsplit(self.path).path, dict(parse_qsl(body))))

        def _say(self, status: int, values: dict[str, Any]) -> None:
            content = json.dumps(values).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            if self.path == "/.well-known/openid-configuration":
                said = {f"{kind}_endpoint": f"{provider.url}/{path}" for kind, path in provider.offers.items()}
                self._say(provider.status or 200, said)
                return
            self.send_response(302)
            self.send_header("Location", provider.authorize(dict(parse_qsl(urlsplit(self.path).query))))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            pass

    return Handler


class Browser(urllib.request.HTTPRedirectHandler):
    """A browser that is at a URL, which nobody opens, when it has opened another."""

    came = ""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """Note where the provider sends the browser."""
        self.came = newurl

    def open(self, url: str) -> str:
        """Open the URL; return the one at which it ends."""
        with suppress(urllib.error.HTTPError):
            urllib.request.build_opener(self).open(url)
        return self.came


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    yield made
    made.stop()

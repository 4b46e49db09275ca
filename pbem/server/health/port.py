"""Where metrics can be read over HTTP, by one reader at a time.

Only GET /metrics and GET /health are answered and, where that is wanted, POST /unsubscribe/. A connection ends after a
few seconds, whatever it does: who wants to hold the server up holds up other readers for that long, and no mail.
"""

import json
import socket
import threading
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from typing import Any

import structlog
from prometheus_client import generate_latest

from pbem.mail.transports.protocols import not_listening
from pbem.server.health import figures
from pbem.server.health.figures import Exposition
from pbem.server.one_click import PATH, OneClick

log = structlog.get_logger()

CONNECTION_SECONDS = 5.0
TEXT = "text/plain; version=0.0.4; charset=utf-8"


class MetricsPort(TCPServer):
    allow_reuse_address = True
    timeout = 0.5  # how soon it sees that it should stop

    def __init__(self, host: str, port: int, exposition: Exposition, one_click: OneClick | None) -> None:
        """Listen. Raises OSError."""
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.exposition, self.one_click = exposition, one_click
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise not_listening("metrics", host, port, error) from error
        log.info("metrics", host=host, port=self.server_address[1])

    def run(self, stop: threading.Event) -> None:
        with self:
            while not stop.is_set():
                self.handle_request()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Answer the request; hang up if that takes too long."""
        cut = threading.Timer(CONNECTION_SECONDS, _hang_up, (request,))
        cut.daemon = True
        cut.start()
        try:
            super().finish_request(request, client_address)
        finally:
            cut.cancel()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a reader who hung up is no trouble of ours."""


def _hang_up(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: MetricsPort
    server_version, sys_version = "pbem", ""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/metrics":
            self._answer(HTTPStatus.OK, generate_latest(self.server.exposition))
        elif path == "/health":
            problems = list(figures.problems(figures.of_server(self.server.exposition.vitals)))
            told = json.dumps({"healthy": not problems, "problems": problems}) + "\n"
            status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
            self._answer(status, told.encode(), "application/json")
        elif self.server.one_click is not None and path.startswith(PATH):
            self._answer(HTTPStatus.METHOD_NOT_ALLOWED, b"Use the button of your mail program to unsubscribe.\n")
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"not found\n")

    def do_POST(self) -> None:
        one_click, token = self.server.one_click, self.path.removeprefix(PATH)
        if one_click is None or token == self.path:
            self._answer(HTTPStatus.NOT_FOUND, b"not found\n")
        else:
            self._answer(*one_click.answer(token, self.headers.get("Content-Length", ""), self.rfile.read))

    def _answer(self, status: HTTPStatus, content: bytes, kind: str = TEXT) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Log nothing: somebody asks every few seconds."""

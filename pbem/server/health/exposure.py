"""Where metrics can be read: over HTTP, by one reader at a time, or in a file for node_exporter.

Only GET /metrics and GET /health are answered and, where that is wanted, POST /unsubscribe/. A connection ends after a
few seconds, whatever it does: who wants to hold the server up holds up other readers for that long, and no mail.
"""

import contextlib
import json
import os
import socket
import socketserver
import threading
from collections.abc import Callable
from datetime import datetime
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Engine

from pbem.config import Settings
from pbem.mail.transports.protocols import Store, not_listening
from pbem.server.health import judgement, reports
from pbem.server.health.metrics import Exposition
from pbem.server.one_click import PATH, WORDS, OneClick
from pbem.tokens import Keyring
from pbem.vitals import Link, Vitals

log = structlog.get_logger()

LONGEST_BODY = 1_000
"""Of a request to unsubscribe, in bytes."""
CONNECTION_SECONDS = 5.0
LOOK_SECONDS = 0.5
"""How soon the thread sees that it should stop."""
TEXTFILE_SECONDS = 30.0
"""How often the file is written."""
TEXT = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json"


def serve(
    settings: Settings,
    keyring: Keyring,
    engine: Engine,
    vitals: Vitals,
    clock: Callable[[], datetime],
    stop: threading.Event,
    store: Store,
    textfile_seconds: float = TEXTFILE_SECONDS,
) -> list[threading.Thread]:
    """Return the threads that show metrics and hear who unsubscribes, with the port open already. Raises OSError."""
    wanted, is_heard = settings.metrics, bool(settings.server.unsubscribe_url)
    one_click = OneClick(settings.server, keyring, engine, store, clock) if is_heard else None
    exposition = Exposition(engine, vitals, clock)
    threads = []
    if wanted.port is not None:
        server = _Server(wanted.host, wanted.port, exposition, one_click)
        log.info("metrics", host=wanted.host, port=server.server_address[1])
        threads.append(threading.Thread(target=server.run, args=(stop,), name="metrics", daemon=True))
    if wanted.textfile is not None:
        write = partial(_write_again, wanted.textfile, textfile_seconds, exposition, stop)
        threads.append(threading.Thread(target=write, name="textfile", daemon=True))
    return threads


class _Server(socketserver.TCPServer):
    """An HTTP server for one connection at a time."""

    allow_reuse_address = True
    timeout = LOOK_SECONDS

    def __init__(self, host: str, port: int, exposition: Exposition, one_click: OneClick | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise not_listening("metrics", host, port, error) from error
        self.exposition, self.one_click = exposition, one_click

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
    with contextlib.suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "pbem"
    sys_version = ""

    def do_GET(self) -> None:
        shown = {"/metrics": self._metrics, "/health": self._health}.get(self.path.partition("?")[0])
        if shown is None and self.server.one_click is not None and self.path.startswith(PATH):
            self._answer(HTTPStatus.METHOD_NOT_ALLOWED, TEXT, b"Use the button of your mail program to unsubscribe.\n")
            return
        self._answer(*(shown() if shown is not None else (HTTPStatus.NOT_FOUND, TEXT, b"not found\n")))

    def do_POST(self) -> None:
        one_click, length = self.server.one_click, self.headers.get("Content-Length", "")
        if one_click is None or not self.path.startswith(PATH):
            self._answer(HTTPStatus.NOT_FOUND, TEXT, b"not found\n")
        elif not (length.isascii() and length.isdecimal() and len(length) < 9 and int(length) <= LONGEST_BODY):
            self._answer(HTTPStatus.BAD_REQUEST, TEXT, b"The request has no length, or too much text.\n")
        elif WORDS not in self.rfile.read(int(length)) or not one_click.take(self.path.removeprefix(PATH)):
            self._answer(HTTPStatus.BAD_REQUEST, TEXT, b"This is no link of ours to unsubscribe, or it was revoked.\n")
        else:
            self._answer(HTTPStatus.OK, TEXT, b"You won't get such messages any more.\n")

    def _answer(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _metrics(self) -> tuple[HTTPStatus, str, bytes]:
        return HTTPStatus.OK, TEXT, self.server.exposition.text()

    def _health(self) -> tuple[HTTPStatus, str, bytes]:
        problems = list(judgement.of_state(reports.state(self.server.exposition.vitals)))
        status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
        return status, JSON, json.dumps({"healthy": not problems, "problems": problems}).encode() + b"\n"

    def log_message(self, *_: object) -> None:
        """Log nothing: somebody asks every few seconds."""


def _write_again(path: Path, seconds: float, exposition: Exposition, stop: threading.Event) -> None:
    """Write the file again and again; remove it in the end, since old figures would be taken for new ones."""
    link = Link("textfile", lost="metrics can't be written", again="metrics are written again")
    while not stop.is_set():
        try:
            _write(path, exposition.text)
            link.works()
        except OSError as error:
            link.fails("file", f"{error.filename}: {error.strerror}")
        stop.wait(seconds)
    with contextlib.suppress(OSError):
        path.unlink()


def _write(path: Path, text: Callable[[], bytes]) -> None:
    """Replace the file; at any moment it is whole, and everybody can read it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(text())
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)

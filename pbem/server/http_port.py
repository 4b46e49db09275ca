"""The port for HTTP: /metrics by prometheus_client, /health of this server, and unsubscribing by one click (RFC 8058).

A POST that a mail program sends to /unsubscribe/ becomes the message that it stands for, with the address that
List-Unsubscribe names, which can stop and start news and nothing else. What it stops stands in the token, not in the
request. A repetition is harmless.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler

import structlog
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer
from sqlalchemy import Engine
from sqlmodel import Session, col, func, select

from pbem import tokens
from pbem.config import ServerSettings
from pbem.mail.transports.protocols import Arrival, Store, not_listening
from pbem.messages.links import address_with
from pbem.messages.preferences import KINDS
from pbem.players import invitations
from pbem.server import figures
from pbem.server.figures import Exposition
from pbem.storage.models import HOUSE, Incoming, IncomingState, Player
from pbem.storage.preference_definition import OFF
from pbem.tokens import Keyring, Purpose, Token

log = structlog.get_logger()

PATH = "/unsubscribe/"
BODY, LONGEST_BODY = b"List-Unsubscribe=One-Click", 1_000
SOURCE = "one click"


class _Handler(WSGIRequestHandler):
    timeout = 5.0  # for how many seconds a reader may be silent

    def log_message(self, *_: object) -> None:
        """Log nothing: somebody asks every few seconds."""


class MetricsPort(ThreadingWSGIServer):
    def __init__(self, host: str, port: int, exposition: Exposition, one_click: "OneClick | None" = None) -> None:
        """Listen. Raises OSError."""
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise not_listening("metrics", host, port, error) from error
        registry = CollectorRegistry()
        registry.register(exposition)
        self._exposition, self._metrics, self._one_click = exposition, make_wsgi_app(registry), one_click
        self.set_app(self._answer)
        log.info("metrics", host=host, port=self.server_address[1])

    def run(self, stop: threading.Event) -> None:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        stop.wait()
        self.shutdown()
        self.server_close()

    def _answer(self, request: dict[str, Any], start: Any) -> Iterable[bytes]:
        def begin(status: str, headers: list[tuple[str, str]]) -> Any:
            return start(status, [*headers, ("Server", "pbem")])

        def reply(status: HTTPStatus, content: bytes, kind: str = "text/plain; charset=utf-8") -> list[bytes]:
            begin(f"{status.value} {status.phrase}", [("Content-Type", kind)])
            return [content]

        path, method = str(request["PATH_INFO"]), request["REQUEST_METHOD"]
        if self._one_click is not None and path.startswith(PATH):
            if method != "POST":
                use = b"Use the button of your mail program to unsubscribe.\n"
                return reply(HTTPStatus.METHOD_NOT_ALLOWED, use)
            length, read = request["CONTENT_LENGTH"], request["wsgi.input"].read
            return reply(*self._one_click.answer(path.removeprefix(PATH), length, read))
        if (method, path) == ("GET", "/metrics"):
            answer: list[bytes] = self._metrics(request, begin)
            return answer
        if (method, path) == ("GET", "/health"):
            problems = list(figures.problems(figures.of_server(self._exposition.vitals)))
            content = f"{json.dumps({'healthy': not problems, 'problems': problems})}\n".encode()
            return reply(HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK, content, "application/json")
        return reply(HTTPStatus.NOT_FOUND, b"not found\n")


@dataclass
class OneClick:
    server: ServerSettings
    keyring: Keyring
    engine: Engine
    store: Store
    clock: Callable[[], datetime]

    def answer(self, token: str, length: str, read: Callable[[int], bytes]) -> tuple[HTTPStatus, bytes]:
        """Return what a request to that token is answered, after as much of its body was read as it says."""
        if not (length.isascii() and length.isdecimal() and len(length) < 9 and int(length) <= LONGEST_BODY):
            return HTTPStatus.BAD_REQUEST, b"The request has no length, or too much text.\n"
        if BODY not in read(int(length)) or not self.take(token):
            return HTTPStatus.BAD_REQUEST, b"This is no link of ours to unsubscribe, or it was revoked.\n"
        return HTTPStatus.OK, b"You won't get such messages any more.\n"

    def take(self, text: str) -> bool:
        """Store the message that the token stands for, if it still has to; return whether it is one of ours."""
        token = tokens.parse(text)
        if token is None or token.purpose is not Purpose.ONE_CLICK or token.subject >= len(KINDS):
            return False
        stop = KINDS[token.subject].stop
        with Session(self.engine) as session:
            player = session.get(Player, token.player)
            if player is None or player.deleted is not None or player.address == HOUSE:
                return False
            if not self.keyring.signed(text, player.epoch):
                return False
            address, to = player.address, Token(Purpose.NOTICES, player.id or 0)
            waiting = select(Incoming.id).where(Incoming.state == IncomingState.NEW, Incoming.group == address)
            if _has_ended(session, player, stop) and session.exec(waiting.limit(1)).first() is None:
                return True  # what waits may be a "start"
            recipient = address_with(self.server, self.keyring, to, player.epoch)
            handled = (Incoming.sender == address, Incoming.source == SOURCE, Incoming.state != IncomingState.NEW)
            number = session.exec(select(func.count(col(Incoming.id))).where(*handled)).one()
        own_id = f"{token.player}.{token.subject}.{self.clock():%Y%m%d}.{number}"  # the same until it is handled
        head = f"From: {address}\r\nTo: {recipient}\r\nSubject: {stop}\r\n"
        raw = f"{head}Message-ID: <{own_id}.one-click@{self.server.domain}>\r\n\r\n".encode()
        self.store((Arrival(raw, SOURCE, sender=address, recipients=(recipient,)),))
        return True


def _has_ended(session: Session, player: Player, stop: str) -> bool:
    if name := stop.partition(" ")[2]:
        return player.settings.get(name) == OFF
    is_guest = player.confirmed is None
    return player.stopped is not None or (is_guest and invitations.is_ruled_out(session, player.address))

"""The port for HTTP: /metrics by prometheus_client, /health of this server, and /unsubscribe/ for one click."""

import json
import socket
import threading
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler

import structlog
from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from pbem.mail.transports.protocols import not_listening
from pbem.server import figures
from pbem.server.figures import Exposition
from pbem.server.one_click_unsubscribe import OneClick

log = structlog.get_logger()

PATH = "/unsubscribe/"


class _Handler(WSGIRequestHandler):
    timeout = 5.0  # for how many seconds a reader may be silent

    def log_message(self, *_: object) -> None:
        """Log nothing: somebody asks every few seconds."""


class MetricsPort(ThreadingWSGIServer):
    def __init__(self, host: str, port: int, exposition: Exposition, one_click: OneClick | None = None) -> None:
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

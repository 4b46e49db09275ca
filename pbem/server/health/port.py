"""Where figures can be read over HTTP, by prometheus_client: /metrics, and /health of this server.

Where it is wanted, a POST to /unsubscribe/ is taken, too.
"""

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
from pbem.server.health import figures
from pbem.server.health.figures import Exposition
from pbem.server.one_click import PATH, OneClick

log = structlog.get_logger()


class _Handler(WSGIRequestHandler):
    timeout = 5.0
    """For how many seconds a reader may be silent."""

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

        path: str = request["PATH_INFO"]
        if self._one_click is not None and path.startswith(PATH):
            code, content = HTTPStatus.METHOD_NOT_ALLOWED, b"Use the button of your mail program to unsubscribe.\n"
            if request["REQUEST_METHOD"] == "POST":
                length, read = request["CONTENT_LENGTH"], request["wsgi.input"].read
                code, content = self._one_click.answer(path.removeprefix(PATH), length, read)
            begin(f"{code.value} {code.phrase}", [("Content-Type", "text/plain; charset=utf-8")])
            return [content]
        match request["REQUEST_METHOD"], path:
            case "GET", "/metrics":
                answer: list[bytes] = self._metrics(request, begin)
                return answer
            case "GET", "/health":
                problems = list(figures.problems(figures.of_server(self._exposition.vitals)))
                status = "503 Service Unavailable" if problems else "200 OK"
                begin(status, [("Content-Type", "application/json")])
                return [f"{json.dumps({'healthy': not problems, 'problems': problems})}\n".encode()]
        begin("404 Not Found", [("Content-Type", "text/plain")])
        return [b"not found\n"]

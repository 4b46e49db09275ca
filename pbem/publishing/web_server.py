"""Serves the published folder over HTTP, for those who have no web server: what is in it, and nothing else.

Tornado decides what a path means and reads the files. Added here are what is hidden, the headers, and bounds: a client
has little time for its request and its answer, and there are never many connections. It reads nothing but the folder.
"""

import asyncio
import signal
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from socket import socket
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler

from pbem.publishing.folder import LIST

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""What every answer has, also those of other web servers: docs/publishing.md, deploy/container/web/Caddyfile."""
NOT_FOUND = "404.html"
LONGEST_HEADERS, LONGEST_BODY = 8_192, 1
"""Bytes of a request. Nobody sends a body to GET; Tornado takes 0 for its default."""
REQUEST_SECONDS = 10.0
"""How long a client may take to send a request, or wait before the next one."""
CONNECTION_SECONDS = 120.0
"""After this time a connection ends, whatever it does."""
MOST_CONNECTIONS = 200


class NoSite(Exception):
    """Nothing was published in the folder."""


def application(folder: Path) -> Application:
    if not (folder / LIST).is_file():
        raise NoSite(f'there is no site in {folder}: "pbem publish" writes one')
    told = {"path": str(folder.resolve()), "default_filename": "index.html"}
    return Application(
        [(r"/?(.*)", PublishedFile, told)],
        compress_response=True,
        log_function=lambda _: None,  # who reads what is nobody's business
    )


def bind(host: str, port: int) -> list[socket]:
    try:
        return bind_sockets(port, host)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "that is no name of a host"
        raise OSError(f"can't listen at {host}, port {port}: {why}") from error


def url(sockets: Sequence[socket]) -> str:
    host, port = sockets[0].getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


async def run(site: Application, sockets: Sequence[socket], stop: asyncio.Event | None = None) -> None:
    if stop is None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = BoundedServer(
        site,
        max_header_size=LONGEST_HEADERS,
        max_body_size=LONGEST_BODY,
        idle_connection_timeout=REQUEST_SECONDS,
        body_timeout=REQUEST_SECONDS,
    )
    server.add_sockets(sockets)
    await stop.wait()
    server.stop()
    await server.close_all_connections()


class BoundedServer(HTTPServer):
    """An HTTP server with a bound on the number of connections, and on how long each of them lasts."""

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        ends = self._ends
        if len(ends) >= MOST_CONNECTIONS:
            stream.close()
            return
        ends[stream] = asyncio.get_running_loop().call_later(CONNECTION_SECONDS, stream.close)
        super().handle_stream(stream, address)

    def on_close(self, server_conn: Any) -> None:
        self._ends.pop(server_conn.stream).cancel()
        super().on_close(server_conn)

    def initialize(self, *args: Any, **settings: Any) -> None:
        """Set up the server; Tornado calls this instead of a constructor."""
        super().initialize(*args, **settings)
        self._ends: dict[IOStream, asyncio.TimerHandle] = {}


class PublishedFile(StaticFileHandler):
    """Answers with a file. What nobody should see isn't there, and neither is anything outside of the folder."""

    SUPPORTED_METHODS = ("GET", "HEAD")

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)
        self.set_header("Cache-Control", "no-cache")  # to ask each time is cheap, and what is new is seen at once

    async def get(self, path: str, include_body: bool = True) -> None:
        """Answer with the file as it is at this moment: it may be replaced at the next, by one of another length."""
        self.path = self.parse_url_path(path)
        self.absolute_path = self.validate_absolute_path(self.root, self.get_absolute_path(self.root, self.path))
        if self.absolute_path is not None:  # else it leads to a folder with its slash
            try:
                content = Path(self.absolute_path).read_bytes()
            except FileNotFoundError as error:  # it was removed meanwhile
                raise HTTPError(HTTPStatus.NOT_FOUND) from error
            self.set_header("Content-Type", self.get_content_type())
            self.finish(content)

    def parse_url_path(self, url_path: str) -> str:
        """Return the path below the folder; raise HTTPError if it is hidden, or none."""
        if "\0" in url_path or any(part.startswith(".") for part in url_path.split("/")):
            raise HTTPError(HTTPStatus.NOT_FOUND)
        return super().parse_url_path(url_path)

    def compute_etag(self) -> str | None:
        """Return a hash of what is answered; one of this class would stay when the file changes."""
        return RequestHandler.compute_etag(self)

    def get_content_type(self) -> str:
        kind = super().get_content_type()
        return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind

    def write_error(self, status_code: int, **_: Any) -> None:
        """Answer what can't be served: with the page of the site for that if it isn't there, or in a word."""
        page = Path(self.root) / NOT_FOUND
        if status_code in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            self.set_status(HTTPStatus.NOT_FOUND)  # which of the two is nobody's business either
            if page.is_file():
                self.set_header("Content-Type", "text/html; charset=utf-8")
                self.finish(page.read_bytes())
                return
        if status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            self.set_header("Allow", ", ".join(self.SUPPORTED_METHODS))
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{HTTPStatus(self.get_status()).phrase}\n")

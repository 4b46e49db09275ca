"""Serves the site over HTTP: what `routes` has, rendered when somebody asks for it, and nothing else.

No file is looked for by what a client says, and nothing is stored but what the form of a board sends. Tornado reads the
requests. Added here are the headers, and bounds: a client has little time for its request and its answer, there are
never many connections, and few pages are rendered at a time. Who reads what is nobody's business, so no log says it,
also not what was wrong with a request.
"""

import asyncio
import logging
import re
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from socket import socket
from typing import Any
from urllib.parse import unquote

import structlog
from sqlalchemy.exc import DBAPIError
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler

from pbem.publishing.cached_pages import Answer, Pages
from pbem.publishing.html_pages import match_path

log = structlog.get_logger()

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""What every answer has, also those of other web servers: docs/publishing.md."""
POSITION = re.compile(r"match/([1-9][0-9]{0,8})(?:/(0|[1-9][0-9]{0,4}))?")
"""A match, or its board after a turn, as players write it down: it leads to the page."""
OF_BOARDS = HEADERS["Content-Security-Policy"].replace("form-action 'none'", "form-action 'self'")
NOT_FOUND = "404.html"
LONGEST_HEADERS, LONGEST_BODY = 8_192, 16_384  # bytes of a request; a body is the form of a board
REQUEST_SECONDS = 10.0  # how long a client may take to send a request, or wait before the next one
CONNECTION_SECONDS = 120.0  # after this time a connection ends, whatever it does
MOST_CONNECTIONS = 200
RENDERERS = 2  # how many pages are rendered at a time


def application(pages: Pages) -> Application:
    arguments = {"pages": pages, "renderers": ThreadPoolExecutor(RENDERERS, "render")}
    return Application([(r".*", Page, arguments)], compress_response=True, log_function=lambda _: None)


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
    logging.getLogger("tornado").setLevel(logging.CRITICAL)  # it would say who has sent what is no request
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


class Page(RequestHandler):
    """Answers with a page of the site. What isn't there and what nobody should see are the same."""

    SUPPORTED_METHODS = ("GET", "HEAD", "POST")

    def initialize(self, pages: Pages, renderers: ThreadPoolExecutor) -> None:
        """Take the arguments of the route; Tornado calls this instead of a constructor."""
        self._pages, self._renderers = pages, renderers
        self._etag = ""

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in HEADERS.items():
            self.set_header(name, value)

    async def get(self) -> None:
        path = _path(self.request.path)
        if match := POSITION.fullmatch(path):
            self.redirect(f"{'../' * path.count('/')}{match_path(int(match[1]))}{f'#{match[2]}' if match[2] else ''}")
            return
        answer = await self._run(self._pages.answer, path)
        if answer is None:
            self.set_status(HTTPStatus.NOT_FOUND)
            answer = await self._run(self._pages.answer, NOT_FOUND)
            assert answer is not None  # noqa: S101 - it is in the table
        self._show(answer)

    head = get

    def _show(self, answer: Answer) -> None:
        self._etag = f'"{answer.etag}"' if answer.etag else ""
        # To ask each time is cheap, and what is new is seen at once.
        self.set_header("Cache-Control", "no-cache" if answer.etag else "no-store")
        if answer.modified is not None:
            self.set_header("Last-Modified", answer.modified)
        if not answer.etag:
            self.set_header("X-Robots-Tag", "noindex, nofollow")
            self.set_header("Content-Security-Policy", OF_BOARDS)
        self.set_header("Content-Type", answer.kind)
        self.finish(answer.content)

    async def post(self) -> None:
        path = _path(self.request.path)
        form = (self.get_body_argument(name, "") for name in ("turn", "words"))
        answer = await self._run(self._pages.take, path, *form)
        if answer is None:
            raise HTTPError(HTTPStatus.METHOD_NOT_ALLOWED)
        if not answer.content:
            self.redirect(path.rpartition("/")[2], status=HTTPStatus.SEE_OTHER)
            return
        self.set_status(HTTPStatus.UNPROCESSABLE_ENTITY)
        self._show(answer)

    async def _run(self, method: Callable[..., Answer | None], *arguments: str) -> Answer | None:
        return await asyncio.get_running_loop().run_in_executor(self._renderers, method, *arguments)

    def compute_etag(self) -> str | None:
        return self._etag if self._etag and self.get_status() == HTTPStatus.OK else None

    def log_exception(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        """Say what went wrong on our side, and not for whom."""
        if isinstance(error, DBAPIError):
            log.error("the database can't be read", error=str(error.orig))
        elif kind is not None and error is not None and not isinstance(error, HTTPError):
            log.error("a page failed", exc_info=(kind, error, trace))

    def write_error(self, status_code: int, **details: Any) -> None:
        """Answer in a word what can't be served."""
        if isinstance(details.get("exc_info", (None, None))[1], DBAPIError):
            self.set_status(HTTPStatus.SERVICE_UNAVAILABLE)
        if status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            self.set_header("Allow", "GET, HEAD")  # a board that takes turns allows POST
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{HTTPStatus(self.get_status()).phrase}\n")


def _path(target: str) -> str:
    """Return the path within the site that a client asks for.

    >>> _path("/"), _path("/matches/0/"), _path("/players/J%C3%B6rg.html"), _path("/%ff")
    ('index.html', 'matches/0/index.html', 'players/Jörg.html', '')
    """
    try:
        path = unquote(target.removeprefix("/"), errors="strict")
    except UnicodeDecodeError:
        return ""
    return f"{path}index.html" if not path or path.endswith("/") else path

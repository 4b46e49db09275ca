"""`pbem serve`: real requests to the real server, and those that nobody well-meaning sends."""

import http.client
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from email.utils import parsedate_to_datetime

import pytest

from pbem.publishing import web_server
from pbem.publishing.cached_pages import Answer, Pages
from pbem.publishing.html_pages import Site
from tests.publishing.serving import answered, served
from tests.publishing.site import Archive, archive
from tests.servers import HOST, until

MATCH = "/matches/0/1.html"
Ask = Callable[..., tuple[int, dict[str, str], bytes]]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Provide a site with a match that is shown, one that isn't, and the same frozen."""
    with archive(tmp_path_factory.mktemp("web"), "on") as made:
        made.begin("alice", "carol")
        made.publish()
        yield made


@pytest.fixture(scope="module")
def port(published: Archive) -> Iterator[int]:
    """Provide the port on which the site is served."""
    with served(published.pages()) as port:
        yield port


@pytest.fixture
def ask(port: int) -> Ask:
    """Provide a function that sends a request as it is written, and returns status, headers and content."""

    def send(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(HOST, port, timeout=60)
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    return send


@pytest.mark.parametrize(
    ("path", "file", "kind"),
    [
        ("/", "index.html", "text/html; charset=utf-8"),
        (f"{MATCH}?from=a&feed", "matches/0/1.html", "text/html; charset=utf-8"),
        ("/style.css", "style.css", "text/css; charset=utf-8"),
        ("/icon.svg", "icon.svg", "image/svg+xml"),
        ("/matches/0/1.png", "matches/0/1.png", "image/png"),
        ("/matches/0/1.txt", "matches/0/1.txt", "text/plain; charset=utf-8"),
    ],
)
def test_files_are_served_as_what_they_are(published: Archive, ask: Ask, path: str, file: str, kind: str) -> None:
    status, headers, content = ask(path)
    assert (status, headers["content-type"], content) == (200, kind, (published.folder / file).read_bytes())
    assert headers["content-length"] == str(len(content))
    told = ask(path, "HEAD")
    assert (told[0], {**told[1], "date": ""}, told[2]) == (200, {**headers, "date": ""}, b"")
    assert "server" not in headers
    assert "set-cookie" not in headers


@pytest.mark.parametrize("path", ["/", "/nothing", "/.published.json", "/matches/0", "/%zz"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_every_answer_has_the_headers(ask: Ask, path: str, method: str) -> None:
    _, headers, _ = ask(path, method)
    assert {name: headers.get(name.lower()) for name in web_server.HEADERS} == dict(web_server.HEADERS)


@pytest.mark.parametrize(
    "path",
    [
        "/.published.json", "/pbem.sqlite", "/style.css.j2", "/matches/0", "/matches/7/", "/matches/00/1.html",
        "/matches/0/01.html", "/matches/0/1.htm", "/matches/0/1.gif", "/matches/0/2.html", "/matches/0/2.txt",
        "/matches/0/99.html", "/matches/0/999999999.html", "/matches/0/99999999999999999999.html", "/matches/1/1.html",
        "/matches/0/../0/1.html", "/players/carol.html", "/players/nobody.html", "/players/..%2f..%2fpbem.sqlite.html",
        "/players/%00.html", "/players/%ff.html", "/tournaments/1.html", "/games/chess.html", "/games/x-board.html%00",
        "/games/quadrature-99.svg", "/games/quadrature.xx.html", "/board/" + "a" * 40, "/board/", "/../pbem.sqlite",
        "/%2e%2e/pbem.sqlite", "//index.html", "/%2findex.html", "/index.html%00.css", "/" + "a" * 300,
        "//evil.example", "http://evil.example/x", "*",
    ],
)  # fmt: skip
def test_nothing_else_is_there(published: Archive, ask: Ask, path: str) -> None:
    """What isn't there, isn't public or is no path has one answer, which is the site's own page with a sentence."""
    status, headers, content = ask(path)
    assert (status, content) == (404, (published.folder / "404.html").read_bytes())
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert b'href="/archive/index.html"' in content, "the site is below /archive/"
    assert "etag" not in headers


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "BREW"])
def test_it_is_only_read(ask: Ask, method: str) -> None:
    status, headers, content = ask("/", method)
    assert (status, headers.get("allow"), content) == (405, "GET, HEAD", b"Method Not Allowed\n")


@pytest.mark.parametrize("path", [MATCH, "/players/alice.html"])
def test_a_browser_that_has_the_page_does_not_get_it_again_until_it_changes(
    published: Archive, ask: Ask, path: str
) -> None:
    headers = ask(path)[1]
    known = {"If_None_Match": headers["etag"]}
    assert headers["cache-control"] == "no-cache"
    assert parsedate_to_datetime(headers["last-modified"]) <= published.letters.clock()
    for method in ("GET", "HEAD"):
        assert (ask(path, method, **known)[0], ask(path, **known)[2]) == (304, b"")
    published.choose("anonymous", "bob")
    status, _, content = ask(path, **known)
    assert (status, b"bob" in content) == (200, False)
    published.choose("on", "bob")
    assert ask(path, If_None_Match='"other", garbage')[0] == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 5_000 + b"\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n",
    ],
    ids=["a header", "a path", "headers", "a body", "two lengths", "a length", "TLS"],
)  # fmt: skip
def test_what_is_too_long_or_no_request_ends_the_connection_and_nothing_is_logged(
    port: int, ask: Ask, raw: bytes, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = answered(port, raw)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert ask("/")[0] == 200
    assert ask("/", "POST")[0] == 405
    assert (caplog.text, *capfd.readouterr()) == ("", "", "")


class Large(Pages):
    """A site whose pages are longer than any buffer."""

    def answer(self, path: str, known: str = "") -> Answer | None:
        return Answer(b"x" * 20_000_000, "text/plain", path + known)


def test_slow_clients_are_cut_off(monkeypatch: pytest.MonkeyPatch, published: Archive) -> None:
    """One that never ends its request, one that waits between two, and one that doesn't read what it asked for."""
    monkeypatch.setattr(web_server, "CONNECTION_SECONDS", 0.1)
    large = Large(published.letters.server.engine, Site("PBeM", "games@pbem.example"), published.letters.clock)
    with served(large) as port:
        silent, talks, deaf = (socket.create_connection((HOST, port), timeout=60) for _ in range(3))
        talks.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        deaf.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        with silent, talks, deaf:
            assert silent.recv(1) == talks.recv(1) == b""
            with pytest.raises(ConnectionError):
                deaf.sendall(b"x" * 50_000_000)  # which ends when the server has hung up


def test_there_are_never_many_connections(published: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "MOST_CONNECTIONS", 2)
    with served(published.pages()) as port, ExitStack() as opened:
        first, second = (opened.enter_context(socket.create_connection((HOST, port), timeout=60)) for _ in range(2))
        for each in (first, second):
            each.sendall(b"GET /icon.svg HTTP/1.1\r\nHost: x\r\n\r\n")
            assert each.recv(15) == b"HTTP/1.1 200 OK"
        assert answered(port, b"GET / HTTP/1.0\r\n\r\n") == b""
        first.close()
        until(lambda: b"200 OK" in answered(port, b"GET / HTTP/1.0\r\n\r\n"), "another client has its place")


def test_a_database_that_cannot_be_read_is_no_fault_of_the_client(
    published: Archive, capfd: pytest.CaptureFixture[str]
) -> None:
    pages = published.pages()
    with served(pages) as port:
        published.letters.execute("alter table seek rename to sought")
        answer = answered(port, b"GET / HTTP/1.0\r\n\r\n")
        published.letters.execute("alter table sought rename to seek")
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert answer.endswith(b"Service Unavailable\n")
        assert b"200 OK" in answered(port, b"GET / HTTP/1.0\r\n\r\n")
    assert HOST not in capfd.readouterr().err

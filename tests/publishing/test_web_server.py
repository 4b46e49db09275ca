"""`pbem serve`: real requests to the real server, and those that nobody well-meaning sends."""

import http.client
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from pbem.publishing import web_server
from tests.publishing.serving import served
from tests.publishing.site import Archive, archive
from tests.servers import HOST, until

MATCH = "/matches/0/1.html"
SECRET = "not for the web"
Ask = Callable[..., tuple[int, dict[str, str], bytes]]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Provide a site with a match, and around it what nobody should see."""
    with archive(tmp_path_factory.mktemp("web"), "on") as made:
        made.publish()
        (made.folder.parent / "site-of-others").mkdir()
        (made.folder / ".unfinished").mkdir(exist_ok=True)
        for path in ("secret.html", "site-of-others/index.html", "site/.unfinished/draft", "site/.hidden.html"):
            (made.folder.parent / path).write_text(SECRET, encoding="utf-8")
        (made.folder / "link.html").symlink_to(made.folder.parent / "secret.html")
        (made.folder / "folder").symlink_to(made.folder.parent)
        os.mkfifo(made.folder / "fifo.html")
        yield made


@pytest.fixture(scope="module")
def port(published: Archive) -> Iterator[int]:
    """Provide the port on which the site is served."""
    with served(published.folder) as port:
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


def said(port: int, raw: bytes) -> bytes:
    """Return all that is answered to these bytes, until the server hangs up."""
    answer = b""
    with socket.create_connection((HOST, port), timeout=60) as client, suppress(ConnectionError):
        client.sendall(raw)
        while part := client.recv(65_536):
            answer += part
    return answer


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


@pytest.mark.parametrize("path", ["/", "/nothing", "/.published.sqlite", "/matches/0", "/%zz"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_every_answer_has_the_headers(ask: Ask, path: str, method: str) -> None:
    _, headers, _ = ask(path, method)
    assert {name: headers.get(name.lower()) for name in web_server.HEADERS} == dict(web_server.HEADERS)


@pytest.mark.parametrize(
    "path",
    [
        "/.published.sqlite", "/.published.sqlite-wal", "/%2epublished.sqlite", "/.unfinished/", "/.unfinished/draft",
        "/matches/../.published.sqlite", "/.hidden.html", "/x/.hidden.html", "/matches/0/99.html", "/matches/0/1.htm",
        "/../secret.html", "/%2e%2e/secret.html", "/..%2fsecret.html", "/matches/../../secret.html",
        "//../secret.html", "/matches/%2e%2e/%2e%2e/secret.html", "/..%5csecret.html", "/../site-of-others/index.html",
        "/{folder}/secret.html", "//{folder}/secret.html", "/%2f{folder}/secret.html", "/link.html", "/folder/",
        "/folder", "/folder/secret.html", "/%00", "/index.html%00.css", "/fifo.html", "/" + "a" * 300, "//evil.example",
        "http://evil.example/x", "*",
    ],
)  # fmt: skip
def test_nothing_else_is_there(published: Archive, ask: Ask, path: str) -> None:
    """What is hidden, outside, a link that leads there or no file has one answer, which is the site's own page."""
    status, headers, content = ask(path.replace("{folder}", str(published.folder.parent).strip("/")))
    assert (status, SECRET.encode() in content) == (404, False)
    assert content == (published.folder / "404.html").read_bytes()
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert b'href="/archive/index.html"' in content, "the site is below /archive/"


def test_a_folder_without_its_slash_leads_to_itself_and_to_no_other_host(ask: Ask) -> None:
    assert (ask("/matches/0")[0], ask("/matches/0")[1]["location"]) == (301, "/matches/0/")
    assert ask("//matches/0")[0] == 404


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "BREW"])
def test_it_is_only_read(ask: Ask, method: str) -> None:
    status, headers, content = ask("/", method)
    assert (status, headers.get("allow"), content) == (405, "GET, HEAD", b"Method Not Allowed\n")


def test_a_browser_that_has_the_page_does_not_get_it_again_until_it_changes(published: Archive, ask: Ask) -> None:
    path = published.folder / "changing.html"
    path.write_text("first", encoding="utf-8")
    headers = ask("/changing.html")[1]
    known = {"If_None_Match": headers["etag"]}
    assert headers["cache-control"] == "no-cache"
    for method in ("GET", "HEAD"):
        assert (ask("/changing.html", method, **known)[0], ask("/changing.html", **known)[2]) == (304, b"")
    draft = published.folder / "draft"
    draft.write_text("later", encoding="utf-8")  # as long as before, and within the same second
    draft.replace(path)
    assert (ask("/changing.html", **known)[0], ask("/changing.html", **known)[2]) == (200, b"later")
    assert ask("/changing.html", If_None_Match='"other", garbage')[0] == 200
    path.unlink()
    assert ask("/changing.html", **known)[0] == 404


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
def test_what_is_too_long_or_no_request_ends_the_connection(port: int, ask: Ask, raw: bytes) -> None:
    answer = said(port, raw)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert ask("/")[0] == 200


def test_slow_clients_are_cut_off(port: int, monkeypatch: pytest.MonkeyPatch, published: Archive) -> None:
    """One that never ends its request, one that waits between two, and one that doesn't read what it asked for."""
    (published.folder / "large.bin").write_bytes(b"x" * 20_000_000)
    monkeypatch.setattr(web_server, "CONNECTION_SECONDS", 0.1)
    silent, talks, deaf = (socket.create_connection((HOST, port), timeout=60) for _ in range(3))
    talks.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
    deaf.sendall(b"GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n")
    with silent, talks, deaf:
        assert silent.recv(1) == talks.recv(1) == b""
        with pytest.raises(ConnectionError):
            deaf.sendall(b"x" * 50_000_000)  # which ends when the server has hung up
    (published.folder / "large.bin").unlink()


def test_there_are_never_many_connections(published: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "MOST_CONNECTIONS", 2)
    with served(published.folder) as port, ExitStack() as opened:
        first, second = (opened.enter_context(socket.create_connection((HOST, port), timeout=60)) for _ in range(2))
        for each in (first, second):
            each.sendall(b"GET /icon.svg HTTP/1.1\r\nHost: x\r\n\r\n")
            assert each.recv(15) == b"HTTP/1.1 200 OK"
        assert said(port, b"GET / HTTP/1.0\r\n\r\n") == b""
        first.close()
        until(lambda: b"200 OK" in said(port, b"GET / HTTP/1.0\r\n\r\n"), "another client has its place")


def test_a_folder_in_which_nothing_was_published_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    with pytest.raises(web_server.NoSite, match=r'there is no site in .*: "pbem publish" writes one'):
        web_server.application(tmp_path)

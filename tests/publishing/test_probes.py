"""What attackers send to a web server, over real connections: nothing private comes back, and others are served."""

import re
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from pbem.publishing import web_server
from tests.correspondence import text
from tests.publishing.serving import answered, served
from tests.publishing.site import LAST, LINK, Archive, with_boards
from tests.servers import HOST, until

SPELLED = r"""
/../../etc/passwd /..%2f..%2fetc/passwd /%2e%2e/%2e%2e/etc/passwd /%252e%252e/etc/passwd /..;/pbem.toml
/..%5c..%5cetc%5cpasswd /....//....//etc/passwd /%c0%ae%c0%ae/etc/passwd /%u002e%u002e/x /.%00./pbem.key
/matches/0/..%2f..%2fpbem.key /matches/0/1.html/../../../pbem.toml /games/../style.css.j2 /\evil.example
/%5c%5cevil.example%5cx //evil.example/%2e%2e /feed.xml/..%2f /match/1%2f..%2f.. /pbem.toml /pbem.key /pbem.sqlite
/.git/config /.env /server-status /metrics /health /wp-login.php /unsubscribe/x /index.html::$DATA /index.html~
/index.html.bak /.published.json /cgi-bin/sh /matches/0/1.html%00.png /matches/0/1.html/ /matches/0/1.html%20
/matches/0/1.html. /matches/0/1.HTML /MATCHES/0/1.html /matches//0/1.html /./matches/0/1.html /matches/0/-1.html
/matches/0/1e0.html /matches/0/1.html;x=1 /matches/0/%EF%BC%91.html /matches/1000000/1.html /match/0/1 /match/1/-1
/match/1/1/1 /tournaments/0.html /tournaments/2147483648.html /games/quadrature-00.svg
/games/quadrature-board.html/.. /players/%2e%2e.html /players/alice%2fbob.html
/players/alice%0d%0aSet-Cookie:%20a=b.html /players/alice%25.html /players/%F0%28%8C%28.html /players/alice'--.html
/players/%3Cscript%3E.html /board/../board/
"""
PATHS = (
    *SPELLED.split(), f"/players/{'a' * 200}.html", f"/board/{'a' * 39}", f"/board/{'A' * 40}", f"/board/{'a' * 40}/..",
)  # fmt: skip
HEADERS = (
    "Range: bytes=0-0", f"Range: bytes={','.join(['0-'] * 500)}", "Host: evil.example",
    "X-Forwarded-Host: evil.example", "X-Original-URL: /pbem.key", "X-HTTP-Method-Override: DELETE",
    "If-None-Match: *", f'If-None-Match: "{"x" * 4_000}',
    "If-Modified-Since: Thu, 01 Jan 1970 99:99:99 GMT", "Accept-Encoding: gzip;q=0, *;q=9", "Expect: 100-continue",
    "Connection: Upgrade\r\nUpgrade: websocket", "Cookie: =;;=\x7f", "Content-Length: 0", "Accept-Language: ../../x",
    "X-Forwarded-For: 127.0.0.1, ::1",
)  # fmt: skip
HIDDEN = b"GET /pbem.key HTTP/1.1\r\nHost: x\r\n\r\n"
"""A second request in the first one's body."""
RAW = (
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n" + HIDDEN,
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n" + HIDDEN,
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n" + HIDDEN,
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + HIDDEN,
    b"GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n", b"GET / HTTP/1.1\r\nHo\0st: x\r\n\r\n",
    b"GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"GET /\r\n\r\n", b"\r\n\r\n\r\n\r\n", b"GET / HTTP/1.1\nHost: x\n\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", b"TRACE / HTTP/1.1\r\nHost: x\r\nX-Secret: y\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x00" * 4_096,
)  # fmt: skip
FORMS = (
    b"Content-Length: 20000\r\n\r\n" + b"a" * 20_000,
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8\r\n\r\nturn=%ff",
    b"Content-Type: multipart/form-data\r\nContent-Length: 4\r\n\r\n--x-",
    b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 12\r\n\r\n--x\r\n\r\n--x--",
    b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08",
)
SECRETS = re.compile(rb"SQLite format|the key of|root:x:|mail\.example|X-Secret|Traceback|File \"")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Provide a server whose boards send turns, with a match that is shown."""
    with with_boards(tmp_path_factory.mktemp("probes"), post="true") as made:
        made.choose("on", "alice", "bob")
        yield made


@pytest.fixture(scope="module")
def port(site: Archive) -> Iterator[int]:
    """Provide the port on which it is served."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(web_server, "REQUEST_SECONDS", 2.0)  # so long it waits for the rest of what is no request
        with served(site.pages()) as port:
            yield port


def statuses(answer: bytes) -> list[int]:
    return [int(each) for each in re.findall(rb"(?m)^HTTP/1\.1 (\d{3})", answer)]


def test_seventy_probes_and_more_find_nothing(
    site: Archive, port: int, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    assert len(PATHS) + len(HEADERS) + len(RAW) + len(FORMS) >= 70
    found: dict[bytes, tuple[list[int], set[int]]] = {}
    for path in PATHS:
        found[f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()] = [], {404, 400}
    for header in HEADERS:
        found[f"GET / HTTP/1.1\r\nConnection: close\r\nHost: x\r\n{header}\r\n\r\n".encode()] = [], {200, 304, 400}
    for form in FORMS:
        found[f"POST /board/{'a' * 40} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n".encode() + form] = [], {400, 405}
    for raw in RAW:
        found[raw] = [], {200, 400, 404, 405}
    for raw, (told, _) in found.items():
        answer = answered(port, raw)
        told += statuses(answer)
        assert not SECRETS.search(answer), raw
        assert b"evil.example" not in answer.partition(b"\r\n\r\n")[0], raw
    assert not {raw: told for raw, (told, allowed) in found.items() if not {*told} <= {*allowed, 100}}
    assert not [raw for raw, (told, _) in found.items() if b"Connection: close" in raw and not told]
    assert not [raw for raw, (told, _) in found.items() if len([each for each in told if each != 100]) > 1], "smuggled"
    assert site.letters.rows("select count(*) from incoming where source like 'board%'") == [0]
    assert statuses(answered(port, b"GET / HTTP/1.0\r\n\r\n")) == [200]
    assert (caplog.text, *capfd.readouterr()) == ("", "", "")


def test_a_position_has_an_address_that_leads_nowhere_else(port: int) -> None:
    for path, place in (("/match/1/2", "../../matches/0/1.html#2"), ("/match/41007", "../matches/41/41007.html")):
        answer = answered(port, f"GET {path}?//evil HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n".encode())
        assert statuses(answer) == [302]
        assert f"\r\nLocation: {place}\r\n".encode() in answer


def test_a_turn_is_sent_over_http_and_the_page_is_nobody_elses(site: Archive, port: int) -> None:
    mails = reversed(site.letters.received["bob@mail.example"])
    path = next(f"/{found[1]}" for mail in mails if (found := LINK.search(text(mail))))
    head = "Host: x\r\nConnection: close\r\nOrigin: https://evil.example\r\n"
    shown = answered(port, f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
    assert b"Cache-Control: no-store" in shown
    assert b"Referrer-Policy: no-referrer" in shown
    assert b"form-action 'self'" in shown
    form = f"turn={LAST.replace(' ', '+')}&words=Hi"
    kind = "Content-Type: application/x-www-form-urlencoded\r\n"
    posted = f"POST {path} HTTP/1.1\r\n{head}Content-Length: {len(form)}\r\n{kind}"
    answer = answered(port, f"{posted}\r\n{form}".encode())
    assert statuses(answer) == [303]
    assert f"\r\nLocation: {path.rpartition('/')[2]}\r\n".encode() in answer
    assert site.letters.rows("select count(*) from incoming where source like 'board%'") == [1]
    wrong = form.replace("turn=", "turn=no+")
    again = posted.replace(str(len(form)), str(len(wrong)))
    assert statuses(answered(port, f"{again}\r\n{wrong}".encode())) == [422]


@contextmanager
def many_files(number: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(number, hard)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_thousand_connections_that_send_nothing_end(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "CONNECTION_SECONDS", 0.5)
    with many_files(4_096), ExitStack() as opened:
        clients = [opened.enter_context(socket.create_connection((HOST, port), timeout=60)) for _ in range(1_000)]
        for client in clients:
            with suppress(ConnectionError):
                assert client.recv(1) == b""
    until(lambda: statuses(answered(port, b"GET / HTTP/1.0\r\n\r\n")) == [200], "others are served")

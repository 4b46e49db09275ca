"""Unsubscribing by one click (RFC 8058): what a POST does, and what nothing else does."""

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pbem.messages.delivery_choices import KINDS
from pbem.server.daemon import metrics_port
from pbem.tokens import Keyring, Purpose, Token
from tests.correspondence import Correspondence
from tests.scenes import match
from tests.servers import HOST

URL = "https://games.example/unsubscribe/"
BODY = b"List-Unsubscribe=One-Click"
ALICE = "alice@mail.example"
WITH_URL = pytest.mark.server(server=f'unsubscribe_url = "{URL}"', more="[metrics]\nport = 0")

pytestmark = pytest.mark.scene.with_args(match)


@contextmanager
def served(letters: Correspondence) -> Iterator[str]:
    """Serve as a daemon does; yield the address that a proxy leads to."""
    server, stop = letters.server, threading.Event()
    listening = metrics_port(server, HOST, 0)
    thread = threading.Thread(target=listening.run, args=(stop,))
    thread.start()
    try:
        yield f"http://{HOST}:{listening.server_address[1]}/unsubscribe/"
    finally:
        stop.set()
        thread.join()


def post(url: str, body: bytes = BODY, method: str = "POST", length: str = "") -> int:
    headers = {"Content-Length": length} if length else {}
    request = urllib.request.Request(url, data=body if method == "POST" else None, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def token(letters: Correspondence, **chosen: int) -> str:
    (number,) = letters.rows("select id from player where name = 'alice'")
    made = {"purpose": Purpose.ONE_CLICK, "player": number, "subject": 1} | chosen
    return letters.server.services.keyring.format(Token(**made), 0)  # type: ignore[arg-type]


def alice(letters: Correspondence) -> tuple[Any, ...]:
    letters.server.handle_waiting()
    ((settings, stopped),) = letters.rows("select settings, stopped from player where name = 'alice'")
    return str(settings).replace("'", '"'), stopped is not None


@WITH_URL
def test_news_names_the_address_and_one_post_to_it_ends_it(letters: Correspondence) -> None:
    news = next(mail for mail in reversed(letters.received[ALICE]) if mail["List-Unsubscribe-Post"])
    mailto, link = str(news["List-Unsubscribe"]).split(", ")
    before = alice(letters)
    with served(letters) as url:
        found = url + link.strip("<>").removeprefix(URL)
        assert all(post(found, method=method) >= 400 for method in ("GET", "HEAD", "PUT"))
        assert alice(letters) == before
        assert [post(found) for _ in range(2)] == [200, 200], "a repetition is harmless"

    assert mailto.startswith("<mailto:games+")
    assert alice(letters) == ("{}", True)
    assert letters.rows("select count(*) from incoming where source = 'one click'") == [1]


@WITH_URL
def test_a_token_ends_its_own_kind_alone(letters: Correspondence) -> None:
    with served(letters) as url:
        assert post(url + token(letters, subject=1)) == 200

    assert alice(letters) == (f'{{"{KINDS[1].stop.split()[1]}": "off"}}', False)


@WITH_URL
def test_a_click_ends_news_again_after_they_were_wanted_again(letters: Correspondence) -> None:
    for subject in (0, 1):
        good, before = token(letters, subject=subject), alice(letters)
        with served(letters) as url:
            for _ in range(2):
                assert [post(url + good) for _ in range(2)] == [200, 200]
                ended = alice(letters)
                assert ended != before
                assert post(url + good) == 200
                assert alice(letters) == ended
                letters.say("alice", "start" if subject == 0 else f"set {KINDS[subject].stop.split()[1]} same")
                assert alice(letters) == before
            letters.execute("update player set epoch = 1 where name = 'alice'")
            assert post(url + good) == 400, "it was revoked"
            letters.execute("update player set epoch = 0 where name = 'alice'")

    assert letters.rows("select count(*) from incoming where source = 'one click'") == [4]


@WITH_URL
def test_bad_tokens_lock_nobody_out(letters: Correspondence) -> None:
    bad = Keyring("another key").format(Token(Purpose.ONE_CLICK, 1, 1), 0)
    with served(letters) as url:
        assert {post(url + bad) for _ in range(100)} == {400}
        assert post(url + token(letters, subject=0)) == 200

    assert alice(letters) == ("{}", True)


@WITH_URL
def test_no_other_body_does_anything(letters: Correspondence) -> None:
    good, before = token(letters), alice(letters)
    with served(letters) as url:
        assert post(f"{url}nonsense") == 400
        assert post(url + good, b"") == 400
        assert post(url + good, b"x" * 2_000) == 400
        assert post(url + good, BODY + b"x" * 2_000, length="0" * 9 + "2026") == 400
    letters.write("mallory@far.example", "stop", to=f"games+{good}@pbem.example")  # by mail the token is nobody's

    assert alice(letters) == before


def test_without_the_setting_there_is_no_such_header_and_no_such_address(letters: Correspondence) -> None:
    with served(letters) as url:
        assert post(url + token(letters)) == 404

    assert not [mail for mails in letters.received.values() for mail in mails if mail["List-Unsubscribe-Post"]]

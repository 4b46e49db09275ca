"""Unsubscribing by one click (RFC 8058): what a POST does, and what nothing else does."""

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbem.config import MetricsSettings
from pbem.messages.kinds import KINDS
from pbem.server.health import exposure
from pbem.server.one_click import PER_MINUTE
from pbem.tokens import Purpose, Token
from tests.correspondence import Correspondence, correspondence

URL = "https://games.example/unsubscribe/"
BODY = b"List-Unsubscribe=One-Click"
ALICE = "alice@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path, server=f'unsubscribe_url = "{URL}"', more="[metrics]\nport = 0") as letters:
        letters.match()
        yield letters


@contextmanager
def served(letters: Correspondence) -> Iterator[str]:
    """Serve as a daemon does; yield the address that a proxy leads to."""
    server, stop = letters.server, threading.Event()
    settings = server.settings.model_copy(update={"metrics": MetricsSettings(port=0)})
    keyring = server.services.keyring
    (thread,) = exposure.serve(settings, keyring, server.engine, server.vitals, letters.clock, stop, server.store)
    listening = thread._target.__self__  # type: ignore[attr-defined]
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}/unsubscribe/"
    finally:
        stop.set()
        thread.join()


def post(url: str, body: bytes = BODY, method: str = "POST", length: str = "") -> int:
    headers = {"Content-Length": length} if length else {}
    request = urllib.request.Request(url, data=body if method == "POST" else None, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def token(letters: Correspondence, **chosen: int) -> str:
    ((number,),) = letters.execute(f"select id from player where address = '{ALICE}'")
    made = {"purpose": Purpose.ONE_CLICK, "player": number, "subject": 1} | chosen
    return letters.server.services.keyring.format(Token(**made), 0)  # type: ignore[arg-type]


def alice(letters: Correspondence) -> tuple[object, ...]:
    letters.server.handle_waiting()
    ((settings, stopped),) = letters.execute(f"select settings, stopped from player where address = '{ALICE}'")
    return str(settings).replace("'", '"'), stopped is not None


def link(letters: Correspondence) -> str:
    """Return the token in the header of the news that alice got last."""
    news = next(mail for mail in reversed(letters.received[ALICE]) if mail["List-Unsubscribe-Post"])
    mailto, url = str(news["List-Unsubscribe"]).split(", ")
    assert mailto.startswith("<mailto:games+")
    return url.strip("<>").removeprefix(URL)


def test_news_names_the_address_and_one_post_to_it_ends_that_kind(letters: Correspondence) -> None:
    with served(letters) as url:
        assert post(url + link(letters)) == 200
        assert post(url + link(letters)) == 200  # a repetition is harmless

    assert alice(letters) == ("{}", True)
    assert letters.execute("select count(*) from incoming where source = 'one click'") == [(1,)]


@pytest.mark.parametrize("kind", range(1, len(KINDS)))
def test_a_token_ends_its_own_kind_alone(letters: Correspondence, kind: int) -> None:
    letters.write(ALICE, "set bulletin on", to=str(letters.received[ALICE][1]["Reply-To"]))
    with served(letters) as url:
        assert post(url + token(letters, subject=kind)) == 200

    settings, stopped = alice(letters)
    name = KINDS[kind].stop.split()[1]
    assert not stopped
    assert (f'"{name}": "off"' in str(settings)) or (name == "bulletin" and settings == "{}")


def test_looking_at_it_changes_nothing(letters: Correspondence) -> None:
    before = alice(letters)
    with served(letters) as url:
        for method in ("GET", "HEAD", "PUT"):
            assert post(url + link(letters), method=method) >= 400

    assert alice(letters) == before


def test_no_other_token_and_no_other_body_does_anything(letters: Correspondence) -> None:
    good = token(letters)
    bad = [
        *(token(letters, purpose=each) for each in Purpose if each is not Purpose.ONE_CLICK),
        token(letters, subject=len(KINDS)),
        token(letters, player=77),
        good[:-1] + ("a" if good[-1] != "a" else "b"),
        "nonsense",
        "",
    ]
    before = alice(letters)
    with served(letters) as url:
        assert {post(url + each) for each in bad} == {400}
        assert post(url + good, b"") == 400
        assert post(url + good, b"x" * 2_000) == 400
        assert post(url + good, BODY + b"x" * 2_000, length="0" * 9 + "2026") == 400
        letters.execute(f"update player set epoch = 1 where address = '{ALICE}'")
        assert post(url + good) == 400

    letters.execute(f"update player set epoch = 0 where address = '{ALICE}'")
    assert alice(letters) == before
    assert letters.execute("select count(*) from incoming where source = 'one click'") == [(0,)]


def test_by_mail_the_token_is_nobodys(letters: Correspondence) -> None:
    before = alice(letters)

    letters.write("mallory@far.example", "stop", to=f"games+{token(letters)}@pbem.example")

    assert alice(letters) == before


def test_requests_are_bounded(letters: Correspondence) -> None:
    with served(letters) as url:
        found = [post(f"{url}nonsense") for _ in range(PER_MINUTE + 1)]
        assert found == [400] * PER_MINUTE + [429]
        letters.clock.advance(minutes=1)
        assert post(f"{url}nonsense") == 400


def test_without_the_setting_there_is_no_such_header_and_no_such_address(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match()
        with served(letters) as url:
            assert post(url + token(letters)) == 404

        assert not [mail for mails in letters.received.values() for mail in mails if mail["List-Unsubscribe-Post"]]

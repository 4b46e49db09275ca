"""A game whose package is broken: each message that it fails alone is put aside, and soon the game is suspended."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pbem_noughts import NOUGHTS as PACK

from notation import guarded
from notation.games import GAMES
from notation.guarded import guard
from pbem.publishing import publication
from pbem.publishing.pages import Site
from pbem.server import daemon
from pbem.signatures import Signer
from tests.correspondence import Correspondence, correspondence, text
from tests.games import broken
from tests.games.conftest import Offered
from tests.games.test_missing import begun as begun_match
from tests.games.test_missing import said, stored
from tests.games.test_nothing_else import personal
from tests.operating.people import written
from tests.servers import until

ADMIN = "admin@mail.example"


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow little time, and forget at the end which games are suspended."""
    monkeypatch.setattr(guarded, "SECONDS", 0.1)
    monkeypatch.setattr(GAMES, "suspended", frozenset())


@pytest.fixture
def letters(tmp_path: Path, noughts: Offered) -> Iterator[Correspondence]:
    with correspondence(tmp_path, server=f'admin = "{ADMIN}"') as letters:
        yield letters


def shunted(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return what is said of the messages that were put aside."""
    return letters.execute("select verdict, attempts from incoming where state = 'shunted'")


def begun(letters: Correspondence, noughts: Offered, call: str, fault: str) -> None:
    """Begin a match of the broken game with time, and one of another game."""
    noughts.install(guard(broken.pack(call, fault)))
    letters.match("challenge bob noughts time=3d")
    letters.write("alice@mail.example", "challenge bob quadraphages", to=reply_address(letters))
    letters.reply(letters.last("bob"), "accept")


def reply_address(letters: Correspondence) -> str:
    """Return the personal address of alice."""
    welcome = letters.received["alice@mail.example"][1]
    return next(line.strip() for line in text(welcome).splitlines() if "games+" in line)


def to_move(letters: Correspondence) -> str:
    """Return the reply address in the first match, of the player to move in it."""
    return next(
        mail["Reply-To"].addresses[0].addr_spec
        for mail in reversed(letters.received["alice@mail.example"])
        if "#1" in str(mail["Subject"])
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("call", "fault"),
    [("play", fault) for fault in broken.FAULTS] + [("parse", "loop"), ("parse", "crash"), ("format", "nonsense")],
)
def test_a_message_that_a_game_fails_is_put_aside_alone_and_after_three_the_game_is_suspended(
    letters: Correspondence, noughts: Offered, call: str, fault: str
) -> None:
    begun(letters, noughts, call, fault)
    address = to_move(letters)
    for number in (1, 2, 3):
        sent = letters.write("alice@mail.example", "a3", to=address)
        assert {str(mail["To"]) for mail in sent} <= {ADMIN} or number == 3
        assert shunted(letters) == [("PackFault: the game noughts", 3)] * number
        other = letters.write("alice@mail.example", "games", to=reply_address(letters))
        assert [str(mail["To"]) for mail in other][:1] == ["alice@mail.example"]
    letters.wait(hours=1, minutes=1)
    assert stored(letters).missing is not None
    assert "This server doesn't have Noughts" in said(letters.last("bob"))
    alert = said(letters.last("admin"))
    assert "so the game is suspended" in alert
    assert "pbem game resume noughts" in alert
    letters.write("alice@mail.example", "a3", to=address)
    assert "which this server doesn't have" in said(letters.last("alice"))
    assert len(shunted(letters)) == 3
    assert "the game noughts is suspended" in letters.operate("status").stdout


def test_the_operator_resumes_a_suspended_game(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, noughts, "play", "crash")
    for _ in range(3):
        letters.write("alice@mail.example", "a3", to=to_move(letters))
    letters.wait(hours=1, minutes=1)
    assert letters.operate("game", "resume", "quadrupel").exit_code == 2
    assert "pbem game resume noughts" in letters.operate("doctor").stdout
    noughts.install(guard(PACK))
    assert letters.wait(days=9) == []
    assert letters.operate("game", "resume", "noughts").exit_code == 0
    letters.wait(minutes=1)
    assert "the match goes on" in said(letters.last("bob"))
    letters.operate("mail", "retry", "1")
    letters.write("alice@mail.example", "a3", to=to_move(letters))
    assert "alice played a3" in text(letters.last("bob"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fault", broken.FAULTS)
@pytest.mark.parametrize("call", ["diagram", "hint", "moves"])
def test_a_message_that_a_game_cannot_draw_delays_no_other_and_goes_out_in_the_end(
    letters: Correspondence, noughts: Offered, call: str, fault: str
) -> None:
    begun(letters, noughts, call, fault)
    if (call, fault) == ("moves", "nonsense"):
        pytest.skip("what a move is, only the game knows")
    letters.write("alice@mail.example", "a3", to=to_move(letters))
    letters.write("alice@mail.example", "games", to=reply_address(letters))
    assert "Noughts" in text(letters.last("alice"))
    for _ in range(6):
        letters.wait(minutes=10)
    assert letters.execute("select count(*) from outgoing where state in ('owed', 'failed')") == [(0,)]
    told = [said(mail) for mail in letters.received["bob@mail.example"] if "#1" in str(mail["Subject"])]
    assert any("alice played a3" in each for each in told)


def test_what_an_unproven_message_makes_a_game_fail_does_not_count_against_it(
    letters: Correspondence, noughts: Offered
) -> None:
    begun(letters, noughts, "parse", "crash")
    for number in range(5):
        letters.write(f"stranger{number}@elsewhere.example", "noughts a3\n#1 a3")
    assert "the game noughts" not in letters.operate("status").stdout


@pytest.mark.own_database
def test_a_running_server_keeps_serving_other_games_while_one_loops(
    letters: Correspondence, noughts: Offered, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(letters, noughts, "play", "loop")
    monkeypatch.setattr(guarded, "SECONDS", 1.0)
    folder, address = letters.folder / "in" / "new", to_move(letters)
    for number in range(4):
        (folder / f"loop{number}").write_bytes(written("alice@mail.example", address, "a3"))
        (folder / f"other{number}").write_bytes(written("bob@mail.example", personal(letters, "bob"), "games"))
    stop = threading.Event()
    server = threading.Thread(target=daemon.run, args=(letters.server, stop))
    server.start()
    try:
        until(lambda: len(shunted(letters)) == 3, "the game is suspended")
        waiting = "select count(*) from incoming where state = 'new'"
        until(lambda: letters.execute(waiting) == [(0,)], "everything is handled")
        until(lambda: stored(letters).missing is not None, "its match has stopped")
    finally:
        stop.set()
        server.join(60)
    assert not server.is_alive()
    answers = "select count(*) from incoming where state = 'done' and verdict like '%games%'"
    assert letters.execute(answers) == [(4,)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("call", ["diagram", "play"])
def test_a_page_that_a_game_cannot_draw_stays_and_the_others_are_published(
    letters: Correspondence, noughts: Offered, tmp_path: Path, call: str
) -> None:
    noughts.install(guard(PACK))
    begun_match(letters, "a3", "b2")
    for name in ("alice", "bob"):
        letters.write(f"{name}@mail.example", "set public on", to=personal(letters, name))
    letters.write("alice@mail.example", "challenge bob quadraphages", to=personal(letters))
    letters.reply(letters.last("bob"), "accept")
    site, folder = Site("PBeM", "games@pbem.example", Signer(bytes(32))), tmp_path / "site"
    noughts.install(guard(broken.pack(call, "loop")))
    publication.publish(letters.server.engine, site, folder, letters.clock())
    assert [path.name for path in folder.rglob("matches/*/[0-9]*.html")] == ["2.html"]
    checked = letters.operate("check")
    assert checked.exit_code == (1 if call == "play" else 0)

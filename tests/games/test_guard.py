"""The guard around games of others: what passes, and what becomes a fault that soon suspends the game."""

import pytest
from pbem_noughts import NOUGHTS as PACK

from engines.core import IllegalMove
from notation import guarded
from notation.core import BadNotation
from notation.games import GAMES
from notation.guarded import PackFault, guard
from tests.correspondence import Correspondence, said, text
from tests.games import broken
from tests.games.conftest import Offered

pytestmark = pytest.mark.server(server='admin = "admin@mail.example"')


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow little time, and forget at the end which games are suspended."""
    monkeypatch.setattr(guarded, "SECONDS", 0.1)
    monkeypatch.setattr(GAMES, "suspended", frozenset())


@pytest.mark.parametrize("fault", [broken.loop, broken.crash, broken.leave, broken.hungry, broken.nonsense])
@pytest.mark.parametrize("call", ["play", "diagram"])
def test_whatever_is_wrong_with_a_game_is_a_fault_that_names_it(call: str, fault: object) -> None:
    pack = guard(broken.pack(call, fault))  # type: ignore[arg-type]
    with (
        guarded.budget(0.02) as spent,
        pytest.raises(PackFault, match=f"the package of the game noughts failed in {call}"),
    ):
        pack.game.position({}).play(pack.notation.parse("a3")).diagram()
    assert {each.key for each in spent.faults} == {"noughts"}


def test_refusals_pass() -> None:
    pack = guard(PACK)
    with guarded.budget() as spent:
        position = pack.game.position({}).play(pack.notation.parse("b2"))
        with pytest.raises(IllegalMove):
            position.play(pack.notation.parse("b2"))
        with pytest.raises(BadNotation):
            pack.notation.parse("nonsense")
    assert spent.faults == []


def begin(letters: Correspondence, noughts: Offered, call: str, fault: object) -> str:
    """Begin a match of the broken game; return the address to which alice, who is to move in it, writes turns."""
    noughts.install(guard(broken.pack(call, fault)))  # type: ignore[arg-type]
    letters.match("challenge bob noughts time=3d")
    return letters.last("alice")["Reply-To"].addresses[0].addr_spec  # type: ignore[no-any-return]


def shunted(letters: Correspondence) -> list[object]:
    """Return what is said of the messages that were put aside."""
    return letters.rows("select verdict, attempts from incoming where state = 'shunted'")


@pytest.mark.parametrize(("call", "fault"), [("play", broken.loop), ("parse", broken.crash)])
def test_a_message_that_a_game_fails_is_put_aside_alone_and_after_three_the_game_is_suspended(
    letters: Correspondence, noughts: Offered, call: str, fault: object
) -> None:
    address = begin(letters, noughts, call, fault)
    for number in (1, 2, 3):
        letters.write("alice@mail.example", "a3", to=address)
        assert shunted(letters) == [("PackFault: the game noughts", 3)] * number
        assert "Noughts" in text(letters.say("alice", "games")[0])
    letters.wait(hours=1, minutes=1)

    assert "This server doesn't have Noughts" in said(letters.last("bob"))
    assert "pbem game resume noughts" in said(letters.last("admin"))
    letters.write("alice@mail.example", "a3", to=address)
    assert "which this server doesn't have" in said(letters.last("alice"))
    assert len(shunted(letters)) == 3

    noughts.install(guard(PACK))
    assert letters.operate("game", "resume", "noughts").exit_code == 0
    letters.wait(minutes=1)
    assert "the match goes on" in said(letters.last("bob"))
    letters.write("alice@mail.example", "a3", to=address)
    assert "alice played a3" in text(letters.last("bob"))


@pytest.mark.parametrize(("call", "fault"), [("diagram", broken.crash), ("moves", broken.loop)])
def test_a_message_that_a_game_cannot_draw_delays_no_other_and_goes_out_in_the_end(
    letters: Correspondence, noughts: Offered, call: str, fault: object
) -> None:
    address = begin(letters, noughts, call, fault)

    letters.write("alice@mail.example", "a3", to=address)
    assert "Noughts" in text(letters.say("alice", "games")[0])
    for _ in range(6):
        letters.wait(minutes=10)

    assert letters.rows("select count(*) from outgoing where state in ('owed', 'failed')") == [0]
    assert any("alice played a3" in said(mail) for mail in letters.received["bob@mail.example"])


def test_what_an_unproven_message_makes_a_game_fail_does_not_count_against_it(
    letters: Correspondence, noughts: Offered
) -> None:
    begin(letters, noughts, "parse", broken.crash)

    for number in range(5):
        letters.write(f"stranger{number}@elsewhere.example", "noughts a3\n#1 a3")

    assert "the game noughts" not in letters.operate("status").stdout

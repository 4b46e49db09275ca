"""The guard around games of others: what passes, what becomes a fault, and that no interruption comes too late."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pbem_noughts import NOUGHTS as PACK

from engines.core import IllegalMove
from engines.search import choose
from engines.search.state import Searchable
from notation import guarded
from notation.core import BadNotation
from notation.games import GAMES
from notation.guarded import GuardedPosition, PackFault, guard, unguarded
from tests.games import broken
from tests.games.broken import FAULTS

CALLS = ("moves", "play", "diagram", "parse", "format", "hint")


def use(pack: Any, call: str) -> None:
    """Make that call where the broken game fails in it."""
    notation, start = pack.notation, pack.game.position({})
    if call == "parse":
        notation.parse("a3")
        return
    move = PACK.notation.parse("a3")
    if call == "format":
        notation.format(move, start)
        return
    position = start.play(move)
    {"moves": lambda: list(position.moves()), "diagram": position.diagram, "play": lambda: None}.get(
        call, lambda: notation.hint(position)
    )()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("call", CALLS)
def test_whatever_is_wrong_with_a_game_is_a_fault_that_names_it(call: str, fault: str) -> None:
    pack = guard(broken.pack(call, fault))
    with guarded.budget(0.02) as spent:
        if call == "parse" and fault == "nonsense":
            with pytest.raises(PackFault):
                pack.notation.parse("a3")
        elif (call, fault) == ("moves", "nonsense"):
            use(pack, call)  # what a move is, only the game knows
            return
        else:
            with pytest.raises(PackFault, match=f"the package of the game noughts failed in {call}"):
                use(pack, call)
    assert {each.key for each in spent.faults} == {"noughts"}


def test_refusals_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = guard(PACK)
    with guarded.budget() as spent:
        position = pack.game.position({}).play(pack.notation.parse("b2"))
        with pytest.raises(IllegalMove):
            position.play(pack.notation.parse("b2"))
        with pytest.raises(BadNotation):
            pack.notation.parse("nonsense")
    assert spent.faults == []


def test_positions_are_equal_and_hashed_as_the_games_own() -> None:
    pack = guard(PACK)
    one, other = (pack.game.position({}).play(pack.notation.parse("b2")) for _ in "ab")
    assert one == other
    assert len({one, other, pack.game.position({})}) == 2
    assert isinstance(one, GuardedPosition)
    assert unguarded(one) == PACK.game.position({}).play(PACK.notation.parse("b2"))


@pytest.mark.parametrize("key", ["kvadratik", "quadraphages"])
def test_the_search_finds_the_states_of_a_game_behind_a_guard(key: str) -> None:
    bare, guarded = GAMES[key].game.position({}), guard(GAMES[key]).game.position({})
    assert isinstance(guarded, Searchable) == isinstance(bare, Searchable)
    assert choose(guarded, 1, 7).turn == choose(bare, 1, 7).turn


def test_what_a_game_has_used_counts_for_all_calls_of_a_message_and_for_no_other_game() -> None:
    def spend() -> None:
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass

    with guarded.budget(0.03) as spent:
        with suppress(PackFault):
            for _ in range(10):
                guarded.call("slow", "play", spend)
        guarded.call("other", "play", spend)
    assert [str(each) for each in spent.faults] == ["the package of the game slow failed in play: it took too long"]
    with guarded.budget(0.03):
        guarded.call("slow", "play", spend)


def test_nothing_is_interrupted_without_a_budget_nor_counted() -> None:
    with pytest.raises(PackFault):
        guarded.call("noughts", "play", broken.crash)


PROFILED = """
import sys
from notation import guarded
def called(*, endless):
    while endless:
        pass
with guarded.budget(0.01):
    try:
        guarded.call("slow", "play", lambda: called(endless=True))
    except guarded.PackFault:
        pass
sys.setprofile(lambda *told: None)
called(endless=False)
"""


def test_a_profiler_works_after_an_interruption() -> None:
    """In another process: where it doesn't, the interpreter loops within a step that nothing but a kill ends."""
    subprocess.run([sys.executable, "-c", PROFILED], cwd=Path(__file__).parents[2], timeout=60, check=True)


def calls_that_end_at_about_the_limit(found: list[BaseException], rounds: int) -> None:
    """Make calls that end just before, just after or just when they are interrupted; note what arrives outside."""
    chance = Random(threading.get_ident())
    try:
        for _ in range(rounds):
            with guarded.budget(0.001):
                until = time.thread_time() + chance.uniform(0.0005, 0.004)

                def spend(until: float = until) -> None:
                    while time.thread_time() < until:
                        pass

                with suppress(PackFault):
                    guarded.call("slow", "play", spend)
            for _ in range(50):  # anything that is late arrives in here
                len([])
    except BaseException as late:  # noqa: BLE001 - that is what must not be
        found.append(late)


def test_no_interruption_ever_arrives_after_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "EVERY", 0.0005)
    found: list[BaseException] = []
    threads = [threading.Thread(target=calls_that_end_at_about_the_limit, args=(found, 200)) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == []


def test_a_generator_is_bounded_at_each_step() -> None:
    def endless() -> Iterator[int]:
        yield 1
        broken.loop()

    pack = guard(PACK)
    position = GuardedPosition("noughts", pack.game.position({}))
    monkey: Any = position
    monkey.inner = type("Endless", (), {"moves": staticmethod(endless)})()
    with guarded.budget(0.02):
        moves = position.moves()
        assert next(moves) == 1
        with pytest.raises(PackFault, match="failed in moves: it took too long"):
            next(moves)

"""Each check catches a fault: Noughts of the template, broken in one place."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pbem_noughts import NOUGHTS
from pbem_noughts.engine import BOARD, NoughtsPosition, Turn
from pbem_noughts.notation import NoughtsNotation

from engines.search.state import Plain
from notation.games import GamePack
from pbem.conformance import Nonconforming, by_mail, counts
from pbem.conformance import engine as engines
from pbem.conformance.checks import CHECKS, Check, offered
from pbem.conformance.new_game import TEMPLATE
from pbem.gamekit import BadNotation, Diagram, Hint, Option, Passage, Played

pytestmark = pytest.mark.slow

PERFT = TEMPLATE / "tests" / "noughts.perft"
OF_AUTHORS = (
    Check(lambda pack, _: counts.turns_are_counted(pack, PERFT)),
    Check(lambda pack, _: counts.the_brute_force_agrees(pack, lambda options: Endless(), PERFT)),
    Check(lambda pack, _: by_mail.messages_stay_as_they_are(pack, TEMPLATE / "README.md")),
)
NAMES = ("turns are counted", "the brute force agrees", "messages stay as they are")
BY_NAME = {check.name: check for check in CHECKS} | dict(zip(NAMES, OF_AUTHORS, strict=True))


class Read(Turn):
    """A turn that was read from a text."""

    __slots__ = ()


class Open(NoughtsPosition):
    """A position that can hide things."""


@dataclass(frozen=True)
class Endless:
    """A brute force that forgets the ends of matches."""

    free: frozenset[str] = frozenset(BOARD.names)

    def after(self) -> dict[str, "Endless"]:
        return {cell: Endless(self.free - {cell}) for cell in self.free}


class Forgetful(Plain):
    """What the search sees of a game, but for what a turn has done to the board."""

    __slots__ = ()

    def after(self, choice: Any) -> Any:
        after = self.position.play(choice)
        return Forgetful(replace(after, marks=self.position.marks) if after.turn is not None else after)


def engine(base: type[NoughtsPosition] = NoughtsPosition, **methods: Any) -> GamePack:
    """Return the pack with other methods of its positions."""
    slots = {} if base is Open else {"__slots__": ()}
    broken = type("Broken", (base,), {**slots, **methods}) if methods else base
    return game(start=lambda chosen: broken(chosen["goal"] == "avoid"))


def game(**changes: Any) -> GamePack:
    return replace(NOUGHTS, game=replace(NOUGHTS.game, **changes))


def notation(**methods: Any) -> GamePack:
    """Return the pack with other methods of its notation."""
    return replace(NOUGHTS, notation=type("Broken", (NoughtsNotation,), {"__slots__": (), **methods})())


def drawn(**changes: Any) -> GamePack:
    """Return the pack with other diagrams."""

    def diagram(self: NoughtsPosition, last: Played[Any, Any] | None = None) -> Diagram:
        return replace(NoughtsPosition.diagram(self, last), **changes)

    return engine(diagram=diagram)


def play(wrong: Callable[[NoughtsPosition, Turn], Any]) -> GamePack:
    return engine(play=wrong)


def endless(self: NoughtsPosition, *_: object) -> None:
    return None


def set_on(position: NoughtsPosition) -> None:
    object.__setattr__(position, "avoid", not position.avoid)


def changing(self: NoughtsPosition, move: Turn) -> Any:
    after = NoughtsPosition.play(self, move)
    set_on(self)
    return after


def looking(self: NoughtsPosition, last: Any = None) -> Diagram:
    set_on(self)
    return NoughtsPosition.diagram(self, last)


def off_board(self: NoughtsPosition, move: Turn) -> Any:
    if move.cell not in BOARD.names:
        return type(self)(self.avoid, self.turn, self.marks[::-1])
    return NoughtsPosition.play(self, move)


def resumed(self: NoughtsPosition, move: Turn) -> Any:
    if self.turn is None:
        return type(self)(self.avoid)
    return NoughtsPosition.play(self, move)


def of_read(self: NoughtsPosition, move: Turn) -> Any:
    after = NoughtsPosition.play(self, move)
    return replace(after, avoid=not after.avoid) if isinstance(move, Read) else after


def burning(self: NoughtsPosition, last: Any = None) -> Diagram:
    _, most = engines.WORKS["diagram"]
    for number in range(most):
        abs(number)
    return NoughtsPosition.diagram(self, last)


def hint(*passages: Passage, example: str = "") -> GamePack:
    return notation(hint=lambda self, position: Hint(passages, example) if position.turn is not None else None)


def parse(wrong: Callable[[str], Turn]) -> GamePack:
    return notation(parse=lambda self, text: wrong(text))


def strictly(text: str) -> Turn:
    if text not in BOARD.names:
        raise BadNotation(text, 0, "a square such as b2")
    return Turn(text)


def backtracking(text: str) -> Turn:
    if not re.match(r"(?:a|aa)+b", text):
        raise BadNotation(text, 0, "a square such as b2")
    return NOUGHTS.notation.parse(text)


def page(tmp_path: Path, change: Callable[[str], str], pictures: str = "") -> GamePack:
    (tmp_path / "noughts.md").write_text(change(NOUGHTS.page), encoding="utf-8")
    if pictures:
        (tmp_path / "noughts.toml").write_text(f'[[picture]]\n{pictures}\ncaption = "So."\n', encoding="utf-8")
    return replace(NOUGHTS, rules=tmp_path)


def added(line: str) -> Callable[[Path], GamePack]:
    return lambda tmp_path: page(tmp_path, lambda text: f"{text}\n{line}\n")


def option(name: str) -> GamePack:
    return game(options=(*NOUGHTS.game.options, Option(name, ("on", "off"), "help")))


TINY = drawn(rows=NOUGHTS.game.position({}).diagram().rows[:1]).game.position({})
FIRST = NOUGHTS.game.position({}).diagram()
FAULTS: Mapping[str, tuple[GamePack | Callable[[Path], GamePack], str]] = {
    "it is described": (game(summary="x" * 55), "The summary has 55 characters"),
    "its names are its own": (game(key="resign"), '"resign" is a command'),
    "random play ends": (engine(_ended=endless), "the match isn't over, but moves.. is empty"),
    "moves are listed once": (
        engine(moves=lambda self: iter(2 * list(NoughtsPosition.moves(self)))),
        "lists a turn twice",
    ),
    "play leaves the old position": (play(changing), "has changed the position before it"),
    "play agrees with moves": (play(off_board), "but moves.. doesn't list it"),
    "the end is final": (play(resumed), "can still be played"),
    "positions are values": (engine(Open), "can hide things"),
    "asking changes nothing": (engine(diagram=looking), "changes when it is asked"),
    "reading a turn again leads to the same position": (
        replace(play(of_read), notation=parse(lambda text: Read(NOUGHTS.notation.parse(text).cell)).notation),
        "read again, leads somewhere else",
    ),
    "parts complete turns": (engine(parts=lambda self: iter([next(self.moves())])), "`part` isn't that part"),
    "states play by the rules": (engine(state=lambda self: Forgetful(self)), "another state than that of the position"),
    "the last turn is told": (drawn(told="The last move: a mark on b2."), "but nothing was done on"),
    "turns are read as they are written": (notation(format=lambda self, move, position: "b2"), "written alike"),
    "turns are read forgivingly": (parse(strictly), "isn't read as"),
    "garbage is refused": (parse(lambda text: Turn(text.split()[0])), "IndexError, not BadNotation"),
    "reading takes linear time": (parse(backtracking), "take too long to read"),
    "help has an example": (notation(help="a square"), "must end with an example"),
    "hints help": (hint(Passage("b2")), "would be played when it is quoted"),
    "choices lead to turns": (parse(lambda text: Turn("b2")), "is offered, but play refuses it"),
    "half a turn can be drawn": (
        notation(midway=lambda self, chosen, position: TINY if chosen else position),
        "the board has other cells",
    ),
    "diagrams are whole": (drawn(rows=(*FIRST.rows, FIRST.rows[0])), "twice on the board"),
    "the last turn is only lit": (drawn(lit=frozenset({"b2"})), "without a last turn has highlighted cells"),
    "remarks are sentences": (drawn(notes=("3 left",)), "No remark says"),
    "boards are drawn in text": (drawn(remarks=("Resign", "#1 resign")), "would act when it is quoted"),
    "boards are drawn as pictures": (
        drawn(rows=tuple((label, cells[::-1]) for label, cells in FIRST.rows)),
        "in the order of the columns",
    ),
    "the page has title designer and year": (
        lambda tmp_path: page(tmp_path, lambda text: text.replace(", 1st century BC", "")),
        "who designed the game",
    ),
    "the page names every option": (option("size"), "what size=on means"),
    "the page fits into a message": (added("#1 resign"), "would act"),
    "the page is plain markdown": (added("## Heading"), "Markdown that it can't have: h2"),
    "the pictures are true": (
        lambda tmp_path: page(tmp_path, lambda text: text, 'below = "NOUGHTS"\nturns = ["b2", "b2"]'),
        "can't be made",
    ),
    "it is fast enough": (engine(diagram=burning), "diagram calls 200,"),
    "a match goes by mail": (
        lambda tmp_path: page(tmp_path, lambda text: text.replace("NOUGHTS", "OTHERS")),
        "doesn't show the page",
    ),
    "turns are counted": (
        engine(moves=lambda self: iter(list(NoughtsPosition.moves(self))[1:])),
        "the engine counts",
    ),
    "the brute force agrees": (NOUGHTS, "only the brute force has"),
    "messages stay as they are": (NOUGHTS, "Line 1 of README.md is different now"),
}


def test_every_check_has_a_fault() -> None:
    assert set(FAULTS) == set(BY_NAME)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_check_catches_its_fault(name: str, tmp_path: Path) -> None:
    broken, said = FAULTS[name]
    with pytest.raises(Nonconforming, match=said):
        BY_NAME[name].run(broken if isinstance(broken, GamePack) else broken(tmp_path))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_game_of_the_template_keeps_every_promise(check: Check) -> None:
    check.run(NOUGHTS)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (
            "id one\nposition\nperft 1 9\nperft 2 71\n\nid end\nposition a1; a2; b1; b2; c1\nperft 1 0\n",
            "and one.perft says",
        ),
        ("id one\nposition a1; a2; b1; b2\nresults 1 0 1 0\n\nid end\nposition\nperft 1 0\n", "and the engine counts"),
        ("id one\nposition goal\nperft 1\n", "The block one of one.perft can't be read"),
    ],
)
def test_what_a_perft_file_says_otherwise_is_told(file: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "one.perft"
    path.write_text(file, encoding="utf-8")
    with pytest.raises(Nonconforming, match=said):
        counts.turns_are_counted(NOUGHTS, path)


def test_a_winner_that_is_swapped_is_noticed() -> None:
    """For one side the engine says who has won, and for the other who hasn't."""
    from pbem.conformance.template.tests import brute

    def swapped(self: NoughtsPosition, seat: Any, own: tuple[str, ...], after: Any) -> Any:
        outcome = NoughtsPosition._ended(self, seat, own, after)
        return replace(outcome, winner=0) if outcome is not None and outcome.winner == 1 else outcome

    with pytest.raises(Nonconforming, match="A random match is won by 0, says the engine; by 1, says the brute force"):
        counts.the_brute_force_agrees(engine(_ended=swapped), brute.State)


def test_its_files_say_the_same_of_it(tmp_path: Path) -> None:
    from pbem.conformance.template.tests import brute

    counts.turns_are_counted(NOUGHTS, PERFT)
    counts.the_brute_force_agrees(NOUGHTS, brute.State, PERFT)
    with offered(NOUGHTS):
        for write in (True, False):
            by_mail.messages_stay_as_they_are(NOUGHTS, tmp_path / "noughts.txt", write=write)

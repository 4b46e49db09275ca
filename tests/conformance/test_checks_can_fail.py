"""Each check catches a fault: Noughts of the template, broken in one place."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pbem_noughts import NOUGHTS
from pbem_noughts.engine import BOARD, NoughtsPosition, Turn
from pbem_noughts.notation import NoughtsNotation

from notation.games import GamePack
from pbem.conformance import speed
from pbem.conformance.checks import CHECKS, AuthorFiles, Check
from pbem.conformance.new_game import TEMPLATE
from pbem.conformance.samples import Nonconforming
from pbem.gamekit import (
    BadNotation,
    Diagram,
    Hint,
    IllegalMove,
    Option,
    Outcome,
    Passage,
    Played,
    Reason,
    last_move,
)

pytestmark = pytest.mark.slow

AUTHOR = AuthorFiles(
    perft=TEMPLATE / "tests" / "noughts.perft", brute=lambda options: Endless(), golden=TEMPLATE / "README.md"
)
BY_NAME = {check.name: check for check in (*CHECKS, *AUTHOR.checks())}


class Read(Turn):
    """A turn that was read from a text."""

    __slots__ = ()


class Open(NoughtsPosition):
    """A position that can hide things."""


class Said(Reason):
    """Refusals that nobody can be told."""

    EMPTY = "{{token}} is not on this board"
    ENDED = "{token} is not on this board."


@dataclass(frozen=True)
class Endless:
    """A brute force that forgets the ends of matches."""

    free: frozenset[str] = frozenset(BOARD.names)

    def after(self) -> dict[str, "Endless"]:
        return {cell: Endless(self.free - {cell}) for cell in self.free}


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


def ended(outcome: Callable[[Outcome], Outcome]) -> GamePack:
    def end(self: NoughtsPosition, *known: Any) -> Outcome | None:
        found = NoughtsPosition._ended(self, *known)
        return found and outcome(found)

    return engine(_ended=end)


def decisive(pack: GamePack) -> GamePack:
    return replace(pack, game=replace(pack.game, draws=False))


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


def refusing(reason: Reason) -> GamePack:
    def refuse(self: NoughtsPosition, move: Turn) -> Any:
        if move.cell not in BOARD.names:
            raise IllegalMove(reason, token=move.cell)
        return NoughtsPosition.play(self, move)

    return play(refuse)


def resumed(self: NoughtsPosition, move: Turn) -> Any:
    if self.turn is None:
        return type(self)(self.avoid)
    return NoughtsPosition.play(self, move)


def of_read(self: NoughtsPosition, move: Turn) -> Any:
    after = NoughtsPosition.play(self, move)
    return replace(after, avoid=not after.avoid) if isinstance(move, Read) else after


def every_cell(self: NoughtsPosition) -> Iterator[Turn]:
    return map(Turn, BOARD.names) if self.turn is not None else iter(())


def anywhere(self: NoughtsPosition, move: Turn) -> Any:
    """Play as if the cell were free."""
    here = replace(self, marks=tuple(tuple(cell for cell in cells if cell != move.cell) for cells in self.marks))
    return NoughtsPosition.play(here, move)


def all_but_one(self: NoughtsPosition) -> Iterator[Turn]:
    return iter(list(NoughtsPosition.moves(self))[1:])


def burning(self: NoughtsPosition, last: Any = None) -> Diagram:
    _, most = speed.WORKS["diagram"]
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


def same(page: str) -> str:
    return page


def added(line: str) -> Callable[[Path], GamePack]:
    return lambda tmp_path: page(tmp_path, lambda text: f"{text}\n{line}\n")


def option(name: str) -> GamePack:
    return game(options=(*NOUGHTS.game.options, Option(name, ("on", "off"), "help")))


TINY = drawn(rows=NOUGHTS.game.position({}).diagram().rows[:1]).game.position({})
FIRST = NOUGHTS.game.position({}).diagram()
FAULTS: Mapping[str, tuple[tuple[GamePack | Callable[[Path], GamePack], str], ...]] = {
    "it is described": (
        (game(summary="x" * 55), "The summary has 55 characters"),
        (game(sides=("X", "Player O")), "isn't one word"),
        (replace(NOUGHTS, api=2), "version 2 of the interface"),
        (replace(NOUGHTS, older=(NOUGHTS,)), "don't go down"),
    ),
    "its names are its own": (
        (game(key="resign"), '"resign" is a command'),
        (game(key="rules"), '"rules" '),
        (game(title="Quadrupel"), 'The title "Quadrupel" means something else'),
        (game(key="tic-tac"), "is no key of a game"),
        (option("time"), "time= means something else"),
        (option("goal"), "the same name"),
    ),
    "random play ends": (
        (engine(_ended=endless), "the match isn't over, but moves.. is empty"),
        (ended(lambda outcome: replace(outcome, reason="")), "has no reason"),
        (ended(lambda outcome: replace(outcome, reason="It is over.")), "ends with a period"),
        (ended(lambda outcome: Outcome(2, "over")), "The winner is 2"),  # type: ignore[arg-type]
        (decisive(ended(lambda outcome: Outcome(None, "over"))), "the game says that there are none"),
    ),
    "moves are listed once": (
        (engine(moves=lambda self: iter(2 * list(NoughtsPosition.moves(self)))), "lists a turn twice"),
    ),
    "play leaves the old position": ((play(changing), "has changed the position before it"),),
    "play agrees with moves": (
        (play(off_board), "but moves.. doesn't list it"),
        (engine(moves=every_cell), "but play refuses it"),
        (refusing(Said.EMPTY), "has an empty place"),
        (refusing(Said.ENDED), "ends with a period"),
    ),
    "the end is final": ((play(resumed), "can still be played"),),
    "positions are values": ((engine(Open), "can hide things"),),
    "asking changes nothing": ((engine(diagram=looking), "changes when it is asked"),),
    "reading a turn again leads to the same position": (
        (
            replace(play(of_read), notation=parse(lambda text: Read(NOUGHTS.notation.parse(text).cell)).notation),
            "read again, leads somewhere else",
        ),
    ),
    "parts complete turns": ((engine(parts=lambda self: iter([next(self.moves())])), "`part` isn't that part"),),
    "turns are read as they are written": (
        (notation(format=lambda self, move, position: "b2"), "written alike"),
        (notation(format=lambda self, move, position: f"{move.cell} "), "separated by one space"),
    ),
    "turns are read forgivingly": ((parse(strictly), "isn't read as"),),
    "garbage is refused": ((parse(lambda text: Turn(text.split()[0])), "IndexError, not BadNotation"),),
    "reading takes linear time": ((parse(backtracking), "take too long to read"),),
    "help has an example": ((notation(help="a square"), "must end with an example"),),
    "hints help": (
        (hint(Passage("Mark a square."), example="z9"), "is refused"),
        (hint(Passage("b2")), "would be played when it is quoted"),
        (hint(Passage("Help yourself.")), 'the command "help"'),
        (notation(hint=lambda self, position: None), "gets no hint"),
    ),
    "choices lead to turns": ((parse(lambda text: Turn("b2")), "is offered, but play says"),),
    "half a turn can be drawn": (
        (notation(midway=lambda self, chosen, position: TINY if chosen else position), "the board has other cells"),
    ),
    "diagrams are whole": (
        (drawn(legend=replace(FIRST.legend, marks=FIRST.legend.marks[:2])), "doesn't say what the mark"),
        (drawn(rows=(*FIRST.rows, FIRST.rows[0])), "twice on the board"),
        (drawn(legend=replace(FIRST.legend, sides=("White", "Black"))), "aren't those of the game"),
    ),
    "the last turn is only lit": (
        (drawn(lit=frozenset({"b2"})), "without a last turn has highlighted cells"),
        (drawn(told="a mark"), "isn't a sentence"),
        (drawn(told=last_move("a mark.")), "isn't a sentence"),
    ),
    "remarks are sentences": (
        (drawn(notes=("3 left",)), "No remark says"),
        (drawn(remarks=("3 left",)), "isn't a sentence"),
    ),
    "boards are drawn in text": (
        (drawn(notes=("x" * 80,)), "longer than 72 columns"),
        (drawn(remarks=("Resign", "#1 resign")), "would act when it is quoted"),
    ),
    "boards are drawn as pictures": (
        (drawn(rows=tuple((label, cells[::-1]) for label, cells in FIRST.rows)), "in the order of the columns"),
    ),
    "the page has title designer and year": (
        (lambda tmp_path: page(tmp_path, lambda text: text.replace(", 1st century BC", "")), "who designed the game"),
        (lambda tmp_path: page(tmp_path, lambda text: text[1:]), "doesn't begin with NOUGHTS"),
        (lambda tmp_path: replace(NOUGHTS, rules=tmp_path), "There is no rules page"),
    ),
    "the page names every option": ((option("size"), "what size=on means"),),
    "the page fits into a message": (
        (added("x" * 73), "longer than 72"),
        (added("\N{EM DASH}"), "isn't ASCII"),
        (added("#1 resign"), "would act"),
    ),
    "the page is plain markdown": (
        (added("## Heading"), "Markdown that it can't have: h2"),
        (added("- a list\n      b2"), "indented by six spaces"),
    ),
    "the pictures are true": (
        (lambda tmp_path: page(tmp_path, same, 'below = "NOUGHTS"\nturns = ["b2", "b2"]'), "can't be made"),
        (lambda tmp_path: page(tmp_path, same, 'below = "Goal"'), 'no heading "Goal"'),
        (lambda tmp_path: page(tmp_path, same, 'below = "NOUGHTS"\nrefused = ["b2"]'), "calls b2 forbidden"),
    ),
    "it is fast enough": ((engine(diagram=burning), "diagram calls 200,"),),
    "a match goes by mail": (
        (lambda tmp_path: page(tmp_path, lambda text: text.replace("NOUGHTS", "OTHERS")), "doesn't show the page"),
    ),
    "turns are counted": (
        (engine(moves=lambda self: iter(list(NoughtsPosition.moves(self))[1:])), "the engine counts"),
    ),
    "the brute force agrees": (
        (NOUGHTS, "only the brute force has"),
        (engine(moves=every_cell, play=anywhere), "only the engine has"),
    ),
    "messages stay as they are": ((NOUGHTS, "Line 1 of README.md is different now"),),
}


def test_every_check_has_a_fault() -> None:
    assert set(FAULTS) == set(BY_NAME)


@pytest.mark.parametrize("check", BY_NAME.values(), ids=BY_NAME)
def test_a_check_catches_its_faults(check: Check, tmp_path: Path) -> None:
    for number, (broken, said) in enumerate(FAULTS[check.name]):
        (folder := tmp_path / str(number)).mkdir()
        with pytest.raises(Nonconforming, match=said):
            check.run(broken if isinstance(broken, GamePack) else broken(folder))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_the_game_of_the_template_keeps_every_promise(check: Check) -> None:
    check.run(NOUGHTS)


def test_its_files_say_the_same_of_it(tmp_path: Path) -> None:
    from pbem.conformance.template.tests import brute

    files = AuthorFiles(perft=AUTHOR.perft, brute=brute.State, golden=tmp_path / "noughts.txt", write=True)
    for check in (*files.checks(), *replace(files, write=False).checks()):
        check.run(NOUGHTS)

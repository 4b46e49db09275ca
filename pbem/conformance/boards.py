"""What every diagram promises: it is whole, and can be drawn in every form that messages and pages have."""

import io
import re
from collections.abc import Iterator
from itertools import islice, pairwise
from xml.etree import ElementTree

from PIL import Image

from engines.core import Played
from engines.diagram import Diagram
from notation.board import format_board
from notation.description import describe
from notation.games import GamePack
from notation.steps import cells_of
from pbem.conformance import require
from pbem.conformance.samples import matches
from pbem.conformance.turn_texts import acting
from pbem.messages.boards.board_image import png
from pbem.messages.boards.html_board import grid
from pbem.messages.boards.svg_board import BoardSheet
from pbem.messages.templating import WIDTH

EACH = 30
"""Boards of a match that are drawn as text; three are drawn as pictures."""
FEW = 20
"""Positions of a match in which the last turn is examined."""
LINES = 300
"""Lines in words that are read as if somebody had quoted them."""


def diagrams(pack: GamePack, seed: int = 0, each: int = EACH) -> Iterator[tuple[Diagram, Diagram]]:
    for match in matches(pack, seed):
        yield match[0].position.diagram(), match[0].position.diagram()
        pairs = list(pairwise(match))
        for index in range(min(each, len(pairs))):
            (before, move), (after, _) = pairs[-1 if index == each - 1 else index * len(pairs) // each]
            if before.play(move) == after:  # not so where the middle of a long match is left out
                yield after.diagram(), after.diagram(Played(before, move))


def diagrams_are_whole(pack: GamePack, seed: int = 0) -> None:
    """Each cell is there once, and each mark has a meaning of its own."""
    for diagram, _ in diagrams(pack, seed):
        cells = [cell for _, row in diagram.rows for cell in row]
        names, marks = [name for name, _ in cells], diagram.legend.by_text()
        require(len(names) == len(set(names)), "A cell is twice on the board.")
        for name, mark in cells:
            is_name = re.fullmatch(r"[a-z][1-9][0-9]?", name)
            require(is_name, f"{name!r} is no name of a cell: use a letter and a number.")
            require(mark and " " not in mark, f"The mark {mark!r} on {name} is empty, or has a space.")
            require(mark in marks, f"The legend doesn't say what the mark {mark!r} on {name} means.")
        require(len(marks) == len(diagram.legend.marks), "The legend has a mark twice.")
        is_empty = marks and diagram.legend.marks[0].kind == "empty"
        require(is_empty, "The first mark of the legend isn't that of an empty cell.")
        meanings = [(mark.kind == "empty", mark.side, mark.words) for mark in marks.values()]
        require(len(meanings) == len(set(meanings)), "Two marks of the legend are called the same.")
        require(all(all(mark.words) for mark in marks.values()), "A mark of the legend has no words.")
        require(diagram.legend.sides == pack.game.sides, "The sides of the legend aren't those of the game.")
        areas = diagram.legend.areas
        require(all(area and area <= set(names) for area in areas), "An area of the legend isn't on the board.")


def the_last_turn_is_only_lit(pack: GamePack, seed: int = 0) -> None:
    """The last turn is highlighted and told in a sentence, and changes nothing else on the board."""
    for plain, lit in diagrams(pack, seed):
        names = {name for _, cells in lit.rows for name, _ in cells}
        require(not plain.lit and not plain.left, "A board without a last turn has highlighted cells.")
        require(lit.lit | lit.left <= names, "A highlighted cell isn't on the board.")
        require(lit.rows == plain.rows, "The last turn changes what is on the board.")
        if lit.lit:
            require(lit.told, "A turn is highlighted, but not told (`told`).")
        if lit.told:
            _is_sentence("What a diagram tells of the last turn", lit.told)


def remarks_are_sentences(pack: GamePack, seed: int = 0) -> None:
    """What notes say beside the board, remarks say as sentences without marks."""
    for _, diagram in diagrams(pack, seed):
        require(not diagram.notes or diagram.remarks, f"No remark says what the note {diagram.notes[:1]} says.")
        for remark in (*diagram.remarks, *diagram.legend.said):
            _is_sentence("A remark", remark)
            require("|" not in remark and "#" not in remark, f'The remark "{remark}" has marks.')


def boards_are_drawn_in_text(pack: GamePack, seed: int = 0) -> None:
    """A board is drawn in letters, in signs, and in words, in 72 columns that don't act when they are quoted."""
    words: dict[str, None] = {}
    for _, diagram in diagrams(pack, seed):
        letters = format_board(diagram, lit=True, notes=True).splitlines()
        signs = format_board(diagram, lit=True, notes=True, charset="unicode").splitlines()
        require(all(line.isascii() for line in letters), "A board in letters isn't ASCII.")
        require([*map(len, letters)] == [*map(len, signs)], "A board in signs isn't as wide as the one in letters.")
        sentences = describe(diagram, pack.game.sides, width=WIDTH).splitlines()
        words |= dict.fromkeys(sentences)
        for line in (*letters, *sentences):
            require(len(line) <= WIDTH, f"A line of a board is longer than {WIDTH} columns: {line}")
            require(line == line.rstrip(), f"A line of a board ends in spaces: {line!r}")
    for match in (1, None):
        for line in acting(pack, list(words)[:: len(words) // LINES + 1], match):
            require(False, f"A line of a board in words would act when it is quoted: {line}")


def boards_are_drawn_as_pictures(pack: GamePack, seed: int = 0) -> None:
    """A board is drawn as SVG, as PNG and as an HTML table."""
    for _, diagram in diagrams(pack, seed, each=3):
        names = [name for _, cells in diagram.rows for name, _ in cells]
        ElementTree.fromstring(BoardSheet().file(diagram, pack.title))  # noqa: S314 - our own
        with Image.open(io.BytesIO(png(diagram))) as picture:
            require(min(picture.size) > 50, "The picture of a board is tiny.")
        table = [cell for row in grid(diagram, {}).rows for cell in row.cells]
        require([cell.name for cell in table] == names, "The HTML table of a board hasn't all its cells.")
        require(all(cell.before >= 0 for cell in table), "The cells of a row aren't in the order of the columns.")


def the_last_turn_is_told(pack: GamePack, seed: int = 0) -> None:
    """A board tells the last turn in words, and names only cells that the turn names, leaves, enters or changes."""
    for match in matches(pack, seed):
        for (before, move), (after, _) in islice(pairwise(match), FEW):
            if move is None or before.play(move) != after:
                continue  # the middle of a long match is left out
            text, diagram = pack.notation.format(move, before), after.diagram(Played(before, move))
            require(diagram.told, f"The board after {text} doesn't tell that turn (`told`).")
            old, new = (dict(cell for _, row in board.rows for cell in row) for board in (before.diagram(), diagram))
            touched = {cell for cell, mark in new.items() if old.get(cell) != mark}
            allowed = touched | diagram.lit | diagram.left | cells_of(text)
            wrong = sorted((cells_of(diagram.told) & new.keys()) - allowed)
            require(not wrong, f'The board after {text} tells "{diagram.told}", but nothing was done on {wrong[:1]}.')


def _is_sentence(what: str, said: str) -> None:
    ends = said.endswith(".") and not said.endswith("..")
    require(ends and said[0].isupper(), f'{what} isn\'t a sentence: "{said}"')

"""Records: the three of the rule sheet with all their slips, tables mangled by mail programs, and round trips."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core import IllegalMove, Seat
from engines.phages import PhagesPosition
from engines.seats import SEATS
from notation.board import format_board
from notation.core import BadNotation
from notation.ending import Ending, Termination
from notation.games import GAMES
from notation.record import BadRecord, Record, board_difference, dumps, loads, replay, replay_tolerantly

RECORDS = Path(__file__).parent.parent / "records"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(RECORDS.glob("*.txt"))}

ENDINGS = [
    None,
    *(Ending(how, seat) for how in (Termination.RESIGNATION, Termination.LEFT, Termination.TIMEOUT) for seat in SEATS),
    *(Ending(Termination.PROVEN, seat, "c1b1, g9h9, " * 9 + "...") for seat in (*SEATS, None)),
    *map(Ending, (Termination.AGREEMENT, Termination.CANCELLED, Termination.ABANDONED, Termination.ADJUDICATED)),
]
"""Every way to write the end of a match in a record."""


def resigned(seat: Seat) -> Ending:
    return Ending(Termination.RESIGNATION, seat)


def marked(position: Any) -> tuple[int, int]:
    assert isinstance(position, PhagesPosition)
    return position.marked(0), position.marked(1)


# The three records of the sheet --------------------------------------------------------------------


def test_the_records_say_who_played_what_and_who_resigned() -> None:
    read = {name: loads(text) for name, text in TEXTS.items()}

    assert {name: (r.game, r.options, r.players, len(r.moves), r.ending) for name, r in read.items()} == {
        "hexaphages-1": ("hexaphages", {"first": "x"}, ("Jx", "Bo"), 18, resigned(0)),
        "quadraphages-1": ("quadraphages", {"first": "o"}, ("Jx", "Bo"), 23, resigned(0)),
        "quadraphages-2": ("quadraphages", {"first": "x"}, ("Jx", "Bo"), 25, resigned(1)),
    }
    assert read["quadraphages-1"].moves[:2] == ("1 c1b1 g9h9", "a7b7 i3i2 3 b7b4 i2f2")
    assert read["hexaphages-1"].moves[-1] == "l4p4 d4f6 3 p4m7 f6i3"
    assert read["quadraphages-2"].board[0] == "o x o o . . o . .   1."


@pytest.mark.parametrize(
    ("name", "ply", "player", "token", "why"),
    [
        ("quadraphages-2", 14, "Bo", "g7g5", "there is no stone on g7; O's stones are on b7 and g3"),
        ("quadraphages-1", 12, "Jx", "h1a1", "h1a1 jumps over O's stone on d1; the stone on h1 can't move 7 now"),
        ("hexaphages-1", 15, "Jx", "i2n8", "expected a cell of row 2: d2, f2, h2, j2, l2 or n2"),
    ],
)
def test_strict_replay_stops_at_the_first_slip(name: str, ply: int, player: str, token: str, why: str) -> None:
    record = loads(TEXTS[name])
    with pytest.raises(BadRecord) as bad:
        replay(record)

    assert (bad.value.ply, bad.value.text) == (ply, record.moves[ply - 1])
    assert str(bad.value) == f"turn {ply}, {player}, {token}: {why}"
    assert isinstance(bad.value.cause, IllegalMove | BadNotation)


@pytest.mark.parametrize(
    ("name", "slips"),
    [
        ("quadraphages-2", [(14, "Bo", "g7g5", "g3g5 is meant")]),
        (
            "quadraphages-1",
            [
                (12, "Jx", "h1a1", "h1a1 jumps over O's stone on d1"),
                (16, "Jx", "i1i7", "i1i7 jumps over O's stone on i6"),
                (16, "Jx", "----", "operation 3 is incomplete: the stone on b2 can still move 6, for example to h2"),
                (22, "Jx", "----", "operation 1 is incomplete: the stone on c5 can still move 3, for example to c8"),
                (23, "Bo", "----", "operation 1 is incomplete: the stone on a6 can still move 3, for example to a9"),
                (23, "Bo", "a8a6", "there is no stone on a8; O's stones are on a6 and e3; the stone on a6 stays"),
            ],
        ),
        (
            "hexaphages-1",
            [
                (15, "Jx", "i2n8", "h2n8 is meant"),
                (16, "Bo", "----", "operation 1 is incomplete: the stone on d4 can still move 6, for example to p4"),
                (18, "Bo", "l4p4", "there is no stone on l4"),
                (18, "Bo", "d4f6", "there is no stone on d4"),
            ],
        ),
    ],
)
def test_tolerant_replay_lists_every_slip(name: str, slips: list[tuple[int, str, str, str]]) -> None:
    positions, found = replay_tolerantly(loads(TEXTS[name]))

    assert [(slip.turn, slip.player, slip.token) for slip in found] == [slip[:3] for slip in slips]
    assert all(why in slip.why for slip, (*_, why) in zip(found, slips, strict=True))
    assert len(positions) == len(loads(TEXTS[name]).moves) + 1


@pytest.mark.parametrize(("name", "x", "o"), [("quadraphages-1", 28, 37), ("quadraphages-2", 35, 34)])
def test_tolerant_replay_leads_to_the_printed_board(name: str, x: int, o: int) -> None:
    record = loads(TEXTS[name])
    end = replay_tolerantly(record)[0][-1]

    assert board_difference(record, end) == ""
    assert marked(end) == (x, o)


def test_the_board_of_hexaphages_is_the_printed_one_but_for_one_stone() -> None:
    record = loads(TEXTS["hexaphages-1"])
    end = replay_tolerantly(record)[0][-1]

    assert board_difference(record, end) == (
        "the printed board differs: i3 is printed . and should be O; i9 is printed O and should be ."
    )


# Tables changed by mail programs and people -----------------------------------------------------------

SHEET = """
      _Bo_                           _Jan van Es_
1.  ....  ....  1  c1b1  g9h9        a7b7  i3i2  3  b7b4  i2f2
2.  b1e1  h9e9  3  e9b9  e1e4        ----  f2c2  4  b4b8  c2g2
3.  resign
"""
PLAYED = Record(
    "quadraphages",
    {"first": "o"},
    ("Jan van Es", "Bo"),
    ("1 c1b1 g9h9", "a7b7 i3i2 3 b7b4 i2f2", "b1e1 h9e9 3 e9b9 e1e4", "---- f2c2 4 b4b8 c2g2"),
    resigned(1),
)


@pytest.mark.parametrize(
    "text",
    [
        SHEET,
        SHEET.replace("\n", "\r\n"),
        SHEET.replace(" ", "\xa0").replace("Jan\xa0van\xa0Es", "Jan van Es"),
        SHEET.replace("  ", "\t"),
        "".join(f"> {line}\n" for line in SHEET.splitlines()),
        SHEET.replace("        a7b7", "\na7b7").replace("        ----", "\n----"),
        SHEET.replace("i3i2  3  b7b4", "i3i2\n3  b7b4\n").replace("h9e9  3", "h9e9\n3"),
        SHEET.replace("\n", "\n\n"),
        SHEET.replace("_                           _", "_\n_").replace("Jan van Es", "Jan"),
        SHEET.replace("resign", "Resigns."),
        SHEET.replace("....  ....  ", ""),
        "Quadraphages first=o\n" + SHEET,
        "A match of\n1 2 or 3 that were played long ago:\n" + SHEET + "\nIt was a good one.\n",
    ],
)
def test_a_table_is_read_through_what_mail_does_to_it(text: str) -> None:
    read = loads(text)
    expected = PLAYED if "Jan van" in read.players[0] else Record(**{**fields(PLAYED), "players": ("Jan", "Bo")})

    assert read == expected


def fields(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__slots__}


def test_a_board_may_stand_before_or_after_the_table() -> None:
    board = format_board(replay(PLAYED)[-1].diagram())
    spaced = board.replace(" ", "\xa0").replace("\n", " \xa0\n")
    for text in (f"{board}\n{SHEET}", f"{SHEET}\n{board}\n", f"{SHEET}\n{spaced}\n"):
        read = loads(text)

        assert "\n".join(read.board) == board
        assert read.moves == PLAYED.moves
        assert board_difference(read, replay(read)[-1]) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there are no turns, and no line that names the game"),
        (SHEET.replace("2.", "3."), "line 4: this is not the row that should follow: 3."),
        (SHEET.replace("  4  b4b8  c2g2", ""), "line 4: row 2 should have two turns of five words"),
        (SHEET.replace("c2g2", "c2g2 g2g3"), "line 4: row 2 is complete, and g2g3 is one word too many"),
        (SHEET.replace("resign", "e9e5 e4a4"), "line 5: row 3 ends within a turn: e9e5 e4a4"),
        ("Hexaphages first=o\n" + SHEET, None),
        ("Quadraphages first=y\n" + SHEET, "Quadraphages has no first=y; use first=x or first=o"),
        ("1. .... .... 1 q1q2 q3q4", "the first turn, 1 q1q2 q3q4, is not legal in any game"),
    ],
)
def test_what_is_no_record_is_refused_in_a_sentence(text: str, why: str | None) -> None:
    if why is None:
        with pytest.raises(BadRecord, match="turn 1, Bo, c1b1"):
            replay(loads(text))
        return
    with pytest.raises(BadRecord) as bad:
        loads(text)
    assert why in str(bad.value)
    assert bad.value.ply == 0


def test_a_slip_in_the_first_turn_does_not_hide_the_game() -> None:
    read = loads(SHEET.replace("c1b1", "d1b1"))

    assert (read.game, read.options, read.players) == (PLAYED.game, PLAYED.options, PLAYED.players)
    assert [slip.token for slip in replay_tolerantly(read)[1]] == ["d1b1"]


# Round trips ------------------------------------------------------------------------------------


def played(game: str, seed: int, *players: str) -> Record:
    """Return a random match played to its end."""
    chance = random.Random(seed)
    options = {"first": chance.choice("xo")}
    position = GAMES[game].game.position(options)
    moves = []
    while position.turn is not None:
        move = chance.choice(list(position.moves()))
        moves.append(GAMES[game].notation.format(move, position))
        position = position.play(move)
        assert len(moves) < 1000, "the game does not end"
    board = tuple(format_board(position.diagram()).splitlines()) if chance.random() < 0.5 else ()
    return Record(game, options, (players[0], players[1]), tuple(moves), None, board)


@pytest.mark.parametrize("name", TEXTS)
def test_a_record_of_the_sheet_is_read_as_it_is_written(name: str) -> None:
    record = loads(TEXTS[name])

    assert loads(dumps(record)) == record


@cache
def matches() -> list[Record]:
    """Some matches of each size of board."""
    return [played(game, seed, "Jx", "Bo") for game in ("quadraphages", "hexaphages") for seed in range(3)]


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=30)


@pytest.mark.parametrize(
    "name", ["", "_", " Bo ", "Jan  van Es", "a_" + 60 * " " + "_b", "\u00e9l\u00e8ve", "1. a7b7", "> Bo", "=?=", "\t"]
)
def test_any_name_is_read_as_it_is_written(name: str) -> None:
    for players in ((name, "Jx"), ("Jx", name), (name, name)):
        record = Record(**{**fields(PLAYED), "players": players})

        assert loads(dumps(record)) == record


@given(
    match=st.deferred(lambda: st.sampled_from(matches())),
    players=st.tuples(names, names),
    length=st.integers(0, 40),
    ending=st.sampled_from(ENDINGS),
    terse=st.booleans(),
)
def test_every_record_is_read_as_it_is_written(
    match: Record, players: tuple[str, str], length: int, ending: Ending | None, terse: bool
) -> None:
    moves = match.moves[:length]
    if terse:
        moves = tuple(text.replace("---- ", "").replace(" ----", "") for text in moves)
    record = Record(match.game, match.options, players, moves, ending, match.board)

    assert loads(dumps(record)) == record
    assert len(replay(Record(match.game, match.options, players, match.moves[:length]))) == len(moves) + 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"players": ("a\nb", "c")}, "a name is one line"),
        ({"moves": ("c1 to b1, g9 to h9",)}, "does not fit into the table"),
        ({"moves": ("1  c1b1",)}, "does not fit into the table"),
        ({"board": ("anything",)}, "does not fit into the form"),
    ],
)
def test_what_does_not_fit_into_the_table_is_not_written(change: dict[str, Any], why: str) -> None:
    with pytest.raises(BadRecord, match=why):
        dumps(Record(**{**fields(PLAYED), **change}))

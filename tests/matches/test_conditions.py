"""Conditional moves: what a tree of lines says, and that playing it is playing its turns by hand."""

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest
from sqlmodel import Session, select

from engines.core import Position, Seat
from engines.seats import other
from notation.games import GAMES
from pbem.errors import Refused
from pbem.matches import agreements, condition_parsing, integrity, lifecycle, prepared_and_forced_turns
from pbem.matches.condition_parsing import ELSE, MOST_LINES, ConditionLine, Conditions
from pbem.matches.events import Cause, MatchEnded, PreparedVoid, TurnPlayed, Void
from pbem.matches.queries import version
from pbem.matches.replayed_match import snapshot_of
from pbem.matches.stored_offers import OfferKind
from pbem.storage.models import Match, MatchState, Ply, Prepared
from tests.cases import quick_where
from tests.contests import NOW, people, read, started

QUADRATURE = GAMES["quadrature"].game.position({}), GAMES["quadrature"].notation


def tree(text: str, known: Conditions | None = None) -> Conditions:
    """Return what the text prepares for White, before Black's first turn in Quadrature."""
    base, notation = QUADRATURE
    return condition_parsing.read(notation, base, 1, text, known or prepared_and_forced_turns.NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "if e3f4 then e9f8",
        "IF E3-F4, THEN e9 f8.",
        "if e3f4 then e9f8 then if f3g4 then f9g8\nif e3f4 then e9f8",
        "if e3f4 then e9f8 then f3g4 then f9g8",
        "if e3f4 then e9f8\nelse b9b8",
        "if e3f4 then e9f8 else b9b8",
        "if e3f4 then e9f8 else if b3b4 then b9b8 else j9j8",
        "if e3f4 then e9f8 then else b9b8",
    ],
)
def test_what_can_be_written(text: str) -> None:
    lines = tree(text).lines

    assert lines[0][:2] == ("e3f4", "e9f8")
    assert len(lines) == 1 + text.count("else") - text.count("then else")
    assert tree("\n".join(written(line) for line in lines)) == Conditions(lines)


def written(line: ConditionLine) -> str:
    """Return the line as a player writes it."""
    text = "else " + line[1] if line[0] == ELSE else f"if {' then '.join(line)}"
    return text.replace(f"then {ELSE} then", "then else")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("if e3e9 then e9f8", "e9"),
        ("if e3f4 then e9e3", "Turn 2 of it: "),
        ("if e3f4 then e9f8\nif b3b4 then b9b1", "Line 2: Turn 2 of it: "),
        ("if e3f4", "ends with a turn of your opponent"),
        ("if e3f4 then", 'missing after "then"'),
        ("if then e9f8", "doesn't fit there"),
        ("if e3f4 then if e9f8", "would be your own turn"),
        ("if e3f4 if b3b4 then e9f8", '"if" doesn\'t fit there'),
        ("if e3f4 then else b9b8", "would be your own turn"),
        ("else b9b8 then if b3b4 then c9c8", 'follow a turn after "else"'),
        ("if e3f4 then e9f8\nif e3f4 then b9b8", "two answers to the same turn"),
        ("else e9f8\nelse b9b8", "two answers to any other turn"),
        ("if e3f4 then e9f8 then if f3g4 then f9g8 else b9b8", "which"),
        ("else something", "can't read this as a turn"),
        ("\n".join(f"if {column}3{column}4 then e9f8" for column in "bcdefghij"), "more than"),
        ("if " + "e3f4 " * 1_000, "too much to read"),
        ("b3b4 if e3f4 then e9f8", "starts with the turn of your opponent"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        tree(text)

    assert sentence in refused.value.sentence
    assert refused.value.fits or refused.value.read


def test_lines_are_added_to_those_that_are_known() -> None:
    known = tree("if e3f4 then e9f8")

    assert tree("else b9b8", known).lines == (("e3f4", "e9f8"), (ELSE, "b9b8"))
    assert tree("if e3f4 then e9f8 then if f3g4 then f9g8", known).lines == (("e3f4", "e9f8", "f3g4", "f9g8"),)
    with pytest.raises(Refused, match="two answers"):
        tree("if e3f4 then b9b8", known)
    many = tree("\n".join(f"if {column}3{column}4 then e9f8" for column in "bcdefghi"[:MOST_LINES]))
    with pytest.raises(Refused, match="more than you can prepare"):
        tree("else e9f8", many)


def test_a_part_of_a_turn_is_not_queued() -> None:
    notation, base = GAMES["quadraphages"].notation, GAMES["quadraphages"].game.position({})
    with pytest.raises(Refused, match="not a complete turn"):
        condition_parsing.read(
            notation, base, 1, condition_parsing.queued("c1b1 g9h9 3"), prepared_and_forced_turns.NOTHING
        )
    found = condition_parsing.read(
        notation, base, 1, condition_parsing.queued("C1-B1, g9 h9 3 b1b4 h9e9"), prepared_and_forced_turns.NOTHING
    )
    assert found.lines == ((ELSE, "c1b1 g9h9 3 b1b4 h9e9"),)


def some_turns(position: Position[Any], random: Random, most: int) -> list[Any]:
    """Return a few of the legal turns."""
    first = [*islice(position.moves(), 60)]
    return random.sample(first, min(most, len(first)))


def grow(game: str, position: Position[Any], seat: Seat, random: Random, depth: int) -> Iterator[ConditionLine]:
    """Yield the lines of a random tree: some turns of the opponent, each with one answer, and so on."""
    notation = GAMES[game].notation
    for move in some_turns(position, random, 2):
        after = position.play(move)
        if after.turn != seat:
            continue
        own = random.choice(some_turns(after, random, 5))
        line = (notation.format(move, position), notation.format(own, after))
        yield line
        there = after.play(own)
        if depth > 1 and there.turn == other(seat):
            yield from ((*line, *rest) for rest in grow(game, there, seat, random, depth - 1))


@pytest.mark.parametrize("seed", quick_where(lambda seed: seed == 0, range(8)))
@pytest.mark.parametrize("game", list(GAMES))
def test_it_answers_what_was_foreseen_and_nothing_else(game: str, seed: int) -> None:
    """Each path through a random tree, and random ways off it: the answer is the one of that very path."""
    random, notation = Random(f"{game}{seed}"), GAMES[game].notation
    base = GAMES[game].game.position({})
    for _ in range(random.randrange(12)):
        base = base.play(random.choice(some_turns(base, random, 9))) if base.turn is not None else base
    if base.turn is None:
        return
    seat = other(base.turn)
    lines = [*grow(game, base, seat, random, 3)][:MOST_LINES]
    foreseen = {line[:at]: line[at] for line in lines for at in range(1, len(line), 2)}
    text = "\n".join(f"if {' then '.join(line)}" for line in lines)
    known = condition_parsing.read(notation, base, seat, text, prepared_and_forced_turns.NOTHING)
    for _ in range(20):
        left, position, path = known, base, ()
        while position.turn == other(seat):
            named = [line[0] for line in left.lines]
            move = notation.parse(random.choice(named)) if named and random.random() < 0.8 else None
            move = move or random.choice(some_turns(position, random, 9))
            path += (notation.format(move, position),)
            position, left = position.play(move), left.after(path[-1])
            answer = left.next_turn(notation, position)
            assert (answer.text if answer else None) == foreseen.get(path)
            if answer is None:
                break
            path += (answer.text,)
            position, left = answer.position, left.after(answer.text)


@pytest.mark.parametrize("game", quick_where(("quadrature",).__contains__, GAMES))
def test_firing_is_playing_by_hand(session: Session, game: str) -> None:
    """A match in which both prepare, and one in which the same turns are played by hand, are the same in the end."""
    random = Random(game)
    match, by_hand = started(session, game), started(session, game)
    fired = 0
    for _ in range(16):
        snapshot = snapshot_of(session, match)
        if match.to_move is None:
            break
        base, seat = snapshot.base, other(snapshot.base.turn or 0)
        lines = [*grow(game, base, seat, random, 3)][:MOST_LINES]
        if lines:
            known = condition_parsing.read(
                GAMES[game].notation,
                base,
                seat,
                "\n".join(f"if {' then '.join(line)}" for line in lines),
                prepared_and_forced_turns.NOTHING,
            )
            prepared_and_forced_turns.keep(session, match, seat, known, None)
            text = random.choice(lines)[0]
        else:
            text = GAMES[game].notation.format(random.choice(some_turns(base, random, 9)), base)
        then = prepared_and_forced_turns.NOTHING
        further = [line[1:3] for line in lines if line[0] == text and len(line) > 2]
        if further and random.random() < 0.5:  # whoever moves prepares too: both sides' turns follow one another
            then = longer(game, base, text, further[0])
        events = lifecycle.play(session, snapshot, base.turn or 0, read(snapshot, text), NOW, then=then)
        fired += sum(isinstance(event, TurnPlayed) and event.by_itself is Cause.PREPARED for event in events)
        for event in events:
            if isinstance(event, TurnPlayed):
                there = snapshot_of(session, by_hand)
                lifecycle.play(session, there, event.seat, read(there, event.text), NOW)
        assert list(integrity.faults(session, [match])) == [[]]
    assert texts(session, match) == texts(session, by_hand)
    kept = ("plies", "to_move", "state", "winner", "reason", "part", "offers", "shift")
    assert [getattr(match, name) for name in kept] == [getattr(by_hand, name) for name in kept]
    assert fired > 2


def longer(game: str, base: Position[Any], first: str, known: ConditionLine) -> Conditions:
    """Return what the player of that first turn prepares for the answer to it."""
    notation = GAMES[game].notation
    position = base.play(notation.parse(first))
    return condition_parsing.read(
        notation, position, base.turn or 0, f"if {' then '.join(known)}", prepared_and_forced_turns.NOTHING
    )


def texts(session: Session, match: Match) -> list[tuple[int, str]]:
    rows = session.exec(select(Ply).where(Ply.match == match.id).order_by("number"))
    return [(row.seat, row.text) for row in rows]


def prepare(session: Session, match: Match, text: str) -> Seat:
    """Prepare for the player who isn't to move; return their seat."""
    snapshot = snapshot_of(session, match)
    seat = other(snapshot.base.turn or 0)
    known = prepared_and_forced_turns.of_seat(session, match, seat)
    prepared_and_forced_turns.keep(
        session, match, seat, condition_parsing.read(GAMES[match.game].notation, snapshot.base, seat, text, known), 7
    )
    return seat


def play(session: Session, match: Match, text: str, **further: Any) -> tuple[object, ...]:
    snapshot = snapshot_of(session, match)
    return lifecycle.play(session, snapshot, snapshot.base.turn or 0, read(snapshot, text), NOW, **further)


def rows(session: Session) -> list[Prepared]:
    return list(session.exec(select(Prepared).order_by("seat")))


def test_several_turns_of_both_sides_follow_one_another(session: Session) -> None:
    match = started(session, "quadrature")
    prepare(session, match, "if e3f4 then e9f8 then if f3g4 then f9g8 then if b3b4 then b9b8")
    base = QUADRATURE[0].play(GAMES["quadrature"].notation.parse("e3f4"))
    then = condition_parsing.read(
        QUADRATURE[1], base, 0, "if e9f8 then f3g4 then if f9g8 then c3c4", prepared_and_forced_turns.NOTHING
    )

    events = play(session, match, "e3f4", then=then)

    turns = [event for event in events if isinstance(event, TurnPlayed)]
    assert [turn.text for turn in turns] == ["e3f4", "e9f8", "f3g4", "f9g8", "c3c4"]
    assert [turn.by_itself for turn in turns] == [None, *[Cause.PREPARED] * 4]
    assert [event for event in events if isinstance(event, PreparedVoid)] == [PreparedVoid(match, 1, Void.OTHER_TURN)]
    assert (match.plies, match.to_move, rows(session)) == (5, 1, [])
    assert [row.incoming for row in session.exec(select(Ply).order_by("number"))] == [None, 7, None, 7, None]


def test_another_turn_makes_it_void(session: Session) -> None:
    match = started(session, "quadrature")
    seat = prepare(session, match, "if e3f4 then e9f8")

    assert play(session, match, "b3b4")[1:] == (PreparedVoid(match, seat, Void.OTHER_TURN),)
    assert (match.plies, rows(session)) == (1, [])


def test_a_queued_turn_is_played_where_it_is_legal(session: Session) -> None:
    match = started(session, "quadrature")
    prepare(session, match, condition_parsing.queued("e9f8"))
    assert [event.text for event in play(session, match, "b3b4") if isinstance(event, TurnPlayed)] == ["b3b4", "e9f8"]
    seat = prepare(session, match, condition_parsing.queued("e9f8"))
    assert play(session, match, "c3c4")[1:] == (PreparedVoid(match, seat, Void.ILLEGAL),)
    assert (match.plies, match.to_move, rows(session)) == (3, 1, [])


FORESEEN = "if e3f4 then e9f8"


def offer(session: Session, match: Match, kind: OfferKind, *, accepted: bool = False) -> None:
    """Let the first player offer something, and the other accept it."""
    agreements.propose(session, match, 0, kind, NOW)
    if accepted:
        agreements.accept(session, match, 1, None, NOW)


@pytest.mark.parametrize(
    ("kind", "accepted", "why"),
    [
        (OfferKind.DRAW, False, Void.OFFER),
        (OfferKind.PAUSE, False, Void.OFFER),
        (OfferKind.CANCEL, False, Void.OFFER),
        (OfferKind.PAUSE, True, Void.PAUSE),
    ],
)
def test_nothing_is_played_over_an_offer_of_the_opponent_or_after_a_turn_that_ends_a_pause(
    session: Session, kind: OfferKind, accepted: bool, why: Void
) -> None:
    match = started(session, "quadrature")
    seat = prepare(session, match, FORESEEN)
    offer(session, match, kind, accepted=accepted)

    assert play(session, match, "e3f4")[1:] == (PreparedVoid(match, seat, why),)
    assert (match.plies, rows(session)) == (1, [])


def test_nothing_is_played_over_an_offer_that_comes_with_the_turn(session: Session) -> None:
    match = started(session, "quadrature")
    seat = prepare(session, match, FORESEEN)

    assert play(session, match, "e3f4", offers_follow=True)[1:] == (PreparedVoid(match, seat, Void.OFFER),)


def test_an_offer_of_who_has_prepared_and_a_pause_that_was_ended_before_do_no_harm(session: Session) -> None:
    match = started(session, "quadrature")
    prepare(session, match, FORESEEN)
    agreements.propose(session, match, 1, OfferKind.DRAW, NOW)
    offer(session, match, OfferKind.PAUSE, accepted=True)
    agreements.resume(session, match, 1, NOW)

    play(session, match, "e3f4")

    assert (match.plies, match.offers) == (2, {})


def test_turns_that_are_taken_back_make_it_void(session: Session) -> None:
    """Also where the position is the same again, since that isn't the one for which it was prepared."""
    match = started(session, "quadrature")
    play(session, match, "e3f4")
    seat = prepare(session, match, "if e9f8 then f3g4")
    agreements.propose(session, match, 0, OfferKind.UNDO, NOW)
    events = agreements.accept(session, match, 1, None, NOW)
    assert events[1:] == (PreparedVoid(match, seat, Void.TAKEN_BACK),)
    play(session, match, "e3f4")
    play(session, match, "e9f8")
    assert (match.plies, rows(session)) == (2, [])


def test_what_is_left_of_another_version_is_never_played(session: Session) -> None:
    match = started(session, "quadrature")
    seat = prepare(session, match, "if e3f4 then e9f8")
    (row,) = rows(session)
    row.version += 1
    session.add(row)
    assert prepared_and_forced_turns.of_seat(session, match, seat) == prepared_and_forced_turns.NOTHING
    ((_,),) = integrity.faults(session, [match])
    play(session, match, "e3f4")
    assert (match.plies, rows(session)) == (1, [])


def test_the_end_of_a_match_ends_what_is_prepared(session: Session) -> None:
    match = started(session, "quadrature")
    prepare(session, match, "if e3f4 then e9f8")
    lifecycle.resign(session, match, 0, NOW)
    assert rows(session) == []

    match, (alice, _, _) = started(session, "quadrature"), people(session)
    prepare(session, match, "if e3f4 then e9f8")
    lifecycle.leave(session, match, alice, NOW)
    assert rows(session) == []


@pytest.mark.parametrize("game", quick_where(lambda game: game == "quadraphages", GAMES))
def test_forced_turns_are_played_at_once_for_who_wants_that(session: Session, game: str) -> None:
    """In random matches: a turn is played by itself if and only if it was the only one, up to the end of the match."""
    random = Random(3)
    alice, *_ = people(session)
    alice.settings, forced = {prepared_and_forced_turns.AUTOMOVE: "on"}, 0
    for _ in range(3 if game == "quadraphages" else 1):
        match = started(session, game)
        for _ in range(150 if game == "quadraphages" else 12):
            if match.state != MatchState.RUNNING:
                break
            snapshot = snapshot_of(session, match)
            seat = snapshot.base.turn or 0
            assert seat == 1 or len([*islice(snapshot.base.moves(), 2)]) > 1 or not match.plies
            move = random.choice(some_turns(snapshot.base, random, 60))
            text = GAMES[game].notation.format(move, snapshot.base)
            events = lifecycle.play(session, snapshot, seat, read(snapshot, text), NOW)
            turns = [event for event in events if isinstance(event, TurnPlayed)][1:]
            assert {(turn.seat, turn.by_itself) for turn in turns} <= {(0, Cause.FORCED)}
            forced += len(turns)
            after = snapshot_of(session, match)
            assert all(len([*after.positions[turn.number - 1].moves()]) == 1 for turn in turns)
            assert match.state == MatchState.RUNNING or isinstance(events[-1], MatchEnded)
        assert version(match) == match.plies
    assert forced or game != "quadraphages"

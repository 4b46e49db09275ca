"""The matches of a message, each replayed once for all that is drawn of it, and the files that belong to them.

A file is named by the match's number and its game, and holds no address of anybody.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import partial

from sqlmodel import Session

from engines.diagram import Diagram
from engines.seats import seat_of
from notation import gamerecord, record
from notation.ending import WITHOUT_RESULT
from notation.gamerecord import Moment, Result, Site
from pbem.matches.clock.timekeeping import TurnTime, turn_times
from pbem.matches.replayed_match import Snapshot, texts_then, to_show, why_over
from pbem.messages.mime import Attachment
from pbem.storage.facts_when_queued import MatchFacts
from pbem.storage.models import HOUSE

SCORES = {0: "1-0", 1: "0-1", None: "1/2-1/2"}


def records(
    snapshot: Snapshot, *, origin: str, generated: datetime, times: Callable[[], Sequence[TurnTime]] = tuple
) -> Iterator[Attachment]:
    """Yield the record as text, in the form of other programs, and once the match is over as JSON made at that time."""
    if snapshot.is_missing:
        return
    yield Attachment(_name(snapshot, "txt"), "text/plain", snapshot.written.encode())
    if (form := snapshot.pack.form) is not None:
        ending = snapshot.ending
        has_result = ending is not None and ending.termination not in WITHOUT_RESULT
        score = SCORES[snapshot.match.winner] if has_result else "*"
        text = form.write(snapshot.texts, snapshot.record.players, score)
        yield Attachment(_name(snapshot, form.ending), "text/plain", text.encode())
    if snapshot.ended_here:
        yield Attachment(_name(snapshot, "json"), "application/json", _json(snapshot, origin, generated, times()))


def _json(snapshot: Snapshot, origin: str, generated: datetime, times: Sequence[TurnTime]) -> bytes:
    match, (first, second) = snapshot.match, snapshot.players
    where = Site(
        origin,
        str(snapshot.number),
        (str(match.seat0), str(match.seat1)),
        _date(match.started or match.created),
        _date(match.ended or generated),
        _date(generated),
        event="" if match.tournament is None else f"tournament {match.tournament}",
        round="" if match.round is None else str(match.round),
        is_rated=match.counted is not None,
        programs=(first.address == HOUSE, second.address == HOUSE),
        moments=tuple(
            Moment(_date(turn.received), None if turn.used is None else int(turn.used.total_seconds()))
            for turn in times
        ),
    )
    winner = None if match.winner is None else seat_of(match.winner)
    why = why_over(match, snapshot.record.players)
    return gamerecord.dumps(snapshot.record, where, Result(winner, why)).encode()


def animations(snapshot: Snapshot, boards: Sequence[Diagram] = ()) -> Iterator[Attachment]:
    """Yield the animation of the boards, which may be known already, if a turn was played."""
    if not snapshot.texts:
        return
    from pbem.messages.boards.board_image import animation  # Pillow: see rules_page.illustrated

    captions = ["", *(f"{snapshot.game.number(ply)}. {text}" for ply, text in enumerate(snapshot.texts, start=1))]
    content = animation(boards or record.diagrams(snapshot.record, snapshot.positions), captions=captions)
    yield Attachment(_name(snapshot, "gif"), "image/gif", content)


def _name(snapshot: Snapshot, ending: str) -> str:
    return f"pbem-{snapshot.number}-{snapshot.match.game}.{ending}"


def _date(time: datetime) -> str:
    """Return the time as in RFC 3339, in UTC."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Drawings:
    """Matches after some turn, each replayed once for all messages that are rendered together."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.facts: dict[int, MatchFacts] = {}
        """What is known of each match, as it was when the last message was queued that shows it."""
        self._snapshots: dict[tuple[MatchFacts, int | None, str | None], Snapshot] = {}
        self._records: dict[tuple[int, tuple[str, ...], date], tuple[Attachment, ...]] = {}
        self._animations: dict[tuple[int, tuple[str, ...]], tuple[Attachment, ...]] = {}

    def of(self, facts: MatchFacts, ply: int | None = None, part: str | None = None) -> Snapshot:
        """Return the match after that many of the turns it had then (default: all), with that part on top."""
        key = (facts, ply, part)
        if key not in self._snapshots:
            if ply is None and part is None:
                turns = texts_then(self._session, facts.match)[: facts.match.plies]
                snapshot = to_show(facts.match, facts.players, turns)
            else:
                now = self.of(facts)
                then = now if ply is None else now.at(ply)
                snapshot = then if part is None or then.is_missing else then.with_part(part)
            self._snapshots[key] = snapshot
        return self._snapshots[key]

    def files(self, snapshot: Snapshot, origin: str, generated: datetime, *, pictures: bool) -> tuple[Attachment, ...]:
        """Return the match as files, as generated by that server on the day of that time."""
        turns = (snapshot.number, snapshot.texts)
        key = (*turns, generated.date())
        if key not in self._records:
            times = partial(turn_times, self._session, snapshot.match)
            self._records[key] = tuple(records(snapshot, origin=origin, generated=generated, times=times))
        if pictures and turns not in self._animations:  # to draw them takes longer than all else
            self._animations[turns] = tuple(animations(snapshot))
        return self._records[key] + (self._animations[turns] if pictures else ())

"""A match as files: its record as text, as JSON and as other programs read it, and its boards as an animation.

A file is named by the match's number and its game, and holds no address of anybody.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from engines.diagram import Diagram
from engines.seats import seat_of
from notation import gamerecord, record
from notation.ending import WITHOUT_RESULT
from notation.gamerecord import Moment, Result, Site
from pbem.matches.clock.timesheet import TurnTime
from pbem.matches.snapshot import Snapshot, why_over
from pbem.messages.mime import Attachment
from pbem.storage.models import HOUSE

SCORES = {0: "1-0", 1: "0-1", None: "1/2-1/2"}


def records(
    snapshot: Snapshot, *, origin: str, generated: datetime, times: Callable[[], Sequence[TurnTime]] = tuple
) -> Iterator[Attachment]:
    """Yield the record as text, in the form that other programs read, and, once the match is over, as JSON.

    `times` returns those of the turns, for the JSON. `generated` is the time that it says it was made at: that of the
    message, so that one which is rendered again is the same.
    """
    if snapshot.is_missing:
        return
    yield _text(snapshot)
    if (form := snapshot.pack.form) is not None:
        ending = snapshot.ending
        has_result = ending is not None and ending.termination not in WITHOUT_RESULT
        score = SCORES[snapshot.match.winner] if has_result else "*"
        written = form.write(snapshot.texts, snapshot.record.players, score)
        yield Attachment(_name(snapshot, form.ending), "text", "plain", written.encode())
    if snapshot.ended_here:
        yield _json(snapshot, origin, generated, times())


def _text(snapshot: Snapshot) -> Attachment:
    return Attachment(_name(snapshot, "txt"), "text", "plain", snapshot.written.encode())


def _json(snapshot: Snapshot, origin: str, generated: datetime, times: Sequence[TurnTime]) -> Attachment:
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
            Moment(_date(each.received), None if each.used is None else int(each.used.total_seconds()))
            for each in times
        ),
    )
    winner = None if match.winner is None else seat_of(match.winner)
    why = why_over(match, snapshot.record.players)
    text = gamerecord.dumps(snapshot.record, where, Result(winner, why))
    return Attachment(_name(snapshot, "json"), "application", "json", text.encode())


def animations(snapshot: Snapshot, boards: Sequence[Diagram] = ()) -> Iterator[Attachment]:
    """Yield the animation of the boards, from the first to the last, if a turn was played.

    The boards are those of the snapshot, if they are known already.
    """
    if not snapshot.texts:
        return
    from pbem.messages.boards.animation import animation  # Pillow: see templating.illustrated

    captions = ["", *(f"{snapshot.game.number(ply)}. {text}" for ply, text in enumerate(snapshot.texts, start=1))]
    content = animation(boards or record.diagrams(snapshot.record, snapshot.positions), captions=captions)
    yield Attachment(_name(snapshot, "gif"), "image", "gif", content)


def _name(snapshot: Snapshot, ending: str) -> str:
    return f"pbem-{snapshot.number}-{snapshot.match.game}.{ending}"


def _date(time: datetime) -> str:
    """Return the time as in RFC 3339, in UTC."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

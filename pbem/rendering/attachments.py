"""The attachments of a match: its record as text and as JSON, and its boards as an animation.

A file is named by the match's number and its game, and holds no address of anybody.
"""

from datetime import UTC, datetime

from engines.seats import seat_of
from notation import gamerecord, record
from notation.ending import in_words
from notation.gamerecord import Result, Site
from pbem.matches.snapshot import Snapshot
from pbem.rendering import board_image
from pbem.rendering.mime import Attachment


def of(standing: Snapshot, *, site: str, generated: datetime) -> tuple[Attachment, ...]:
    """The record of the match as text, the replay of its boards, and once it is over its game record as JSON.

    `site` is what this server is called, `generated` the time that the JSON says it was made at: that of the
    mail, so that a mail which is rendered again is the same.
    """
    files = [_text(standing)]
    if standing.ended_here:
        files.append(_json(standing, site, generated))
    if standing.texts:
        files.append(_animation(standing))
    return tuple(files)


def _text(standing: Snapshot) -> Attachment:
    """The record as the rule sheets print it."""
    text = record.written(standing.record)
    return Attachment(_name(standing, "txt"), "text", "plain", text.encode())


def _json(standing: Snapshot, site: str, generated: datetime) -> Attachment:
    """The record as other servers read it."""
    match = standing.match
    where = Site(
        site,
        str(standing.number),
        (str(match.seat0), str(match.seat1)),
        _date(match.started or match.created),
        _date(match.ended or generated),
        _date(generated),
    )
    winner = None if match.winner is None else seat_of(match.winner)
    ending = standing.ending
    why = match.reason or (in_words(ending, standing.record.players) if ending else "")
    text = gamerecord.dumps(standing.record, where, Result(winner, why))
    return Attachment(_name(standing, "json"), "application", "json", text.encode())


def _animation(standing: Snapshot) -> Attachment:
    """Return the boards from first to last."""
    captions = ["", *(f"{number}. {text}" for number, text in enumerate(standing.texts, start=1))]
    content = board_image.animation(record.diagrams(standing.record), captions=captions)
    return Attachment(_name(standing, "gif"), "image", "gif", content)


def _name(standing: Snapshot, ending: str) -> str:
    return f"pbem-{standing.number}-{standing.match.game}.{ending}"


def _date(time: datetime) -> str:
    """Return the time as in RFC 3339, in UTC."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

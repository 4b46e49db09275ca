"""What a search may answer: turns that are legal and complete. Anything else counts as a search that failed."""

from typing import Any

from engines.core import Position
from notation.core import Notation
from notation.record import replay
from pbem.errors import Refused
from pbem.features.house.protocol import Examination, Findings, Question
from pbem.features.house.searcher import SearchFailed
from pbem.matches import turns
from pbem.matches.turns import ReadTurn


def read_turn(notation: Notation[Any], position: Position[Any], text: str) -> ReadTurn:
    """Return the complete turn that was found on a position; raise SearchFailed if it isn't one."""
    try:
        turn = turns.read(notation, position, None, turns.parse(notation, text))
    except Refused as error:
        raise SearchFailed(f"{text[:40]!r} is no turn here") from error
    if not turn.complete:
        raise SearchFailed(f"{text[:40]!r} is no complete turn")
    return turn


def check_hint(question: Question, text: str) -> str:
    return read_turn(question.record.pack.notation, replay(question.record)[-1], text).text


def check_findings(asked: Examination, found: Findings) -> None:
    """Raise SearchFailed unless there is a finding for each position, with a turn wherever there is one to play."""
    positions = replay(asked.record)[asked.first : asked.last + 1]
    if len(found) != len(positions):
        raise SearchFailed(f"{len(found)} findings for {len(positions)} positions")
    for position, finding in zip(positions, found, strict=True):
        if (finding.turn is None) != (position.turn is None):
            raise SearchFailed("a turn where there is none to play, or none where there is one")
        if finding.turn is not None:
            read_turn(asked.record.pack.notation, position, finding.turn)

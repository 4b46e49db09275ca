"""The analysis of a match by the house: the message that has it, and the section that says that it will follow."""

from datetime import datetime
from typing import Any, ClassVar

from sqlmodel import Session, col, select

from engines.core import Position
from notation.core import Notation
from notation.record import replay
from pbem.errors import Refused
from pbem.features.house.player import seat_in
from pbem.features.house.searcher import Examination, Findings, Question, SearchFailed
from pbem.matches import agreements, offers, turns
from pbem.matches.events import Events
from pbem.matches.offers import OfferKind
from pbem.matches.turns import ReadTurn
from pbem.messages.analysis import Estimate
from pbem.storage.models import Match, MatchState, Search, SearchKind
from pbem.storage.payloads import Payload, Section


class MatchAnalysis(Payload, Section, template="analysis"):
    match: int
    ply: int
    since: int = 0
    """The number of turns before the first of the positions."""
    estimates: tuple[Estimate, ...] = ()
    """For the position before each turn, and the last one; empty where the house gave up."""
    is_long: ClassVar = True
    stands_alone: ClassVar = True


class AnalysisAsked(Section, template="analysing"):
    match: int
    ply: int


DRAW_AFTER = 20
"""The number of turns, of both players, before which the house accepts no draw."""
EVEN = 0.0


def answer_offers(session: Session, match: Match, now: datetime) -> Events:
    """Answer what the opponent of the house has offered; nothing in a match between two people.

    It agrees to everything but to a draw in a match that it thinks it is winning. The caller has locked the match.
    """
    seat = seat_in(session, match)
    events: Events = ()
    while seat is not None and match.state == MatchState.RUNNING:
        offer = next((offer for offer in offers.open_offers(match) if offer.seat != seat), None)
        if offer is None:
            break
        if offer.kind is OfferKind.DRAW and not _agrees_to_draw(session, match):
            events += agreements.reject(session, match, seat, offer.kind)
        else:
            events += agreements.accept(session, match, seat, offer.kind, now)
    return events


def _agrees_to_draw(session: Session, match: Match) -> bool:
    """Return whether the house, when it last looked for a turn, thought that it was no better than even."""
    if match.plies < DRAW_AFTER:
        return False
    of_turns = (Search.match == match.id, Search.kind == SearchKind.TURN, col(Search.done).is_not(None))
    values = select(Search.value).where(*of_turns).order_by(col(Search.version).desc())
    value = session.exec(values.limit(1)).first()
    return value is not None and value <= EVEN


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


def check_findings(examination: Examination, findings: Findings) -> None:
    """Raise SearchFailed unless there is a finding for each position, with a turn wherever there is one to play."""
    positions = replay(examination.record)[examination.first : examination.last + 1]
    if len(findings) != len(positions):
        raise SearchFailed(f"{len(findings)} findings for {len(positions)} positions")
    for position, finding in zip(positions, findings, strict=True):
        if (finding.turn is None) != (position.turn is None):
            raise SearchFailed("a turn where there is none to play, or none where there is one")
        if finding.turn is not None:
            read_turn(examination.record.pack.notation, position, finding.turn)

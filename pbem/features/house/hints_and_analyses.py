"""The commands hint and analyse: what the house would play, and what it thinks of a finished match."""

from datetime import datetime

from sqlmodel import Session, func, select

from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import MATCH, opt, words
from pbem.errors import Refused
from pbem.features.house import analyses
from pbem.features.house.analyses import AnalysisAsked
from pbem.features.match_and_players import own_match
from pbem.matches import lifecycle
from pbem.matches.queries import pack_of
from pbem.messages.contents.answer_sections import Hint
from pbem.players.message_budgets import DAY
from pbem.storage.models import Match, MatchState, Player, Search, SearchKind
from pbem.storage.utc import within

HINTS_PER_DAY, ANALYSES_PER_DAY = 10, 3
"""The number of hints that a player gets in a day, and of analyses that they can ask for."""


def hint(request: Request, line: Line) -> Decision:
    match, player, seat = own_match(request, line)
    if match.level is None:
        raise Refused("There are hints only in matches against the house.", read=line.text)
    lifecycle.check_turn(match, seat)
    pack_of(match)
    if hints_today(request.session, player, request.now) >= HINTS_PER_DAY:
        raise Refused(f"You've had {HINTS_PER_DAY} hints today, and that's the limit.", fits="There are more tomorrow.")
    return Decision(answer=(Hint(match=match.id or 0, ply=match.plies),))


HINT = Command("hint", words(opt(MATCH)), "ask what the house would play; only in a match against it", hint)


def analyse(request: Request, line: Line) -> Decision:
    match, player, _ = own_match(request, line)
    if match.state != MatchState.OVER:
        raise Refused(
            f"Match #{match.id} isn't over. The house only analyses matches that are over.",
            read=line.text,
            fits="" if match.level is None else f'"hint {match.id}" shows what the house would play now.',
        )
    if _is_from_running(request, match):
        raise Refused("The house doesn't help in a match that isn't over yet.", read=line.text)
    if not request.house.enabled:
        raise Refused("The house analyses no matches at the moment.", read=line.text)
    pack_of(match)
    if match.plies == 0:
        raise Refused(f"Nobody has played a turn in match #{match.id}.", read=line.text)
    if analyses.of(request.session, match, player) is None:
        awaited = analyses.awaited(request.session, player)
        if awaited is not None:
            raise Refused(
                f"The house is still analysing match #{awaited.match} for you.", fits="Ask again when you have that."
            )
        if analyses.asked_today(request.session, player, request.now) >= ANALYSES_PER_DAY:
            raise Refused(
                f"You've asked for {ANALYSES_PER_DAY} analyses today, and that's the limit.",
                fits="You can ask again tomorrow.",
            )
    analysis = analyses.ask(request.session, match, player, request.now)
    return Decision(answer=(analysis or AnalysisAsked(match=match.id or 0, ply=match.plies),))


def _is_from_running(request: Request, match: Match) -> bool:
    source = match
    while source.begun_from is not None:
        source = request.session.get_one(Match, source.begun_from)
        if source.state == MatchState.RUNNING and source.level is None:
            return True
    return False


ANALYSE = Command(
    "analyse",
    words(opt(MATCH)),
    "ask what the house thinks of a finished match; it goes through yours turn by turn",
    analyse,
    aliases=("analyze", "analysis"),
    keywords="analyses analyst evaluate evaluation blunder blunders better lesson",
)


def hints_today(session: Session, player: Player, now: datetime) -> int:
    """Return the number of hints that the player got within a day; the same one again doesn't count."""
    today = (Search.player == player.id, Search.kind == SearchKind.HINT, within(Search.asked, DAY, now))
    return session.exec(select(func.count()).select_from(Search).where(*today)).one()

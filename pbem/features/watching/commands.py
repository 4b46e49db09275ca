"""Watching what others play: watch, unwatch."""

from sqlmodel import col, select

from notation.games import GAMES
from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import Piece, opt, word, words
from pbem.errors import Refused
from pbem.features.playing import viewing
from pbem.features.watching import watches
from pbem.matches.queries import locked, people_of, seat_of
from pbem.matches.shown_names import name
from pbem.players import watching_rights
from pbem.players.watching_rights import Visibility
from pbem.storage.message_payload_base import Part, Section
from pbem.storage.models import Match, MatchState, Watch


class WatchedMatch(Part):
    number: int
    title: str
    player: str
    opponent: str
    hidden: bool = False  # whether its players don't let others see it now


class Watching(Section, template="watching"):
    begun: WatchedMatch | None = None
    late: bool = False  # whether a match that they watch now is shown to them a turn late
    known: bool = False  # whether they have watched it before
    ended: WatchedMatch | None = None
    all_ended: int | None = None  # how many matches were all that they have watched, and don't any more
    rows: tuple[WatchedMatch, ...] = ()
    lists: bool = False  # whether they asked for the list


def watch(request: Request, line: Line) -> Decision:
    player, session = request.player, request.session
    if not line.words:
        return Decision(answer=(Watching(rows=_rows(request), lists=True),))
    if player.stopped is not None:
        raise Refused("You've stopped our news, so you wouldn't see anything.", fits='"start" gets you news again.')
    match = _match(request, line)
    _check(request, line, match)
    if watches.find(session, player, match) is None:
        if watches.number(session, player) >= watches.MOST:
            raise Refused(f"You watch {watches.MOST} matches, and that's the limit.", fits='"watch" lists them.')
        if len(watches.spectators(session, match)) >= (most := watches.MOST_SPECTATORS):
            raise Refused(f"{most} players watch that, and there is no room for more.", read=line.text)
    is_new = watches.begin(session, player, match, request.now)
    seen = watching_rights.of_reader(session, match, player)
    answer = Watching(begun=_watched(request, match), known=not is_new, late=seen is Visibility.LATE)
    return Decision(answer=(answer, viewing.as_seen(request, match)))


def unwatch(request: Request, line: Line) -> Decision:
    player, session = request.player, request.session
    if not line.words:
        return Decision(answer=(Watching(all_ended=watches.end_all(session, player)),))
    match = _match(request, line)
    if not watches.end(session, player, match):
        raise Refused("You don't watch that.", read=line.text, fits='"watch" lists what you watch.')
    return Decision(answer=(Watching(ended=_watched(request, match), rows=_rows(request)),))


def _match(request: Request, line: Line) -> Match:
    if NUMBER not in line.given:
        fits = '"games NAME" lists those of a player, and "watch 42" shows you one.'
        raise Refused("Matches are watched one by one, by their numbers.", read=line.text, fits=fits)
    match = locked(request.session, line.given[NUMBER])
    if match is None:
        raise Refused(f"There is no match #{line.given[NUMBER]}.", read=line.text, fits='For example "watch 42".')
    return match


def _check(request: Request, line: Line, match: Match) -> None:
    if seat_of(match, request.player) is not None:
        raise Refused(f"You play in match #{match.id}, so you see all of it anyway.", read=line.text)
    if match.state == MatchState.OVER:
        raise Refused(f"Match #{match.id} is over.", read=line.text, fits=f'"show {match.id}" shows how it ended.')
    if match.state != MatchState.RUNNING:
        raise Refused(f"Match #{match.id} hasn't begun.", read=line.text)
    viewing.check_sight(request, match)


def _rows(request: Request) -> tuple[WatchedMatch, ...]:
    watched = select(Match).join(Watch, col(Watch.match) == col(Match.id)).where(Watch.player == request.player.id)
    rows = request.session.exec(watched.order_by(col(Watch.created), col(Watch.match)))
    return tuple(_watched(request, match) for match in rows)


def _watched(request: Request, match: Match) -> WatchedMatch:
    people = people_of(request.session, (match,))
    return WatchedMatch(
        number=match.id or 0,
        title=GAMES.title(match.game),
        player=name(people[match.seat0]),
        opponent=name(people[match.seat1]),
        hidden=watching_rights.of_reader(request.session, match, request.player) is Visibility.NOTHING,
    )


NUMBER = Piece("NUMBER", r"(?:(?:the )?match ?#?|#)?(\d{1,9})", int)
OTHER = word(
    "PLAYER",
    r"tournament \d{1,9}|(?!(?:out|it|this|that|me|him|her|them|us|your|my|the|and|for|how|what)$)[\w-]+",
    is_name=True,
)
WATCHED = words(opt(NUMBER, OTHER, usage="[NUMBER]"), is_strict=True)
WATCH = Command(
    "watch",
    WATCHED,
    "see a match of others, turn by turn; alone, it lists what you watch",
    watch,
    aliases=("spectate",),
    keywords="spectate follow kibitz",
)
UNWATCH = Command("unwatch", WATCHED, 'end what "watch" did; alone, it ends all', unwatch, answers_news=True)

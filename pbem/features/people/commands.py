"""Other players: who, whois, history; and what a player wants none of: block, unblock, refuse, allow, limit."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlmodel import select

from engines.search import is_weak_at
from notation.ending import WITHOUT_RESULT, Termination
from notation.games import GAMES
from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import GAME, PLAYER, opt, word, words
from pbem.errors import Refused
from pbem.features import paging
from pbem.features.accounts import settings
from pbem.features.house import house_account as house
from pbem.features.house.levels_and_new_matches import LEVELS
from pbem.features.paging import LAST_PAGE, PAGE
from pbem.features.seeks import seeks
from pbem.features.time import vacations
from pbem.matches import lifecycle, reliability, track_record
from pbem.matches.events import Event
from pbem.matches.queries import locked, of_player, opponent_of, people_of
from pbem.matches.ratings import standings
from pbem.matches.shown_names import is_hidden, name
from pbem.matches.track_record import Tally
from pbem.messages import general_preferences, times_shown
from pbem.messages.contents.answer_sections import ChallengeClosed, NotSent
from pbem.messages.contents.message_payloads import OpenSeek
from pbem.players import blocks, match_event_notices, player_directory, watching_rights
from pbem.players.willingness import LIMIT, REJECTS, rejected
from pbem.storage.message_payload_base import Listing, Part, Section
from pbem.storage.models import Match, MatchState, Player
from pbem.storage.preference_definition import NONE, OFF, ON


class ListedPlayer(Part):
    player: str
    seen: str


class PlayerList(Listing, template="who"):
    rows: tuple[ListedPlayer, ...]
    is_listed: bool  # whether the reader is


class Results(Part):
    title: str
    won: int
    lost: int
    drawn: int
    rating: str | None = None  # rounded, with a question mark while it is provisional


class PlayerProfile(Section, template="whois"):
    player: str
    own: bool
    since: str
    running: int
    ended: int = 0
    lost_on_time: int = 0  # how many of their last matches have ended, and were lost on time or left
    results: tuple[Results, ...]
    pace: str = ""  # how long they usually take for a turn; empty if nobody knows
    seeks: tuple[OpenSeek, ...] = ()
    away: str = ""  # until what day they are on vacation, if they are
    blocked: bool = False  # whether the reader has blocked them


class HouseProfile(Section, template="whois_house"):
    player: str
    levels: int
    total: Results
    weak: bool = False  # whether there are games of which it knows only the rules


class FinishedMatch(Part):
    number: int
    title: str
    opponent: str
    result: str
    day: str


class History(Section, template="history"):
    player: str
    opponent: str = ""  # empty if it is about all opponents
    own: bool
    total: Results
    rows: tuple[FinishedMatch, ...]
    page: int
    more: bool = False  # whether there is another page. How to ask for it holds names, so it isn't stored.


class Blocked(Section, template="blocked"):
    player: str
    blocked: bool
    numbers: tuple[int, ...] = ()  # the matches between the two that go on


def player_called(request: Request, line: Line, called: str, *, lock: bool = False) -> Player:
    query = select(Player).where(Player.name == called.lower())
    player = request.session.exec(query.with_for_update() if lock else query).first()
    if player is None and called.lower() == house.current_name(request.session):
        raise Refused("Nobody has played against the house yet.", fits='"play GAME" begins a match with it.')
    if player is None or player.deleted is not None or player.confirmed is None:
        fits = '"who" lists players open to challenges.'
        raise Refused(f"No player is called {called[:40]}.", read=line.text, fits=fits)
    return player


def who(request: Request, line: Line) -> Decision:
    is_listed, page = player_directory.LISTED.of(request.player.settings) == ON, line.given.get(PAGE, 1)
    players, more = player_directory.listed(request.session, request.now, paging.SIZE, page)
    rows = tuple(ListedPlayer(player=called, seen=_seen(seen, request.now)) for called, seen in players)
    following = paging.following("who", line.given, more=more)
    return Decision(answer=(PlayerList(rows=rows, page=page, next_page=following, is_listed=is_listed),))


def _seen(seen: datetime, now: datetime) -> str:
    """Return when somebody wrote, no more exactly than others need to know."""
    if now - seen < 2 * player_directory.TO_THE:
        return "wrote today or yesterday"
    return "wrote within a week" if now - seen < timedelta(days=7) else "wrote within a month"


def whois(request: Request, line: Line) -> Decision:
    reader, session, now = request.player, request.session, request.now
    player = player_called(request, line, line.given[PLAYER])
    if house.is_house(player):  # nothing is counted over its matches, which are as many as everybody's
        total, weak = track_record.between(session, reader, player), any(map(is_weak_at, GAMES.games()))
        of_house = HouseProfile(player=name(player), levels=len(LEVELS), total=_results("", total), weak=weak)
        return Decision(answer=(of_house,))
    known = reliability.of(session, player)
    ratings = {place.game: place.shown for place in standings.of_player(session, player, now)}
    is_apart = blocks.is_between(session, reader, player) or player.stopped is not None
    vacation = vacations.current(session, player, now)
    is_away = vacation is not None and vacation.begins <= now and watching_rights.of_absence(session, player, reader)
    theirs = [] if is_apart else seeks.of_player(session, player, now)
    profile = PlayerProfile(
        player=name(player),
        own=request.is_from(player),
        since=_day(request, player.confirmed or player.created),
        running=known.running,
        ended=known.ended,
        lost_on_time=known.lost,
        results=tuple(
            _results(GAMES.title(game), tally, ratings.get(game))
            for game, tally in track_record.results(session, player).items()
        ),
        pace=track_record.pace(session, player),
        seeks=seeks.rows(((seek, player) for seek in theirs), reader),
        away=_day(request, vacation.ends) if vacation is not None and is_away else "",
        blocked=blocks.is_blocked(session, reader, player),
    )
    return Decision(answer=(profile,))


def _results(title: str, tally: Tally, rating: str | None = None) -> Results:
    return Results(title=title, won=tally.won, lost=tally.lost, drawn=tally.drawn, rating=rating)


def past(request: Request, line: Line) -> Decision:
    reader, session = request.player, request.session
    page = line.given.get(PAGE, 1)
    people = [player_called(request, line, named) for named in line.given.all(PLAYER)]
    if len(people) == 1 and house.is_house(people[0]):
        people = [reader, *people]  # those of the sender: it plays with everybody
    player, opponent = (people[0] if people else reader), (people[1] if len(people) > 1 else None)
    if opponent is not None and opponent.id == player.id:
        raise Refused("These are the same player.", read=line.text, fits='"history NAME" lists their matches.')
    matches, more = track_record.finished(session, player, paging.SIZE, page, opponent)
    if opponent is None:
        called, total = "", sum(track_record.results(session, player).values(), Tally())
    else:
        called, total = name(opponent), track_record.between(session, player, opponent)
    opponents = people_of(session, matches)
    answer = History(
        player=name(player),
        opponent=called,
        own=request.is_from(player),
        total=_results("", total),
        rows=tuple(_finished(request, match, player, opponents[opponent_of(match, player)]) for match in matches),
        page=page,
        more=more and page < LAST_PAGE,
    )
    return Decision(answer=(answer,))


def _finished(request: Request, match: Match, player: Player, opponent: Player) -> FinishedMatch:
    if match.termination in WITHOUT_RESULT:
        result = str(match.termination)
    else:
        is_winner = match.winner is not None and (match.seat0, match.seat1)[match.winner] == player.id
        result = "drawn" if match.winner is None else "won" if is_winner else "lost"
        result += "" if match.termination == Termination.RULES else f", {match.termination}"
    result += ", imported" if match.imported is not None else ""
    return FinishedMatch(
        number=match.id or 0,
        title=GAMES.title(match.game),
        opponent=name(opponent),
        result=result,
        day=_day(request, match.ended or match.created),
    )


def _day(request: Request, time: datetime) -> str:
    return times_shown.day(general_preferences.with_defaults(request.player.settings), time, request.now)


WHO = Command(
    "who",
    words(opt(PAGE), is_strict=True),
    'list players open to challenges; "set listed on" adds you',
    who,
    aliases=("players",),
    keywords="directory listed online active",
    changes=False,
)
WHOIS = Command(
    "whois",
    words(PLAYER, is_strict=True),
    "tell about a player: results, running matches, pace, vacation",
    whois,
    keywords="profile statistics stats pace",
    changes=False,
)
HISTORY = Command(
    "history",
    words(opt(PLAYER, usage="[PLAYER [PLAYER]]", most=2), opt(PAGE), is_strict=True),
    "list finished matches: yours, another player's, or those of two players with each other",
    past,
    keywords="past finished head-to-head",
    changes=False,
)


def block(request: Request, line: Line) -> Decision:
    """Let no challenges, offers and seeks pass between the sender and another player, who isn't told."""
    player, session = request.player, request.session
    other = player_called(request, line, line.given[PLAYER])
    if other.id == player.id:
        raise Refused("You can't block yourself.", read=line.text, fits='"stop" ends our news to you.')
    if house.is_house(other):
        raise Refused("The house challenges nobody, and writes no notes.", read=line.text)
    if blocks.number(session, player) >= blocks.MOST:
        raise Refused(f"You have blocked {blocks.MOST} players, and that's the limit.", fits='"unblock NAME" ends one.')
    if not blocks.block(session, player, other, request.now):
        raise Refused("You have blocked this player already.", read=line.text, fits='"unblock NAME" ends that.')
    events = tuple(_with_offers_closed(request, player, other))
    running = of_player(session, player, (MatchState.RUNNING,))
    between = tuple(match.id or 0 for match in running if opponent_of(match, player) == other.id)
    notices = match_event_notices.notices(
        session, events, player
    )  # without words: those below "block" are about the other
    own = (notice.payload for notice in notices if request.is_from(notice.player))
    closed = (payload for payload in own if isinstance(payload, ChallengeClosed))
    return Decision(
        answer=(Blocked(player=name(other), blocked=True, numbers=between), *closed),
        messages=tuple(notice for notice in notices if not request.is_from(notice.player)),
        below=(NotSent(lines=request.prose),) if request.prose else (),
        takes_prose=True,
    )


def _with_offers_closed(request: Request, player: Player, other: Player) -> Iterator[Event]:
    """Turn down what the other has offered, and take back what was offered to them by name."""
    for offered in of_player(request.session, player, (MatchState.OFFERED,)):
        if opponent_of(offered, player) != other.id or is_hidden(offered, other):
            continue
        match = locked(request.session, offered.id or 0)
        if match is None or match.state != MatchState.OFFERED:
            continue
        act = lifecycle.withdraw if match.challenger == player.id else lifecycle.decline
        yield from act(request.session, match, player, request.now)


def unblock(request: Request, line: Line) -> Decision:
    other = player_called(request, line, line.given[PLAYER])
    if not blocks.unblock(request.session, request.player, other):
        raise Refused("You haven't blocked this player.", read=line.text)
    return Decision(answer=(Blocked(player=name(other), blocked=False),))


def refuse(request: Request, line: Line) -> Decision:
    return _rejecting(request, line, {*rejected(request.player.settings), line.given[GAME]})


def allow(request: Request, line: Line) -> Decision:
    return _rejecting(request, line, {*rejected(request.player.settings)} - {line.given[GAME]})


def _rejecting(request: Request, line: Line, games: set[str]) -> Decision:
    return settings.chosen(request, line, {REJECTS.name: ",".join(sorted(games)) or NONE})


def limit(request: Request, line: Line) -> Decision:
    return settings.chosen(request, line, {LIMIT.name: line.given.get(MATCHES, NONE).replace(OFF, NONE)})


MATCHES = word("MATCHES", r"\d{1,9}|none|off")
BLOCK = Command(
    "block",
    words(PLAYER, is_strict=True),
    "exchange no more challenges and seeks with a player; they aren't told, and your running matches go on",
    block,
    keywords="ban hide harass harassment spam",
)
UNBLOCK = Command("unblock", words(PLAYER, is_strict=True), 'end what "block" did', unblock)
REFUSE = Command(
    "refuse",
    words(GAME, is_strict=True),
    'let nobody challenge you to a game; "reject GAME" does the same',
    refuse,
)
ALLOW = Command(
    "allow",
    words(GAME, is_strict=True),
    'let others challenge you to a game again; "accept GAME" does the same',
    allow,
)
LIMIT_COMMAND = Command(
    "limit",
    words(opt(MATCHES), is_strict=True),
    'stop challenges while you play that many matches; "limit none" lifts it',
    limit,
    keywords="busy enough",
)

"""Tournaments: tournaments, tournament, enter, climb, retire, host."""

from notation.games import GAMES
from pbem.conversation.command import Command, Decision, Line, Request, Role
from pbem.conversation.syntax.arguments import PLAYER, Piece, opt, words
from pbem.errors import Refused
from pbem.features import paging
from pbem.features.match_and_players import check_room_for_match
from pbem.features.paging import PAGE
from pbem.features.people.commands import player_called
from pbem.features.tournaments import entries, host_syntax, ladders, openings, rounds, tournament_views
from pbem.features.tournaments.ladders import AGAIN, REST
from pbem.features.tournaments.matchups import Format
from pbem.features.tournaments.openings import TournamentState
from pbem.features.tournaments.standings import crosstable
from pbem.features.tournaments.tournament_views import (
    Meeting,
    TournamentEntered,
    TournamentLast,
    TournamentList,
    TournamentOpened,
    TournamentShown,
    TournamentWithdrawn,
)
from pbem.matches import reliability
from pbem.storage.database import lock
from pbem.storage.models import Tournament

LISTS = '"tournaments" lists them.'


def list_tournaments(request: Request, line: Line) -> Decision:
    page = line.given.get(PAGE, 1)
    session, reader = request.session, request.sender.player
    tournaments, more = openings.listed(session, paging.SIZE, page)
    numbers = openings.numbers_of(session, tournaments)
    rows = (
        tournament_views.line(
            tournament,
            numbers[tournament.id or 0],
            request.now,
            entered=reader is not None and entries.entry_of(session, tournament, reader) is not None,
        )
        for tournament in tournaments
    )
    following = paging.following("tournaments", line.given, more=more)
    return Decision(answer=(TournamentList(rows=tuple(rows), page=page, next_page=following),))


def show(request: Request, line: Line) -> Decision:
    session, reader = request.session, request.sender.player
    tournament = _called(line, session.get(Tournament, line.given[TOURNAMENT_NUMBER]))
    if tournament.kind == Format.LADDER:
        return Decision(answer=(_ladder(request, tournament, max(line.given.get(PAGE, 0), 1)),))
    people = entries.players_of(session, tournament)
    names = tournament_views.names_of(player for _, player in people)
    is_in = reader is not None and reader.id in names
    if tournament.started is None:
        head = tournament_views.line(tournament, len(people), request.now, entered=is_in)
        known = reliability.of_players(session, names)
        entrants = tuple(
            Meeting(player=name, ended=known[number].ended, lost_on_time=known[number].lost)
            for number, name in names.items()
        )
        return Decision(answer=(TournamentShown(line=head, players=entrants),))
    field, own = rounds.field_of(session, tournament), reader.id if reader is not None else None
    head = tournament_views.line(tournament, len(people), request.now, round_=field.last_round, entered=is_in)
    table = tournament_views.shown(crosstable(field), names, own)
    return Decision(
        answer=(TournamentShown(line=head, table=table, last_round=tournament_views.last_round(field, names)),)
    )


def _ladder(request: Request, tournament: Tournament, page: int) -> TournamentShown:
    reader = request.sender.player
    own = reader.id if reader is not None else None
    number, rows, more = tournament_views.rungs_for(request.session, tournament, own, request.now, paging.SIZE, page)
    entrants = openings.number_of(request.session, tournament)
    return TournamentShown(
        line=tournament_views.line(tournament, entrants, request.now, entered=number > 0),
        rungs=rows,
        own_rung=number,
        page=page,
        next_page=paging.page_after(f"tournament {tournament.id}", page, more=more),
    )


def enter(request: Request, line: Line) -> Decision:
    session, player, now = request.session, request.player, request.now
    tournament = _called(line, lock(session, Tournament, line.given[TOURNAMENT_NUMBER]))
    GAMES.of_version(tournament.game)  # nobody enters one of a game that isn't there
    if tournament.kind == Format.LADDER:
        return _enter_ladder(request, tournament)
    if entries.entry_of(session, tournament, player) is not None:
        raise Refused(f"You're in tournament {tournament.id} already.", fits=f'"tournament {tournament.id}" shows it.')
    if openings.state_of(tournament) is not TournamentState.OPEN or tournament.closes <= now:
        raise Refused(f"Nobody can enter tournament {tournament.id} any more.", fits=LISTS)
    _check_number(request)
    entries.enter(session, tournament, player, now)
    head = tournament_views.line(tournament, openings.number_of(session, tournament), now, entered=True)
    return Decision(answer=(TournamentEntered(line=head),))


def _check_number(request: Request) -> None:
    if entries.going_on(request.session, request.player) >= entries.MOST_ENTERED:
        raise Refused(f"You're in {entries.MOST_ENTERED} tournaments, and that's the limit.", fits="Finish one first.")
    check_room_for_match(request, request.player)


def _enter_ladder(request: Request, tournament: Tournament) -> Decision:
    session, player, now, number = request.session, request.player, request.now, tournament.id
    entry = entries.entry_of(session, tournament, player)
    if entry is not None and (entry.withdrawn is None or entry.rung is not None):
        raise Refused(f"You're on ladder {number} already.", fits=f'"tournament {number}" shows it.')
    if tournament.ended is not None:
        raise Refused(f"Ladder {number} is over.", fits=LISTS)
    if entry is not None and entry.withdrawn is not None and now < entry.withdrawn + REST:
        raise Refused(f"You've only just left ladder {number}.", fits="Enter again tomorrow.")
    playing = entries.running(session, tournament, player)
    if playing:
        raise Refused(
            f"You're still playing match #{playing[0]} from when you were on ladder {number}.",
            fits="Enter again when it is over.",
        )
    entrants = openings.number_of(session, tournament)
    if entrants >= tournament.places:
        raise Refused(f"Ladder {number} has no free place.", fits="Try again later; places become free.")
    _check_number(request)
    rung = ladders.enter(session, tournament, player, now)
    head = tournament_views.line(tournament, entrants + 1, now, entered=True)
    return Decision(answer=(TournamentEntered(line=head, rung=rung),))


def climb(request: Request, line: Line) -> Decision:
    session, player, now = request.session, request.player, request.now
    number = line.given[LADDER_NUMBER]
    tournament = lock(session, Tournament, number)
    if tournament is None or tournament.kind != Format.LADDER:
        raise Refused(f"There is no ladder {number}.", read=line.text, fits=LISTS)
    if tournament.ended is not None:
        raise Refused(f"Ladder {number} is over.", fits=f'"tournament {number}" shows how it stood.')
    other = player_called(request, line, line.given[PLAYER], lock=True)
    ladder = ladders.ladder_of(session, tournament, now)
    shows = f'"tournament {number}" shows whom you can challenge.'
    if not ladder.rung_of(player.id or 0):
        raise Refused(f"You aren't on ladder {number}.", read=line.text, fits=f'"enter {number}" does that.')
    if not ladder.rung_of(other.id or 0):
        raise Refused(f"Nobody called {other.name} is on ladder {number}.", read=line.text, fits=shows)
    obstacle = ladder.obstacle(player.id or 0, other.id or 0, now)
    if obstacle is not None:
        own, rung = ladder.rung_of(player.id or 0), ladder.rung_of(other.id or 0)
        why = obstacle.format(
            name=other.name, own=own, rung=rung, reach=ladder.reach, days=AGAIN.days, most=ladder.at_once
        )
        raise Refused(why, read=line.text, fits=shows)
    check_room_for_match(request, player)
    return Decision(events=(ladders.challenge(session, tournament, ladder, player, other, now),))


def retire(request: Request, line: Line) -> Decision:
    session, player, now = request.session, request.player, request.now
    tournament = _called(line, lock(session, Tournament, line.given[TOURNAMENT_NUMBER]))
    entry = entries.entry_of(session, tournament, player)
    if entry is None or entry.withdrawn is not None:
        raise Refused(f"You aren't in tournament {tournament.id}.", fits=LISTS)
    if tournament.ended is not None:
        raise Refused(f"Tournament {tournament.id} is over.", fits=f'"tournament {tournament.id}" shows how it ended.')
    is_ladder, begun = tournament.kind == Format.LADDER, False
    if is_ladder:
        ladders.leave(session, tournament, player, now)
    else:
        begun = entries.withdraw(session, tournament, player, now)
    withdrawn = TournamentWithdrawn(
        number=tournament.id or 0,
        title=tournament.title,
        running=entries.running(session, tournament, player),
        begun=begun,
        is_ladder=is_ladder,
    )
    return Decision(answer=(withdrawn,))


def host(request: Request, line: Line) -> Decision:
    session, player = request.session, request.player
    is_operator = request.server.admin is not None and player.address == request.server.admin
    if host_syntax.STOP in line.given:
        return _stop(request, line, line.given[host_syntax.STOP], is_operator=is_operator)
    if player.trusted is None and not is_operator:
        raise Refused(
            "Tournaments are opened by the operator of this server, and by players whom they trust with that.",
            fits='"tournaments" lists those that you can enter.',
        )
    hosted = openings.hosted_by(session, player)
    if hosted >= openings.MOST_HOSTED:
        raise Refused(f"You have opened {hosted} tournaments that aren't over, and that's the limit.")
    tournament = openings.open_(session, host_syntax.read(line.words, request.server.time, request.now), player)
    return Decision(answer=(TournamentOpened(line=tournament_views.line(tournament, 0, request.now)),))


def _stop(request: Request, line: Line, number: int, *, is_operator: bool) -> Decision:
    session, player = request.session, request.player
    tournament = session.get(Tournament, number)
    if tournament is None:
        raise Refused(f"There is no tournament {number}.", read=line.text, fits=LISTS)
    if tournament.host != player.id and not is_operator:
        raise Refused(f"Tournament {number} isn't yours.", read=line.text, fits=LISTS)
    if not openings.stop(session, tournament):
        raise Refused(f"No other season of tournament {number} will open.", read=line.text, fits=LISTS)
    return Decision(answer=(TournamentLast(number=number, title=tournament.title),))


def _called(line: Line, tournament: Tournament | None) -> Tournament:
    if tournament is None:
        raise Refused(f"There is no tournament {line.given[TOURNAMENT_NUMBER]}.", read=line.text, fits=LISTS)
    return tournament


TOURNAMENT_NUMBER = Piece("TOURNAMENT", r"(?:from )?(?:(?:the )?CONTEST ?)?#?(\d{1,9})", int)
LADDER_NUMBER = Piece("LADDER", r"\d{1,9}", int)
TOURNAMENTS = Command(
    "tournaments",
    words(opt(PAGE), is_strict=True),
    'list the tournaments; "help tournaments" explains how they go',
    list_tournaments,
    changes=False,
)
TOURNAMENT = Command(
    "tournament",
    words(TOURNAMENT_NUMBER, opt(PAGE), is_strict=True),
    "show a tournament; its number is that in the list",
    show,
    aliases=("ladder",),
    changes=False,
)
ENTER = Command(
    "enter",
    words(TOURNAMENT_NUMBER, is_strict=True),
    "enter a tournament or a ladder; the matches of a tournament begin by themselves",
    enter,
    role=Role.RESUMES,
)
CLIMB = Command(
    "climb",
    words(LADDER_NUMBER, PLAYER, is_strict=True),
    'challenge someone above you on a ladder; "challenge NAME on ladder 3" does the same',
    climb,
    role=Role.RESUMES,
)
RETIRE = Command(
    "retire",
    words(TOURNAMENT_NUMBER, is_strict=True),
    'withdraw from a tournament; "withdraw from tournament 3" does the same',
    retire,
)
HOST = Command(
    "host",
    host_syntax.GRAMMAR,
    "open a tournament; the operator of this server must trust you with that. every=month opens another each"
    ' month, until you write "host stop TOURNAMENT"',
    host,
)

"""Watching what others play: watch, unwatch."""

import re
from collections.abc import Iterator
from functools import partial

from sqlmodel import col, or_, select

from notation.games import GAMES
from pbem.conversation.core import NAMED_CONTEST, AtOnce, Command, Decision, Group, Line, Request
from pbem.errors import Refused
from pbem.features.house import player as house
from pbem.features.people import commands
from pbem.features.playing import viewing
from pbem.features.tournaments import entries
from pbem.features.tournaments.entries import TournamentState
from pbem.features.watching import watches
from pbem.features.watching.messages import WatchedThing, Watching
from pbem.matches.queries import locked, name, people_of, seat_of
from pbem.players import blocks, directory
from pbem.players.directory import IN_TOURNAMENTS, WATCHERS, Sight
from pbem.storage.models import Match, MatchState, Player, Tournament, Watch
from pbem.storage.payloads import Section

MOST_SHOWN = 20
"""How many running matches of a player or a tournament the answer names."""
HOW = 'Write "watch 42", "watch NAME" or "watch tournament 3".'


def watch(request: Request, line: Line) -> Decision:
    player, session = request.player, request.session
    watches.tidy(session, player, request.now)
    if not line.words:
        return Decision(answer=(Watching(rows=_rows(request, player), lists=True),))
    if player.stopped is not None:
        raise Refused("You've stopped our news, so you wouldn't see anything.", fits='"start" gets you news again.')
    subject = _subject(request, line)
    match subject:
        case Match():
            _check_match(request, line, subject)
        case Player():
            _check_player(request, line, subject)
        case Tournament():
            _check_tournament(line, subject)
    known = watches.find(session, player, subject)
    if known is None and watches.number(session, player) >= watches.MOST:
        raise Refused(f"You watch {watches.MOST} things, and that's the limit.", fits='"watch" lists them.')
    if known is None and watches.number_of_spectators(session, subject) >= watches.MOST_SPECTATORS:
        raise Refused(f"{watches.MOST_SPECTATORS} players watch that, and there is no room for more.", read=line.text)
    is_new = watches.begin(session, player, subject, request.now)
    if isinstance(subject, Match):
        seen = directory.of_reader(session, subject, player)
        told = Watching(begun=_thing(request, subject), known=not is_new, late=seen is Sight.LATE)
        return Decision(answer=(told, viewing.as_seen(request, subject)))
    narrow = isinstance(subject, Player) and WATCHERS.of(subject.settings) == IN_TOURNAMENTS
    seen_now = tuple(_seen(request, player, subject))
    return Decision(
        answer=(Watching(begun=_thing(request, subject), known=not is_new, matches=seen_now, narrow=narrow),)
    )


def unwatch(request: Request, line: Line) -> Decision:
    player, session = request.player, request.session
    if not line.words:
        return Decision(answer=(Watching(all_ended=watches.end_all(session, player)),))
    subject = _subject(request, line)
    if not watches.end(session, player, subject, request.now):
        raise Refused("You don't watch that.", read=line.text, fits='"watch" lists what you watch.')
    told: tuple[Section, ...] = (Watching(ended=_thing(request, subject), rows=_rows(request, player)),)
    return Decision(answer=told)


def _subject(request: Request, line: Line) -> watches.Subject:
    kind, _, rest = line.words.lower().partition(" ")
    if kind == "tournament" and rest:
        number = int(rest) if rest.isascii() and rest.isdecimal() else 0
        tournament = entries.locked(request.session, number)
        if tournament is None:
            raise Refused(f"There is no tournament {rest[:9]}.", read=line.text, fits='"tournaments" lists them.')
        return tournament
    if rest:
        raise Refused("We can't tell what that names.", read=line.text, fits=HOW)
    if kind.isascii() and kind.isdecimal():
        match = locked(request.session, int(kind[:9]))
        if match is None:
            raise Refused(f"There is no match #{kind[:9]}.", read=line.text, fits=HOW)
        return match
    return commands.player_called(request, line, kind)


def _check_match(request: Request, line: Line, match: Match) -> None:
    if seat_of(match, request.player) is not None:
        raise Refused(f"You play in match #{match.id}, so you see all of it anyway.", read=line.text)
    if match.state == MatchState.OVER:
        raise Refused(f"Match #{match.id} is over.", read=line.text, fits=f'"show {match.id}" shows how it ended.')
    if match.state != MatchState.RUNNING:
        raise Refused(f"Match #{match.id} hasn't begun.", read=line.text)
    viewing.check_sight(request, match)


def _check_player(request: Request, line: Line, whom: Player) -> None:
    """Raise Refused for a player whose matches the sender can't watch, in the same words whatever the reason."""
    if whom.id == request.player.id:
        raise Refused("You see your own matches anyway.", read=line.text, fits='"games" lists them.')
    if house.is_house(whom):
        raise Refused("The house plays with everybody, so watch the match you mean.", read=line.text, fits=HOW)
    is_apart = blocks.is_between(request.session, request.player, whom) or whom.banned is not None
    if is_apart or not directory.allows_any(whom):
        raise Refused(f"{name(whom)} doesn't let others watch.", read=line.text)


def _check_tournament(line: Line, tournament: Tournament) -> None:
    if entries.state_of(tournament) not in (TournamentState.OPEN, TournamentState.RUNNING):
        raise Refused(
            f"Tournament {tournament.id} is over.",
            read=line.text,
            fits=f'"tournament {tournament.id}" shows how it ended.',
        )


def _seen(request: Request, reader: Player, subject: Player | Tournament) -> Iterator[int]:
    running = select(Match).where(col(Match.to_move).is_not(None)).order_by(col(Match.id)).limit(MOST_SHOWN)
    if isinstance(subject, Player):
        theirs = running.where(or_(col(Match.seat0) == subject.id, col(Match.seat1) == subject.id))
    else:
        theirs = running.where(*watches.are_of(subject))
    matches = [match for match in request.session.exec(theirs) if seat_of(match, reader) is None]
    seen = directory.of_matches(request.session, matches, reader)
    yield from (number for number, what in seen.items() if what is not Sight.NOTHING)


def _rows(request: Request, player: Player) -> tuple[WatchedThing, ...]:
    return tuple(_row(request, row) for row in watches.of_player(request.session, player))


def _row(request: Request, row: Watch) -> WatchedThing:
    session = request.session
    if row.match is not None:
        match = session.get_one(Match, row.match)
        hidden = directory.of_reader(session, match, request.player) is Sight.NOTHING
        return _thing(request, match, left_out=row.left_out, hidden=hidden and not row.left_out)
    if row.whom is not None:
        return _thing(request, session.get_one(Player, row.whom))
    return _thing(request, session.get_one(Tournament, row.tournament))


def _thing(request: Request, subject: watches.Subject, *, left_out: bool = False, hidden: bool = False) -> WatchedThing:
    match subject:
        case Match():
            people = people_of(request.session, (subject,))
            return WatchedThing(
                kind="match",
                number=subject.id,
                title=GAMES.title(subject.game),
                player=name(people[subject.seat0]),
                opponent=name(people[subject.seat1]),
                left_out=left_out,
                hidden=hidden,
            )
        case Player():
            return WatchedThing(kind="player", player=name(subject))
        case Tournament():
            return WatchedThing(kind="tournament", number=subject.id, title=subject.title)


_WATCHED = re.compile(
    rf"(?:(?:the\s+)?match\s*#?|#)?(?P<match>\d{{1,9}})$|(?:the\s+)?{NAMED_CONTEST}\s*#?(?P<tournament>\d{{1,9}})$"
    r"|(?:(?:the\s+)?(?:matches|games)\s+of|player)\s+(?P<player>[\w-]+)$",
    re.IGNORECASE,
)
"""What is watched, as people write it: "watch match #42"."""
_SUBJECT = re.compile(
    r"tournament\s\d{1,9}|(?!(?:out|it|this|that|me|him|her|them|us|your|my|the|and|for|how|what)$)[\w-]*",
    re.IGNORECASE,
)
"""What stands behind `watch` in the end, and isn't the beginning of a sentence: "Watch out!"."""


def _plainly(command: str, words: str) -> tuple[str, str]:
    """Return the command with what is watched in the words of its help.

    >>> _plainly("watch", "match #42"), _plainly("unwatch", "Tournament #3"), _plainly("watch", "games of bob")
    (('watch', '42'), ('unwatch', 'tournament 3'), ('watch', 'bob'))
    """
    found = _WATCHED.match(words)
    if found is None:
        return command, words
    tournament = f"tournament {found['tournament']}" if found["tournament"] else ""
    return command, found["match"] or tournament or found["player"]


WATCH = Command(
    "watch",
    "[NUMBER|PLAYER|tournament NUMBER]",
    "see what others play, turn by turn",
    watch,
    Group.BOARDS,
    "see what others play, turn by turn",
    words=(0, 2),
    aliases=("spectate",),
    keywords="spectate follow kibitz",
    shape=_SUBJECT,
    reread=partial(_plainly, "watch"),
)
UNWATCH = Command(
    "unwatch",
    "[NUMBER|PLAYER|tournament NUMBER]",
    "end that; alone, it ends all",
    unwatch,
    Group.BOARDS,
    "end that",
    words=(0, 2),
    shape=_SUBJECT,
    reread=partial(_plainly, "unwatch"),
    at_once=AtOnce(news=True),
)

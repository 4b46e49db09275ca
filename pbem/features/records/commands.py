"""A new match from a position of another one: replay."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from sqlmodel import Session, select

from notation import time_control
from pbem.conversation.core import AtOnce, Command, Decision, Line, Reach, Request, Role, ToPlayer
from pbem.conversation.refusals import check_running
from pbem.conversation.syntax import terms
from pbem.conversation.syntax.grammar import GAME, MATCH_THEN, OPTION, Piece, Slot, opt, words
from pbem.conversation.syntax.terms import BEGIN, LEVEL, OPPONENT, is_first
from pbem.errors import Refused
from pbem.features.accounts.data_export import ExportedFile, packed
from pbem.features.challenges.commands import opponent_of_offer
from pbem.features.house import commands as house
from pbem.features.playing.viewing import OWN_RECORDS, position_of
from pbem.matches import queries, replays
from pbem.matches.clock.timesheet import turn_times
from pbem.matches.queries import players_of, with_board
from pbem.matches.snapshot import texts_then, to_show
from pbem.messages import attachments
from pbem.messages.kinds import Extra, Rendering
from pbem.messages.mime import Attachment
from pbem.messages.said.messages import AllRecords
from pbem.messages.said.sections import ChallengeSent
from pbem.storage.clock import within
from pbem.storage.models import Match, MatchState, Outgoing, Player
from pbem.tokens import Purpose

EXAMPLE = 'For example "replay 42#7 bob": a match against bob that begins after turn 7 of match #42.'

DAY = timedelta(days=1)
MOST_ARCHIVES = 20
"""How many archives of records a player gets in a day: each holds up to 200 matches."""


def replay(request: Request, line: Line) -> Decision:
    player, house_name = request.player, house.name(request)
    source = position_of(request, line)
    given, opponent = dict(line.given.all(OPTION)), line.given[OPPONENT]
    if line.given.get(GAME, source.match.game) != source.match.game:
        raise Refused("The game of a replay is that of the match.", read=line.text, fits=EXAMPLE)
    if terms.is_rated(line.given):
        raise Refused("Matches that begin at a position aren't rated.", read=line.text, fits='Leave out "rated".')
    against_house = opponent == house_name and player.name != house_name
    default = time_control.NONE if against_house else request.server.time
    begin = given.pop("begin", BEGIN[0])
    wanted = terms.chosen(source.match.game, {**source.match.options, **given, "begin": begin}, default, line.text)
    if wanted.options != source.match.options:
        raise Refused("The options are those of the match that is replayed.", read=line.text, fits=EXAMPLE)
    if wanted.free_undo:
        raise Refused(
            "In a replay, you ask before you take a turn back.", read=line.text, fits='Leave out "undo=free".'
        )
    begins = is_first(wanted.begin)
    if against_house:
        if source.match.state == MatchState.RUNNING and source.match.level is None:
            raise Refused("The house doesn't help in a match that isn't over yet.", read=line.text)
        check_running(request, player)
        return house.start(
            *(request, player, wanted.game, wanted.options),
            level=house.level_of(request, line.given.get(LEVEL, None)),
            time=wanted.time,
            begins=begins,
            replay_of=source,
        )
    if LEVEL in line.given:
        raise Refused("A person plays as they play; only the house has levels.", read=line.text)
    other = opponent_of_offer(request, line, player, opponent, source.match.game)
    events = replays.offer(
        *(request.session, source, player, other, request.now),
        time=wanted.time,
        challenger_begins=begins,
        by_address="@" in opponent,
    )
    return Decision(answer=(ChallengeSent(match=events[0].match.id or 0, opponent=opponent),), events=events)


def records(request: Request, line: Line) -> Decision:
    player, last = request.player, line.given[ALL_RECORDS]
    before = int(last) if last.isdecimal() else None
    day = (Outgoing.template == "records", within(Outgoing.created, DAY, request.now))
    earlier = request.session.exec(select(Outgoing.id).where(Outgoing.player == player.id, *day).limit(MOST_ARCHIVES))
    if len(earlier.all()) >= MOST_ARCHIVES:
        raise Refused(
            f"We've sent you {MOST_ARCHIVES} archives within the last day.", read=line.text, fits="Try again tomorrow."
        )
    if not queries.with_board(request.session, player, before):
        what = "You haven't played a match yet." if before is None else f"You've played no match before #{before}."
        raise Refused(what, read=line.text, fits='"games" lists your matches.')
    return Decision(messages=(ToPlayer(player=player, payload=AllRecords(before=before), purpose=Purpose.PERSONAL),))


ALL_RECORDS = Piece("mine [before NUMBER]", OWN_RECORDS, lambda text: text.split()[-1].lstrip("#"))
REPLAY = Command(
    "replay",
    words(
        *(opt(MATCH_THEN), Slot((OPPONENT,), "PLAYER"), opt(GAME, usage="")),
        terms.options("[begin=me|you|random] [time=14d+1d]", LEVEL),
        is_strict=True,
        respelt=terms.as_written,
    ),
    "go on from a position of another match; you offer someone an unrated match, and 42#7 is match 42 after turn 7",
    replay,
    keywords="practice practise continue resume-from",
    at_once=AtOnce(Reach.NOWHERE),
    role=Role.RESUMES,
)
RECORDS = Command(
    "records",
    words(ALL_RECORDS, is_strict=True, also={r"(?:#?\d{1,9}(?:#\d{1,4})?)? ?(?:full)?": r"record \g<0>"}),
    "get all your records in one archive, the newest first",
    records,
    keywords="archive zip backup",
)

MOST_MATCHES = 200
"""How many matches one archive holds: writing them takes two seconds, and other messages wait for it."""


@dataclass(frozen=True, slots=True)
class RecordArchive:
    file: Attachment
    numbers: tuple[int, ...]
    older: int


def record_archive(
    session: Session, player: Player, before: int | None, origin: str, written: datetime
) -> RecordArchive:
    """Return the records of the player's matches, of those with smaller numbers than `before` if that is given."""
    numbers = with_board(session, player, before)
    content, number = packed(_records(session, numbers[:MOST_MATCHES], origin, written))
    file = Attachment("pbem-records.zip", "application", "zip", content)
    return RecordArchive(file, tuple(numbers[:number]), len(numbers) - number)


def enclosed(rendering: Rendering) -> Extra | None:
    row, payload = rendering.row, rendering.payload
    if not isinstance(payload, AllRecords) or (owner := rendering.session.get(Player, row.player)) is None:
        return None
    held = record_archive(rendering.session, owner, payload.before, rendering.server.name, row.created)
    return Extra(files=(held.file,), told=held)


def _records(
    session: Session, numbers: list[int], origin: str, written: datetime
) -> Iterator[tuple[ExportedFile, ...]]:
    """Yield the files of each match; none of them holds an address."""
    for number in numbers:
        match = session.get_one(Match, number)
        snapshot = to_show(match, players_of(session, match), texts_then(session, match))
        times = partial(turn_times, session, match)
        files = attachments.records(snapshot, origin=origin, generated=written, times=times)
        when = match.ended or match.started or match.created
        yield tuple((file.name, when, file.content) for file in files)

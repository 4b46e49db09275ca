"""Seeks: seek, seeks, take, unseek."""

from datetime import datetime, timedelta

import structlog
from sqlmodel import Session, col

from notation import time_control
from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.conversation.command import Command, Decision, Line, Request, Role
from pbem.conversation.syntax.arguments import GAME, Piece, opt, word, words
from pbem.errors import Refused
from pbem.features import paging, terms
from pbem.features.match_and_players import check_room_for_match
from pbem.features.paging import PAGE
from pbem.features.seeks import seeks
from pbem.features.seeks.seeks import ANY, MOST_MATCHES, EndedSeek, SeekClosed, SeekList, SeekOpened, SeeksEnded
from pbem.features.terms import choice, is_first
from pbem.matches import reliability
from pbem.matches.queries import is_playing_enough
from pbem.messages import general_preferences, times_shown
from pbem.players import invitations, willingness
from pbem.players.message_budgets import DAY
from pbem.storage.due_rows import due_rows
from pbem.storage.mailer import NEWS, Mailer
from pbem.storage.models import Player, Seek
from pbem.tokens import Purpose

REPEAT = "repeat"
MOST_OPEN, SEEKS_PER_DAY = 5, 20  # the number of seeks that a player can have open, and that they can put up in a day
SEEK_OPEN = timedelta(days=28)  # after which time a seek that nobody takes ends


def seek(request: Request, line: Line) -> Decision:
    player, now = request.player, request.now
    given, reliable = line.given, RELIABLY in line.given
    repeat = given.get(REPEATED, str(MOST_MATCHES) if STANDING in given else "1")
    if not (repeat.isascii() and repeat.isdecimal() and 1 <= int(repeat[:9]) <= MOST_MATCHES):
        raise Refused(
            f'"{REPEAT}={repeat[:20]}" is not a choice.',
            read=line.text,
            fits=f'"{REPEAT}=3" lets three matches begin with it; "standing" means {MOST_MATCHES}, the most.',
        )
    offer = terms.of(given, request.server.time, line.text)
    ratings = ANY
    if RATING in given:
        own = seeks.current(request.session, player, offer.game)
        ratings = seeks.parse(given[RATING], seeks.FIRST if own is None else own)
    offered = Seek(
        player=player.id or 0,
        game=offer.game,
        options=dict(offer.options),
        time=time_control.to_stored(offer.time),
        begin=offer.begin,
        rated=offer.rated,
        free_undo=offer.free_undo,
        lowest=ratings.lowest,
        highest=ratings.highest,
        reliable=reliable,
        repeat=int(repeat),
        created=now,
        expires=now + SEEK_OPEN,
    )
    check_room_for_match(request, player)
    _check_number(request, line, player, offered)
    opened = SeekOpened(
        seek=seeks.shown(seeks.put_up(request.session, offered), player, player),
        repeat=offered.repeat,
        until=times_shown.day(general_preferences.with_defaults(player.settings), offered.expires, now),
        narrowed=ratings != ANY,
        reliable=reliable,
    )
    return Decision(answer=(opened,))


def _check_number(request: Request, line: Line, player: Player, offered: Seek) -> None:
    session = request.session
    own = seeks.of_player(session, player, request.now)
    same = next((seek for seek in own if seeks.same(seek, offered)), None)
    if same is not None:
        raise Refused(
            f"You already seek that: seek {same.id}.",
            read=line.text,
            fits=f'"{REPEAT}=3" lets more than one match begin with a seek.',
        )
    if len(own) >= MOST_OPEN:
        raise Refused(
            f"You have {len(own)} open seeks, and that's the limit.",
            fits=f'"unseek {own[0].id}" takes the oldest back.',
        )
    if seeks.put_up_since(session, player, DAY, request.now) >= SEEKS_PER_DAY:
        raise Refused(f"You've put up {SEEKS_PER_DAY} seeks today, and that's the limit.", fits="Try again tomorrow.")


def list_seeks(request: Request, line: Line) -> Decision:
    reader, page, game = request.player, line.given.get(PAGE, 1), line.given.get(GAME, None)
    busy = request.limits.matches_per_player
    matches, more = seeks.listed(request.session, reader, request.now, paging.SIZE, page=page, game=game, busy=busy)
    known = reliability.of_players(request.session, {seek.player for seek, _ in matches})
    rows, following = seeks.rows(matches, reader, known), paging.following("seeks", line.given, more=more)
    return Decision(answer=(SeekList(rows=rows, page=page, next_page=following, narrowed=game is not None),))


def take(request: Request, line: Line) -> Decision:
    player, session, now, limits = request.player, request.session, request.now, request.limits
    number = line.given[NUMBER]
    gone = Refused(
        f"Seek {number} isn't open: somebody has taken it, or it has ended.", fits='"seeks" lists those that are open.'
    )
    found = seeks.locked(session, number, now)
    if found is None:
        raise gone
    row, seeker = found
    if seeker.id == player.id:
        raise Refused(f"Seek {number} is your own.", fits=f'"unseek {number}" takes it back.')
    if not seeks.is_for(session, seeker, player):
        raise gone
    _check_rating(request, row, player)
    _check_reliable(request, row, player)
    check_room_for_match(request, player)
    playing = seeks.begun_with(session, row, seeker, player)
    if playing is not None:
        raise Refused(
            f"You're already playing that with this player: match #{playing.id}.", fits="Leave the seek to others."
        )
    if willingness.has_enough(session, seeker) or is_playing_enough(session, seeker, limits.matches_per_player):
        raise Refused(
            "This player can't begin another match at the moment.", fits="The seek stays open; try again later."
        )
    invitations.check_challenges(session, player, seeker, limits, request.server, now, by_address=False)
    until = now + SEEK_OPEN
    return Decision(events=seeks.take(session, row, seeker, player, now, until, seeker_begins=is_first(row.begin)))


def _check_rating(request: Request, row: Seek, player: Player) -> None:
    own, ratings = seeks.current(request.session, player, row.game), seeks.ratings_of(row)
    if ratings.has(seeks.FIRST if own is None else own):
        return
    yours = f"you have none yet, which counts as {seeks.FIRST:.0f}" if own is None else f"yours is {own:.0f}"
    raise Refused(
        f"Seek {row.id} is for ratings of {ratings} in {GAMES.title(row.game)}, and {yours}.",
        fits='"seeks" lists those that you can take.',
    )


def _check_reliable(request: Request, row: Seek, player: Player) -> None:
    known = reliability.of(request.session, player) if row.reliable else None
    if known is not None and not known.is_good:
        raise Refused(
            f"Seek {row.id} is for players who lose at most one in {reliability.ONE_IN} of their last"
            f" {reliability.RECENT} matches on time. You lost {known.lost} of {known.ended}.",
            fits='"seeks" lists those that you can take. Each match that you play to its end counts.',
        )


def unseek(request: Request, line: Line) -> Decision:
    player = request.player
    own = seeks.of_player(request.session, player, request.now)
    number = line.given.get(NUMBER, 0)
    if not number and len(own) > 1:
        raise Refused(
            "Which seek? You have several.", read=line.text, fits=" or ".join(f'"unseek {seek.id}"' for seek in own)
        )
    chosen = [seek for seek in own if not number or seek.id == number]
    open_one = seeks.locked(request.session, chosen[0].id or 0, request.now) if chosen else None
    if open_one is None:
        raise Refused(f"You have no open seek{f' {number}' if number else ''}.", fits='"seeks" lists the open ones.')
    seeks.close(request.session, open_one[:1], request.now)
    return Decision(answer=(SeekClosed(seeks=seeks.rows((open_one,), player)),))


NUMBER = Piece("SEEK", r"(?:(?:my )?seeks? ?)?#?(\d{1,9})", int)
RATING, REPEATED = choice("rating", "+-200"), choice(REPEAT, "3")
STANDING, RELIABLY = word("standing"), word("reliable")
SEEK = Command(
    "seek",
    words(
        GAME,
        terms.options(
            "[option=choice ...] [begin=you] [time=14d+1d] [undo=free] [rated] [rating=1400-1700] [reliable]",
            *(RELIABLY, STANDING, REPEATED, RATING),
        ),
        is_strict=True,
        meant_by=r"=|\bGAME\b",
    ),
    'offer a match to everybody; or to some ratings, or only to players who rarely lose on time ("reliable").'
    ' "repeat=3" lets three matches begin with it, "standing" ten',
    seek,
    keywords="seeking open standing",
    role=Role.RESUMES,
)
SEEKS = Command(
    "seeks",
    words(opt(GAME), opt(PAGE), is_strict=True, meant_by=r"=|\bGAME\b"),
    'list what others want to play; "take NUMBER" begins the match',
    list_seeks,
    keywords="lobby waiting-room offered",
    changes=False,
)
TAKE = Command(
    "take",
    words(NUMBER, is_strict=True, also={"(?:my |a )?seeks?": "take"}),
    "begin the match that somebody seeks; the number is that in the list",
    take,
    keywords="join-match",
    role=Role.RESUMES,
)
UNSEEK = Command(
    "unseek",
    words(opt(NUMBER), is_strict=True, also={"(?:my )?seeks?": "unseek"}),
    'take back a seek; "cancel seek NUMBER" does the same',
    unseek,
)

# Seeks that nobody takes end after some weeks. Their players are told, in one message for all that end these days.
#
# Each player has a transaction of their own that locks their row, so only one of several daemons tells them.
log = structlog.get_logger()


def _expire(session: Session, player: Player, server: ServerSettings, now: datetime) -> bool:
    """End the seeks of a player, and tell them unless they want no news. Return whether any ended."""
    ended = seeks.expire(session, player, now)
    if ended and player.stopped is None and player.deleted is None:
        news = SeeksEnded(seeks=tuple(_again(seek) for seek in ended))
        Mailer(session, server, now).to_player(player, news, purpose=Purpose.PERSONAL, delivery=NEWS)
    if ended:
        log.info("seeks ended", player=player.id, number=len(ended))
    return bool(ended)


def _again(seek: Seek) -> EndedSeek:
    options = GAMES.options_in_words(seek.game, seek.options)
    begin = f"begin={seek.begin}" if seek.begin != "me" else ""
    repeat = f"repeat={seek.repeat}" if seek.repeat > 1 else ""
    words = ("seek", seek.game, *options, begin, f"time={seek.time or 'none'}", *seeks.conditions(seek), repeat)
    return EndedSeek(number=seek.id or 0, title=GAMES.title(seek.game), again=" ".join(word for word in words if word))


OPEN = (col(Seek.closed).is_(None),)
DUE = (due_rows("seeks that end", Player, Seek.expires, _expire, where=OPEN, number=Seek.player),)

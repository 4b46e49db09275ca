"""Lists for the admin: players, acts; and all players as the operator sees them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlmodel import Session, col, select

from pbem.conversation.command import Command, Decision, Line, Request, Who
from pbem.conversation.syntax.arguments import PLAYER, Piece, opt, word, words
from pbem.features import paging
from pbem.features.paging import PAGE
from pbem.matches import track_record
from pbem.matches.shown_names import name
from pbem.players import player_directory
from pbem.players.player_directory import called
from pbem.storage.message_payload_base import Listing, Part
from pbem.storage.models import HOUSE, ModerationAct, Player


class RosterRow(Part):
    by: str
    address: str
    joined: str
    seen: str
    running: int
    state: str  # what is special about them; empty for most


class Roster(Listing, template="roster"):
    rows: tuple[RosterRow, ...]
    kind: str = ""


class ActRow(Part):
    at: str
    actor: str
    act: str
    by: str = ""
    who: str = ""  # the former name, if the player got another one
    number: int | None = None
    message: tuple[str, ...] = ()


class ActList(Listing, template="acts"):
    rows: tuple[ActRow, ...]


class AccountKind(StrEnum):
    ALL = "all"
    BANNED = "banned"
    STOPPED = "stopped"
    UNREACHABLE = "unreachable"
    COMPLAINED = "complained"  # their mail provider reported one of our messages as spam
    GUESTS = "guests"  # people who were invited, or have asked something, and haven't joined


_CONDITIONS: dict[AccountKind, tuple[Any, ...]] = {
    AccountKind.ALL: (col(Player.confirmed).is_not(None),),
    AccountKind.BANNED: (col(Player.banned).is_not(None),),
    AccountKind.STOPPED: (col(Player.confirmed).is_not(None), col(Player.stopped).is_not(None)),
    AccountKind.UNREACHABLE: (col(Player.unreachable).is_not(None),),
    AccountKind.COMPLAINED: (col(Player.complained).is_not(None),),
    AccountKind.GUESTS: (col(Player.confirmed).is_(None),),
}


def accounts(
    session: Session, most: int, page: int = 1, *, beginning: str = "", kind: AccountKind = AccountKind.ALL
) -> tuple[Sequence[Player], bool]:
    players = select(Player).where(col(Player.deleted).is_(None), *_CONDITIONS[kind])
    if kind is AccountKind.GUESTS:
        players = players.order_by(col(Player.id))
    else:  # the index of the names has them in order
        players = players.where(col(Player.name) >= beginning).order_by(col(Player.name))
    if beginning:
        players = players.where(col(Player.name).startswith(beginning, autoescape=True))
    rows = session.exec(players.offset((page - 1) * most).limit(most + 1)).all()
    return rows[:most], len(rows) > most


def newest(
    session: Session, most: int, page: int = 1, player: Player | None = None
) -> tuple[Sequence[ModerationAct], bool]:
    """Return a page of what was done, the newest first, and whether there is more: all, or what a player met with."""
    acts = select(ModerationAct).order_by(col(ModerationAct.id).desc())
    if player is not None:
        acts = acts.where(ModerationAct.player == player.id)
    rows = session.exec(acts.offset((page - 1) * most).limit(most + 1)).all()
    return rows[:most], len(rows) > most


def states(player: Player) -> Iterator[str]:
    for since, state in ((player.banned, "banned"), (player.stopped, "no news"), (player.unreachable, "unreachable")):
        if since is not None:
            yield f"{state} since {since:%Y-%m-%d}"


KIND = Piece("banned|stopped|unreachable", "banned|stopped|unreachable", lambda text: AccountKind(text.lower()))
NAME = word("NAME", r"\S+", is_name=True)


def players(request: Request, line: Line) -> Decision:
    session, page, kind = request.session, line.given.get(PAGE, 1), line.given.get(KIND, AccountKind.ALL)
    matches, more = accounts(session, paging.SIZE, page, beginning=line.given.get(NAME, ""), kind=kind)
    rows = tuple(
        RosterRow(
            by=name(player),
            address=player.address if player.address != HOUSE else "",
            joined=_day(player.confirmed),
            seen=_day(player_directory.last_seen(session, player)),
            running=track_record.running(session, player),
            state=", ".join(states(player)),
        )
        for player in matches
    )
    following = paging.following("players", line.given, more=more)
    title = "" if kind is AccountKind.ALL else kind.value
    return Decision(answer=(Roster(rows=rows, kind=title, page=page, next_page=following),))


def acts(request: Request, line: Line) -> Decision:
    session, page = request.session, line.given.get(PAGE, 1)
    about = called(session, line.given[PLAYER]) if PLAYER in line.given else None
    stored, more = newest(session, paging.SIZE, page, about)
    rows = tuple(
        ActRow(
            at=f"{row.at:%Y-%m-%d %H:%M}",
            actor=row.actor,
            act=row.act,
            by=name(player) if player is not None else "",
            who=row.former_name or "",
            number=row.match,
            message=tuple(row.note.splitlines()),
        )
        for row, player in ((row, session.get(Player, row.player) if row.player else None) for row in stored)
    )
    following = paging.following("acts", line.given, more=more)
    return Decision(answer=(ActList(rows=rows, page=page, next_page=following),))


def _day(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d}" if time else ""


PLAYERS = Command(
    "players",
    words(opt(KIND), opt(NAME), opt(PAGE)),
    "list the players with their addresses, also only those of a kind, or whose names begin like that",
    players,
    open_to=Who.ADMIN,
    changes=False,
)
ACTS = Command(
    "acts",
    words(opt(PLAYER), opt(PAGE)),
    "list what was done to players and matches, by whom and why, the newest first",
    acts,
    open_to=Who.ADMIN,
    changes=False,
)

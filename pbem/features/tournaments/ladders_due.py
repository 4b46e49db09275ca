"""Ladders: matches that have ended change who stands where; the two players are told if it is another rung for them.

Each ladder has a transaction of its own, in which its matches are noted. So a crash leaves everything due again, and of
several daemons only one does it (see pbem.features.tournaments.rungs).
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Engine, exists, or_
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.features.tournaments import entries, rungs, shown
from pbem.features.tournaments.due import wants_news
from pbem.features.tournaments.field import Format
from pbem.features.tournaments.formats.ladder import Rungs
from pbem.features.tournaments.messages import RungChanged, TournamentEnded
from pbem.matches import arranged
from pbem.matches.naming import name
from pbem.storage.database import read_only
from pbem.storage.due import Due, act_on
from pbem.storage.models import Entry, Match, Tournament
from pbem.storage.outbox import Mailer
from pbem.storage.setbacks import at_once
from pbem.tokens import Purpose

log = structlog.get_logger()

TOP = 10
"""How many rungs the message about the end has, besides the reader's."""
ARE_DUE = or_(
    exists().where(
        *arranged.ARE_UNREPORTED,
        *(col(Tournament.id) == col(Match.tournament), col(Tournament.kind) == Format.LADDER),
    ),
    exists().where(col(Entry.rung).is_not(None), col(Entry.withdrawn).is_not(None)),
)
"""Whether there are any on which something has happened."""


def settle(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Let what has happened on ladders change them. Return on how many something has."""
    with read_only(engine) as session:
        numbers = rungs.due(session, at_once(session, "ladders"))
    return act_on(engine, numbers, partial(_settle, server=server, now=now), stopped, now, doing="ladders")


def _settle(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    """Settle a ladder, and queue the messages about it. Return whether anything was done."""
    settled = rungs.settle(session, number, now)
    if settled is None:  # another daemon is at it
        return False
    concerned = {player for step in settled.steps for player in step.challenge.players}
    people = entries.locked_people(session, concerned)
    mailer = Mailer(session, server, now)
    for step in settled.steps:
        for player in sorted(step.challenge.players):
            before, after = _rung(step.before, player), _rung(step.after, player)
            if before != after and wants_news(people[player]):
                (opponent,) = step.challenge.players - {player}
                told = RungChanged(
                    number=number,
                    title=settled.ladder.title,
                    opponent=name(people[opponent]),
                    rung=after,
                    won=step.challenge.winner == player,
                )
                mailer.to_player(people[player], told, purpose=Purpose.PERSONAL, is_notice=True)
    log.info("ladder", tournament=number, matches=len(settled.steps))
    return True


def end(session: Session, server: ServerSettings, tournament: Tournament, now: datetime) -> int:
    """End a ladder that is locked, and queue the messages about it. Return how many players are told."""
    rungs.settle(session, tournament.id or 0, now)
    rungs.end(session, tournament, now)
    whole = rungs.on(session, tournament)
    line = shown.line(tournament, len(whole), now)
    _, listed, _ = shown.rungs_for(session, tournament, None, now, len(whole))
    mailer = Mailer(session, server, now)
    told = [player for player in entries.locked_people(session, whole).values() if wants_news(player)]
    for player in told:
        own = _rung(whole, player.id or 0)
        rows = tuple(replace(row, own=row.rung == own) for row in listed if row.rung == own or row.rung <= TOP)
        ended = TournamentEnded(line=line, place=own, rungs=rows)
        mailer.to_player(player, ended, purpose=Purpose.PERSONAL, is_notice=True)
    return len(told)


def _rung(ladder: Rungs, player: int) -> int:
    return ladder.index(player) + 1 if player in ladder else 0


DUE = (Due(name="ladders.settle", when=ARE_DUE, act=settle),)

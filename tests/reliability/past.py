"""Letting what has just happened have happened long ago, so that something is due at the present time of a daemon."""

from datetime import timedelta

from sqlalchemy import Engine
from sqlmodel import Session, select

from pbem.matches.clock import timekeeping
from pbem.storage.models import ClockEvent, Match, Outgoing, Player


def by_day(engine: Engine, hour: int) -> None:
    """Let it be afternoon where the players are, when it is that hour in UTC."""
    ahead = 14 - hour
    with Session(engine) as session, session.begin():
        for player in session.exec(select(Player)):
            player.settings = {**player.settings, "zone": f"Etc/GMT{-ahead:+d}" if ahead else "UTC"}
            session.add(player)


def long_ago(engine: Engine, number: int, time: timedelta) -> None:
    """Let everything in the match have happened so much earlier."""
    with Session(engine) as session, session.begin():
        match = session.get_one(Match, number)
        assert match.started is not None
        match.started -= time
        for event in session.exec(select(ClockEvent).where(ClockEvent.match == number)):
            event.at -= time
            event.until = event.until and event.until - time
            session.add(event)
        for mail in session.exec(select(Outgoing).where(Outgoing.match == number)):
            mail.created -= time
            session.add(mail)
        session.flush()
        clock = timekeeping.replayed(match, timekeeping.rows_of(session, [match]))
        assert clock is not None
        timekeeping._keep(session, match, clock)

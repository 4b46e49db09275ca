"""The daemon is killed at every step of what happens by time; each happens once, and is told once."""

import signal
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlmodel import Session, col, select

from engines.seats import other
from notation.ending import Ending, Termination
from pbem.failpoints import Step
from pbem.features.tournaments import due as tournaments
from pbem.features.tournaments import entries, host_syntax, ladders, openings
from pbem.features.watching import watches
from pbem.matches import agreements, lifecycle, queries
from pbem.matches.stored_offers import OfferKind
from pbem.storage.database import transaction
from pbem.storage.models import Match, MatchState, Player, Tournament
from tests.community.seeking import put_up
from tests.reliability.conftest import Stage
from tests.reliability.effects import effects, forgive
from tests.reliability.past import by_day
from tests.reliability.plots import O, Rehearsal, X
from tests.reliability.scene import every_owed_mail_came
from tests.servers import until

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def _reminder(rehearsal: Rehearsal) -> None:
    rehearsal.begin_on_a_clock("7d/move", 90 * HOUR)


def _timeout(rehearsal: Rehearsal) -> None:
    rehearsal.begin_on_a_clock("3d/move", 73 * HOUR)


def _loss_on_time(rehearsal: Rehearsal) -> None:
    rehearsal.begin_on_a_clock("3d/move,auto", 73 * HOUR)


def _pause_that_ends(rehearsal: Rehearsal) -> None:
    """Let both have agreed on a pause that ended yesterday."""
    rehearsal.begin_on_a_clock("7d/move", 3 * DAY)
    now = rehearsal.server.clock()
    with transaction(rehearsal.server.engine) as session:
        match = queries.locked(session, 2)
        assert match is not None
        agreements.propose(session, match, 0, OfferKind.PAUSE, now - 2 * DAY, until=now - DAY)
        agreements.accept(session, match, 1, OfferKind.PAUSE, now - 2 * DAY)


def _challenge_that_ends(rehearsal: Rehearsal) -> None:
    """Let x0 have challenged o0 and a newcomer two weeks ago."""
    rehearsal.say(X, rehearsal.personal(X), "challenge o0 hexaphages\nchallenge newcomer@mail.example kvadratik")
    long_ago_begun = rehearsal.server.clock() - lifecycle.OFFER_OPEN - HOUR
    with transaction(rehearsal.server.engine) as session:
        for match in session.exec(select(Match).where(Match.state == MatchState.OFFERED)):
            match.created = long_ago_begun


def _seek_that_ends(rehearsal: Rehearsal) -> None:
    """Let a seek of x0 have ended an hour ago."""
    now = rehearsal.server.clock()
    terms = {"game": "hexaphages", "options": {}, "begin": "me"}
    with transaction(rehearsal.server.engine) as session:
        put_up(session, player(session, X), terms, until=now - HOUR, created=now - 28 * DAY)


def _tournament_that_begins(rehearsal: Rehearsal) -> None:
    """Let x0, o0 and two others have entered a knock-out that is to begin."""
    now = rehearsal.server.clock()
    with transaction(rehearsal.server.engine) as session:
        for name in ("x1", "o1"):
            session.add(Player(name=name, address=f"{name}@mail.example", confirmed=now, created=now))
        session.flush()
        tournament = opened(session, now, "knock-out places=4")
        for address in (X, O, "x1@mail.example", "o1@mail.example"):
            entries.enter(session, tournament, player(session, address), now)


def _spectators(rehearsal: Rehearsal) -> None:
    """Let x1 and o1 watch match 2, and its last turn be one that they haven't seen."""
    rehearsal.begin_on_a_clock("7d/move", HOUR)
    now = rehearsal.server.clock()
    with transaction(rehearsal.server.engine) as session:
        match = queries.locked(session, 2)
        assert match is not None
        for address in (X, O):
            player(session, address).settings = {"watchers": "on"}
        for name in ("x1", "o1"):
            spectator = Player(name=name, address=f"{name}@mail.example", confirmed=now, created=now)
            session.add(spectator)
            session.flush()
            watches.begin(session, spectator, match, now)
        match.shown = queries.version(match) - 1


def _tournament_that_ends(rehearsal: Rehearsal) -> None:
    """Let x0, o0 and another have played a round robin, of whose end none of them knows."""
    now = rehearsal.server.clock()
    engine, server = rehearsal.server.engine, rehearsal.server.settings.server
    with transaction(engine) as session:
        session.add(Player(name="x1", address="x1@mail.example", confirmed=now, created=now))
        session.flush()
        tournament = opened(session, now, "round-robin places=3")
        for address in (X, O, "x1@mail.example"):
            entries.enter(session, tournament, player(session, address), now)
    tournaments.advance(engine, server, now)
    with transaction(engine) as session:
        for match in session.exec(select(Match).where(col(Match.tournament).is_not(None))).all():
            lifecycle.end(session, match, Ending(Termination.AGREEMENT), None, now)


def _tournament_that_comes_again(rehearsal: Rehearsal) -> None:
    """Let a monthly tournament have been opened a month ago, which nobody has entered."""
    now = rehearsal.server.clock()
    with transaction(rehearsal.server.engine) as session:
        opened(session, now - 32 * DAY, "swiss places=4 days=90 every=month")


def _challenge_that_is_over(rehearsal: Rehearsal) -> None:
    """Let x0 have won against o0, who was above on a ladder."""
    now = rehearsal.server.clock()
    with transaction(rehearsal.server.engine) as session:
        row = opened(session, now, "ladder places=9 reach=3")
        above, below = player(session, O), player(session, X)
        for each in (above, below):
            ladders.enter(session, row, each, now)
        ladder = ladders.ladder_of(session, row, now)
        match = ladders.challenge(session, row, ladder, below, above, now).match
        late = 0 if match.seat0 == above.id else 1
        lifecycle.end(session, match, Ending(Termination.TIMEOUT, late), other(late), now)


KINDS: dict[str, Callable[[Rehearsal], None]] = {
    "a reminder": _reminder,
    "a time-out": _timeout,
    "a loss on time": _loss_on_time,
    "a pause that ends": _pause_that_ends,
    "a challenge that ends": _challenge_that_ends,
    "a seek that ends": _seek_that_ends,
    "a tournament that begins": _tournament_that_begins,
    "a match that is watched": _spectators,
    "a challenge on a ladder that is over": _challenge_that_is_over,
    "a tournament that ends": _tournament_that_ends,
}
"""What is due, each in a way of its own. The rest is done as these are, in one transaction for each row."""
DEATHS = (
    (Step.DUE, 1, True),
    (Step.DUE, 2, False),
    (Step.BEGUN, 1, False),
    (Step.RENDERED, 1, False),
    (Step.SENT, 1, False),
)
"""The steps at which the server dies, which time it reaches them, and whether it leaves no effects."""
IN_PARTS = {"a tournament that begins", "a tournament that ends"}
"""What is done in several transactions, between which the server dies as well: a round is paired before it begins."""


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_due_happens_once_however_often_the_server_dies(stage: Stage, kind: str, database: str) -> None:
    calm, scene = stage("lmtp", database), stage("lmtp", database)
    with calm.server() as server:
        prepared(Rehearsal(calm, server), kind).send()
    with scene.server() as server:
        prepared(Rehearsal(scene, server), kind)
    before = effects(scene)
    for step, nth, has_none in DEATHS:
        if nth > 1 and kind not in IN_PARTS:
            continue
        daemon = scene.start(step, nth)
        assert daemon.died() == signal.SIGKILL, (step, daemon.log)
        assert (effects(scene) == before) is has_none, step
        forgive(scene)
    scene.start().ready()
    scene.quiet()
    assert effects(scene) == effects(calm) != before
    assert every_owed_mail_came(scene) >= 1, "one came twice, since the server died before it could note that it went"


def test_a_season_opens_once_though_the_server_dies_while_it_opens(stage: Stage) -> None:
    scene = stage("lmtp", "sqlite")
    with scene.server() as server:
        _tournament_that_comes_again(Rehearsal(scene, server))
    daemon = scene.start(Step.DUE, 1)
    assert daemon.died() == signal.SIGKILL, daemon.log
    assert scene.rows("select season from tournament") == [1]
    scene.start().ready()
    until(lambda: scene.rows("select season from tournament order by id") == [1, 2], "the next season is open")


def prepared(rehearsal: Rehearsal, kind: str) -> Rehearsal:
    """Return the rehearsal of a server at which something is due."""
    by_day(rehearsal.server.engine, rehearsal.server.clock().hour)
    KINDS[kind](rehearsal)
    return rehearsal


def player(session: Session, address: str) -> Player:
    return session.exec(select(Player).where(Player.address == address)).one()


def opened(session: Session, when: datetime, words: str) -> Tournament:
    """Open a tournament of that kind."""
    return openings.open_(session, host_syntax.read(f"{words} hexaphages time=3d/move rated called Cup", "none", when))

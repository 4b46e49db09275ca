"""Two daemons on PostgreSQL, and two messages that can't both have their way: one of them has, and no other thing.

The opponent claims a match while the turn arrives; a foreseen turn arrives while its answer is dropped.
"""

import signal
from datetime import timedelta

import pytest
from sqlmodel import Session, col, select

from notation.time_control import TimeControl, parse
from pbem.failpoints import Step
from pbem.mail.transports.protocols import Arrival
from pbem.matches import lifecycle, prepared_and_forced_turns
from pbem.matches.clock import timekeeping
from pbem.matches.condition_parsing import Conditions
from pbem.matches.integrity import faults
from pbem.matches.queries import version
from pbem.matches.replayed_match import snapshot_of
from pbem.messages.reply_links import address_with
from pbem.server.daemon import Server
from pbem.storage.database import transaction
from pbem.storage.models import Match, Player
from pbem.tokens import Purpose, Token
from tests.contests import read
from tests.operating.people import written
from tests.reliability.conftest import Stage
from tests.reliability.scene import Letter, Scene

PAIRS = 6
PLAYED = ("e3f4", "e9f8", "b3b4")
TURN, ANSWER = "b9b8", "c3c4"
"""The turn of o that is due, and what x has prepared for it."""
Fate = tuple[str, str | None, int]
"""The state of a match, how it ended, and how many turns it has."""


def begun(server: Server, control: TimeControl) -> list[Match]:
    """Begin matches in which it has been the turn of o for 73 hours."""
    began = server.clock() - timedelta(hours=73)
    with transaction(server.engine) as session:
        for n in range(PAIRS):
            x, o = (
                Player(name=f"{a}{n}", address=f"{a}{n}@mail.example", confirmed=began, created=began) for a in "xo"
            )
            session.add_all((x, o))
            session.flush()
            (offered,) = lifecycle.offer(session, x, o, lifecycle.Terms("quadrature", {}, control), began)
            lifecycle.accept(session, offered.match, o, began)
            for text in (*PLAYED, None):
                timekeeping.hand_over(session, [(offered.match.id or 0, version(offered.match))], began)
                snapshot = snapshot_of(session, offered.match)
                if text is not None and snapshot.base.turn is not None:
                    lifecycle.play(session, snapshot, snapshot.base.turn, read(snapshot, text), began)
    with Session(server.engine, expire_on_commit=False) as session:
        return list(session.exec(select(Match).order_by(col(Match.id))))


def letter(server: Server, match: Match, seat: int, body: str) -> Letter:
    """Return a reply to the newest message about the match."""
    with Session(server.engine) as session:
        player = session.get_one(Player, match.seat1 if seat else match.seat0)
        token = Token(Purpose.PLAY, player.id or 0, match.id or 0, version(match))
        to = address_with(server.settings.server, server.services.keyring, token, player.epoch)
        return Letter(player.address, to, written(player.address, to, body))


def store(scene: Scene, server: Server, letters: list[Letter]) -> None:
    """Store the messages in that order, at once."""
    scene.written |= {each.message_id: each for each in letters}
    arrivals = (Arrival(each.raw, "test", sender=each.sender, recipients=(each.to,)) for each in letters)
    assert list(server.take(tuple(arrivals))) == list(range(1, len(letters) + 1))


def in_turn(first: list[Letter], second: list[Letter]) -> list[Letter]:
    """Return a letter of each list by turns; in every second match, that of the second list comes first."""
    pairs = enumerate(zip(first, second, strict=True))
    return [each for number, pair in pairs for each in (pair if number % 2 == 0 else pair[::-1])]


def fates(scene: Scene) -> list[Fate]:
    """Return what became of the matches, which are sound, once every message was answered."""
    answered = scene.rows("select distinct incoming from outgoing where incoming is not null order by incoming")
    assert answered == scene.rows("select id from incoming order by id")
    assert scene.rows("select distinct state from incoming") == ["done"]
    with scene.server() as server, Session(server.engine) as session:
        assert [fault for found in faults(session, session.exec(select(Match)).all()) for fault in found] == []
    return [(*row,) for row in scene.rows("select state, termination, plies from match order by id")]


@pytest.mark.parametrize("is_claimed", [True, False], ids=["a claim", "by itself"])
def test_a_match_is_over_on_time_or_the_turn_is_played(stage: Stage, is_claimed: bool) -> None:
    """A claim arrives together with the turn, or one daemon looks for what is due while the other has the turn."""
    scene = stage("lmtp", "postgresql")
    with scene.server() as server:
        matches = begun(server, parse("3d/move" if is_claimed else "3d/move,auto"))
        turns = [letter(server, match, 1, TURN) for match in matches]
        claims = [letter(server, match, 0, "claim") for match in matches]
        store(scene, server, in_turn(claims, turns) if is_claimed else turns)
    for daemon in [scene.start(), scene.start()]:
        daemon.ready()
    scene.quiet()

    found = fates(scene)
    assert set(found) <= {("over", "timeout", 3), ("running", None, 4)}
    if is_claimed:
        assert set(found[1::2]) == {("running", None, 4)}, "a turn that waits is played before a claim"


@pytest.mark.parametrize("step", [Step.EXECUTED, Step.COMMITTED])
def test_what_was_foreseen_is_played_once_or_was_dropped_before(stage: Stage, step: Step) -> None:
    """One of the daemons dies in the middle of it."""
    scene = stage("lmtp", "postgresql")
    with scene.server() as server:
        matches = begun(server, TimeControl())
        with transaction(server.engine) as session:
            for match in matches:
                prepared_and_forced_turns.keep(session, match, 0, Conditions(((TURN, ANSWER),)), None)
        dying = scene.start(step)
        for daemon in (dying, scene.start()):
            daemon.ready()
        dropping = [letter(server, match, 0, "cancel conditions") for match in matches]
        turns = [letter(server, match, 1, TURN) for match in matches]
        store(scene, server, in_turn(dropping, turns))
    assert dying.died() == signal.SIGKILL
    scene.leases_end(dying)
    scene.quiet()

    assert set(fates(scene)) <= {("running", None, 4), ("running", None, 5)}

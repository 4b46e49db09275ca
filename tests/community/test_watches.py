"""What is watched: what is new of a match, who is told by which daemon, and accounts that become one."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, update
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.features.watching import spectators, watches
from pbem.matches import lifecycle, queries, watched
from pbem.matches.watched import WatchedNews
from pbem.players import sight
from pbem.players.sight import Sight
from pbem.secret import Secret
from pbem.storage import database
from pbem.storage.models import HOUSE, Match, MatchState, Outgoing, Player, TakenBack, Watch
from tests import databases
from tests.contests import NOW

SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))
NAMES = ("alice", "bob", "carol", "dave")
FULL, LATE, HIDDEN = Sight.ALL, Sight.LATE, Sight.NOTHING


def taken(*numbers: int, shift: int = 0) -> list[TakenBack]:
    """Return turns of those numbers that were taken back at once, from a match with that shift."""
    fields = {"match": 1, "seat": 0, "shift": shift, "played": NOW, "taken_back": NOW}
    return [TakenBack(number=number, text=f"t{number}", **fields) for number in numbers]


def match_with(plies: int, shift: int = 0, *, shown: int, over: bool = False) -> Match:
    players = {"seat0": 1, "seat1": 2, "challenger": 1}
    ended = NOW if over else None
    return Match(
        game="quadrature", options={}, plies=plies, shift=shift, shown=shown, created=NOW, ended=ended, **players
    )


@pytest.mark.parametrize(
    ("match", "undone", "late", "news"),
    [
        (match_with(1, shown=0), [], False, WatchedNews(1, 1, ())),
        (match_with(5, shown=2), [], False, WatchedNews(5, 3, ())),
        (match_with(5, shown=5), [], False, None),
        (match_with(5, shown=5, over=True), [], False, WatchedNews(5, None, ())),
        (match_with(1, shown=0), [], True, None),
        (match_with(2, shown=1), [], True, WatchedNews(1, 1, ())),
        (match_with(5, shown=4), [], True, WatchedNews(4, 4, ())),
        (match_with(5, shown=5, over=True), [], True, WatchedNews(5, 5, ())),
        # Played and taken back before anybody saw it.
        (match_with(5, 2, shown=5), taken(6), False, None),
        # Two turns are taken back, of which one was seen; then another one is played.
        (match_with(4, 3, shown=5), taken(5, 6), False, WatchedNews(4, None, ("t5",))),
        (match_with(5, 3, shown=5), taken(5, 6), False, WatchedNews(5, 5, ("t5",))),
        # What was taken back before the last look is no news.
        (match_with(5, 2, shown=6), taken(5), False, WatchedNews(5, 5, ())),
        # Taken back twice since.
        (match_with(3, 5, shown=5), [*taken(5), *taken(4, 5, shift=2)], False, WatchedNews(3, None, ("t4", "t5"))),
        (
            match_with(0, 8, shown=5),
            [*taken(5), *taken(1, 2, 3, 4, shift=2)],
            False,
            WatchedNews(0, None, ("t1", "t2", "t3", "t4", "t5")),
        ),
        # Who is late has not seen the turn that is taken back.
        (match_with(4, 2, shown=5), taken(5), True, None),
        (match_with(3, 3, shown=5), taken(4, 5), True, WatchedNews(3, None, ("t4",))),
    ],
)
def test_what_is_new_to_who_has_seen_an_earlier_version(
    match: Match, undone: list[TakenBack], late: bool, news: WatchedNews | None
) -> None:
    assert watched.news_of(match, undone, late=late) == news


@pytest.mark.parametrize(
    ("first", "second", "tournament", "seen"),
    [
        (None, None, None, HIDDEN),
        (None, None, 3, FULL),
        ("on", "on", None, FULL),
        ("on", None, None, HIDDEN),
        ("on", None, 3, FULL),
        ("off", "on", 3, HIDDEN),
        ("delayed", "on", None, LATE),
        ("delayed", None, 3, LATE),
        ("delayed", "off", 3, HIDDEN),
    ],
)
def test_the_narrower_choice_counts(first: str | None, second: str | None, tournament: int | None, seen: Sight) -> None:
    players = [
        Player(address="a@mail.example", settings={"watchers": choice} if choice else {}, created=NOW)
        for choice in (first, second)
    ]
    match = match_with(3, shown=0)
    match.tournament = tournament
    assert sight.of(match, players) is seen
    assert sight.of(match, [*players, Player(address=HOUSE, settings={}, created=NOW)]) is seen


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Let alice and bob play and let others see it; carol watches the match, and dave watches both of them."""
    databases.make(databases.at(tmp_path))
    engine = database.connect(databases.at(tmp_path))
    with database.transaction(engine) as session:
        for name in NAMES:
            settings = {"watchers": "on"}
            row = Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW, settings=settings)
            session.add(row)
            session.flush()
        alice, bob, carol, dave = people(session)
        (event,) = lifecycle.offer(session, alice, bob, "quadrature", {}, NOW)
        lifecycle.accept(session, event.match, bob, NOW)
        for spectator, subject in ((carol, event.match), (dave, alice), (dave, bob)):
            assert watches.begin(session, spectator, subject, NOW)
    yield engine
    engine.dispose()


def people(session: Session) -> list[Player]:
    return list(session.exec(select(Player).order_by(col(Player.id))))


def move_on(engine: Engine) -> None:
    """Let a turn be played, as far as spectators are concerned."""
    with database.transaction(engine) as session:
        session.execute(update(Match).values(plies=col(Match.plies) + 1))


def shown(engine: Engine) -> tuple[int, int | None]:
    """Return how many messages there are to spectators, and which version they have seen."""
    with database.read_only(engine) as session:
        rows = session.exec(select(Outgoing).where(Outgoing.template == "watched")).all()
        return len(rows), session.get_one(Match, 1).shown


def at_once(engine: Engine) -> None:
    """Let four daemons look at what is due."""
    threads = [threading.Thread(target=spectators.show, args=(engine, SERVER, NOW), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.sql
def test_several_daemons_show_a_turn_once(engine: Engine) -> None:
    at_once(engine)
    assert shown(engine) == (0, 0)

    seen = []
    for _ in range(3):
        move_on(engine)
        at_once(engine)
        seen.append(shown(engine))

    assert seen == [(2, 1), (4, 2), (6, 3)]


@pytest.mark.sql
def test_a_crash_before_the_commit_leaves_it_to_be_shown(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    spectators.show(engine, SERVER, NOW)
    move_on(engine)

    class Killed(BaseException):
        """What the test raises where the process would be killed."""

    def kill(_step: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pbem.failpoints.reach", kill)
        with pytest.raises(Killed):
            spectators.show(engine, SERVER, NOW)
    assert shown(engine) == (0, 0)

    assert spectators.show(engine, SERVER, NOW) == 1
    assert spectators.show(engine, SERVER, NOW) == 0
    assert shown(engine) == (2, 1)


@pytest.mark.sql
def test_nothing_is_looked_at_again_where_nobody_watches(engine: Engine) -> None:
    with database.transaction(engine) as session:
        _, _, carol, dave = people(session)
        assert (watches.end_all(session, carol), watches.end_all(session, dave)) == (1, 2)
    spectators.show(engine, SERVER, NOW)
    move_on(engine)

    spectators.show(engine, SERVER, NOW)

    assert shown(engine) == (0, None)
    with database.read_only(engine) as session:
        assert watched.unseen(session, 9) == []


@pytest.mark.sql
@pytest.mark.parametrize("watches_first", [False, True])
def test_a_match_that_begins_while_somebody_begins_to_watch_its_player_is_watched(
    engine: Engine, watches_first: bool
) -> None:
    """In whatever order the two are settled, once both are committed."""
    with database.transaction(engine) as session:
        session.execute(update(Match).values(shown=watched.UNNOTICED))
        session.execute(update(Watch).values(noticed=None))
    steps = (_settle_watches, watched.notice_begun)
    for step in steps if watches_first else steps[::-1]:
        with database.transaction(engine) as session:
            step(session)

    assert shown(engine) == (0, 0)


def _settle_watches(session: Session) -> None:
    for row in session.exec(select(Watch)).all():
        watched.mark_all(session, row, NOW)


@pytest.mark.sql
def test_whoever_can_t_be_told_is_left_out_and_the_others_are_told(engine: Engine) -> None:
    spectators.show(engine, SERVER, NOW)
    with database.transaction(engine) as session:
        people(session)[3].unreachable = NOW
    move_on(engine)

    spectators.show(engine, SERVER, NOW)

    assert shown(engine) == (1, 1)


@pytest.mark.sql
def test_an_account_that_becomes_part_of_another_takes_along_what_it_watches(engine: Engine) -> None:
    with database.transaction(engine) as session:
        alice, bob, carol, dave = people(session)
        watches.begin(session, bob, carol, NOW)
        watches.begin(session, carol, alice, NOW)
        watches.begin(session, dave, carol, NOW)
        watches.pass_on(session, carol, dave, NOW)

    with database.read_only(engine) as session:
        rows = {(row.player, row.match, row.whom) for row in session.exec(select(Watch))}
    assert rows == {(dave.id, 1, None), (dave.id, None, alice.id), (dave.id, None, bob.id), (bob.id, None, dave.id)}


def test_a_match_that_is_over_is_open_to_everybody(engine: Engine) -> None:
    with database.transaction(engine) as session:
        match = queries.locked(session, 1)
        assert match is not None
        alice, bob, carol, _ = people(session)
        alice.settings = bob.settings = {"watchers": "off"}
        session.flush()
        assert [sight.of_reader(session, match, reader) for reader in (alice, carol, None)] == [FULL, HIDDEN, HIDDEN]
        match.state = MatchState.OVER
        assert [sight.of_reader(session, match, reader) for reader in (carol, None)] == [FULL, FULL]

"""A season: 64 players, matches of all games and tournaments, half a year long, on a server whose clock a test moves.

What happens in a match goes through the functions of its lifecycle, and what follows by time through the scheduler.
Nothing is sent, and only what the scheduler does is told: both is shown elsewhere (tests/year.py), and takes long.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sqlmodel import Session, col, select

from engines.seats import SEATS, other, seat_of
from notation.games import GAMES
from notation.record import replay
from notation.time_control import TimeControl, parse
from pbem.features.tournaments import entries, rungs
from pbem.features.tournaments.entries import TournamentTerms
from pbem.features.tournaments.field import Format
from pbem.matches import agreements, lifecycle, queries, turns
from pbem.matches.clock import timekeeping
from pbem.matches.offers import OfferKind
from pbem.matches.snapshot import snapshot_of
from pbem.matches.turns import ReadTurn
from pbem.server.daemon import Server
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match, MatchState, Player, Tournament
from tests import diagrams
from tests.correspondence import MORNING, Clock
from tests.year import beat, opened

PLAYERS = 64
DAYS = 26 * 7
BEGINNING = 22 * 7
"""On how many of the days matches begin."""
LONGEST = 12
"""How many days a match lasts at most, unless time runs out."""
CONTROL = parse("3d/move,auto")
CUPS: tuple[tuple[int, Format, str, int, int], ...] = (
    (3, Format.SWISS, "quadrature", 23, 2),
    (10, Format.ROUND_ROBIN, "kvadratik", 9, 1),
    (20, Format.KNOCK_OUT, "hexaphages", 13, 1),
)
"""Tournaments with rounds: on which day each begins, its kind and game, how many enter, and how many withdraw later."""
LADDER = (30, "quadrature", 16)
"""On which day the ladder begins, its game, and how many enter."""
ENDS = {"resign": 60, "draw": 14, "rules": 2, "time": 8, "cancel": 3, "early": 3}
"""How often a match ends how; `early` is a resignation after one turn, which doesn't count."""


@dataclass(frozen=True)
class Plan:
    """How a match will end: on which day, how, and who will have won."""

    day: int
    end: str
    winner: int


@dataclass
class Season:
    """The world: a server, and players of whom some are stronger than others."""

    server: Server
    clock: Clock
    dice: random.Random
    matches: int
    strength: dict[int, float] = field(default_factory=dict)
    plans: dict[int, Plan] = field(default_factory=dict)
    """How matches that go on will end."""
    begun: int = 0
    climbers: list[int] = field(default_factory=list)
    """Who has entered the ladder, in that order."""

    def pass_by(self) -> None:
        """Let the season pass, and some weeks more, until its last matches are over and rated."""
        for day in range(DAYS):
            self.clock.advance(hours=24)
            with transaction(self.server.engine) as session:
                for number in [number for number, plan in self.plans.items() if plan.day <= day]:
                    self._end(session, number, self.plans.pop(number))
                self._begin(session, day)
                self._enter(session, day)
                self._climb(session, day)
            self._work()
            with transaction(self.server.engine) as session:
                self._play_in_tournaments(session, day)
                self._withdraw(session, day)
        self.clock.advance(hours=8 * 24)
        self._work()

    def _work(self) -> None:
        """Do what is due by time."""
        beat(self.server)
        for _ in range(9):
            if not self.server.scheduler.step(self.server.engine, self.server.settings.server, self.clock()):
                break

    def _begin(self, session: Session, day: int) -> None:
        """Let some players challenge others, who accept and play the first turns."""
        due = min(self.matches, self.matches * (day + 1) // BEGINNING)
        for _ in range(due - self.begun):
            first, second = (session.get_one(Player, number) for number in self.dice.sample(sorted(self.strength), 2))
            name = self.dice.choice(diagrams.NAMES)
            (end,) = self.dice.choices(list(ENDS), list(ENDS.values()))
            if end == "draw" and not GAMES[diagrams.played(name).game].game.can_be_drawn(diagrams.played(name).options):
                end = "resign"
            self._challenge(session, first, second, name, Plan(day + self.dice.randint(1, LONGEST), end, -1))
        self.begun = max(self.begun, due)

    def _challenge(self, session: Session, first: Player, second: Player, name: str, plan: Plan) -> None:
        script, now = diagrams.played(name), self.clock()
        time = CONTROL if plan.end == "time" else TimeControl()
        options, rated = dict(script.options), self.dice.random() < 0.97
        (offered,) = lifecycle.offer(
            session, first, second, script.game, options, now, time=time, rated=rated,
            challenger_begins=self.dice.random() < 0.5,
        )  # fmt: skip
        match = offered.match
        lifecycle.accept(session, match, second, now)
        self._play(session, match, name, {"early": 1, "rules": None}.get(plan.end, self.dice.randint(2, 4)))
        if match.state == MatchState.RUNNING:
            self._plan(session, match, plan)

    def _plan(self, session: Session, match: Match, plan: Plan) -> None:
        """Say how a match will end; who is to move when time runs out has been told so, and does nothing more."""
        gap = self.strength[match.seat0] - self.strength[match.seat1]
        winner = int(self.dice.random() > 1 / (1 + 10 ** (-gap / 400)))
        if plan.end == "time":
            timekeeping.hand_over(session, [(match.id or 0, queries.version(match))], self.clock())
        else:
            self.plans[match.id or 0] = Plan(plan.day, plan.end, winner)

    def _play(self, session: Session, match: Match, name: str, most: int | None) -> None:
        """Play the first turns of a playthrough, or all of them."""
        snapshot = snapshot_of(session, match)
        for turn in script(name)[:most]:
            assert match.to_move is not None
            lifecycle.play(session, snapshot, seat_of(match.to_move), turn, self.clock())
            snapshot = snapshot.after(turn)

    def _end(self, session: Session, number: int, plan: Plan) -> None:
        match = queries.locked(session, number)
        assert match is not None
        if match.state != MatchState.RUNNING:
            return
        kinds = {"draw": OfferKind.DRAW, "cancel": OfferKind.CANCEL}
        if plan.end in kinds:
            agreements.propose(session, match, 0, kinds[plan.end], self.clock())
            agreements.accept(session, match, 1, kinds[plan.end], self.clock())
        else:
            lifecycle.resign(session, match, other(SEATS[plan.winner]), self.clock())

    def _enter(self, session: Session, day: int) -> None:
        """Open the tournaments of a day, and let players enter until all places are taken."""
        for begins, kind, game, players, _ in CUPS:
            if begins != day:
                continue
            terms = TournamentTerms(
                kind, f"{kind} of the season", game, {}, CONTROL, rated=True, places=players, days=14
            )
            row = entries.open_(session, terms, None, self.clock())
            for number in self.dice.sample(sorted(self.strength), players):
                entries.enter(session, row, session.get_one(Player, number), self.clock())

    def _climb(self, session: Session, day: int) -> None:
        """Let players enter the ladder on its day, and from then on one of them challenge another, where they can."""
        begins, game, players = LADDER
        if day == begins:
            self.climbers = self.dice.sample(sorted(self.strength), players)
            terms = TournamentTerms(
                Format.LADDER, "Ladder", game, {}, CONTROL, rated=True, places=players, days=0, reach=3, at_once=2
            )
            row = entries.open_(session, terms, None, self.clock())
            for number in self.climbers:
                rungs.enter(session, row, session.get_one(Player, number), self.clock())
        if not begins < day < BEGINNING:
            return
        row = session.exec(select(Tournament).where(Tournament.kind == Format.LADDER)).one()
        one, other = self.dice.sample(rungs.on(session, row), 2)
        found = rungs.ladder_of(session, row, (one, other), self.clock())
        if found.obstacle(one, other, self.clock()) is None:
            below, above = (session.get_one(Player, number) for number in (one, other))
            rungs.challenge(session, row, found, below, above, self.clock())

    def _play_in_tournaments(self, session: Session, day: int) -> None:
        """Play the first turns of matches that have just begun, and plan how they end: by resignation, draw or time."""
        of_one = (col(Match.tournament).is_not(None), Match.state == MatchState.RUNNING, Match.plies == 0)
        for match in session.exec(select(Match).where(*of_one).order_by(col(Match.id))):
            if match.due is not None:
                continue
            (end,) = self.dice.choices(["resign", "draw", "time", "early"], [70, 20, 6, 4])
            can_draw = GAMES[match.game].game.can_be_drawn(match.options)
            self._play(session, match, match.game, 0 if end == "early" else 2)
            plan = Plan(day + self.dice.randint(1, 5), end if end != "draw" or can_draw else "resign", -1)
            self._plan(session, match, plan)

    def _withdraw(self, session: Session, day: int) -> None:
        """Let some players withdraw from tournaments, a week after these have begun."""
        for number, (begins, *_, leaving) in enumerate(CUPS, start=1):
            if begins + 7 == day:
                tournament = session.get_one(Tournament, number)
                people = sorted(player.id or 0 for _, player in entries.players_of(session, tournament))
                for player in self.dice.sample(people, leaving):
                    entries.withdraw(session, tournament, session.get_one(Player, player), self.clock())


@cache
def script(name: str) -> tuple[ReadTurn, ...]:
    """Return the turns of a playthrough, read on the positions where they are played."""
    record = diagrams.played(name)
    notation, positions = GAMES[record.game].notation, replay(record)
    return tuple(
        turns.read(notation, position, None, turns.parse(notation, text))
        for text, position in zip(record.moves, positions, strict=False)
    )


@contextmanager
def season(folder: Path, matches: int, seed: int = 1) -> Iterator[Season]:
    """Open a server with players who will play that many matches, and those of the tournaments."""
    people = [
        Player(name=f"p{number}", address=f"p{number}@mail.example", confirmed=MORNING, created=MORNING)
        for number in range(PLAYERS)
    ]
    with opened(folder, people) as (server, _, clock):
        dice = random.Random(seed)
        with read_only(server.engine) as session:
            theirs = select(Player.id).where(col(Player.name).like("p%")).order_by(col(Player.id))
            strength = {number or 0: dice.gauss(1500, 300) for number in session.exec(theirs)}
        yield Season(server, clock, dice, matches, strength)

"""A simulated year: scripted players write to a server whose clock a test moves, eleven hours at a time.

Turns, offers and conditional moves arrive as messages and take the server's own path; those of eleven hours arrive
together. What is sent is counted, not read, and only some of it is rendered. Challenges, answers to them and
resignations are called directly. Old messages are removed once a week.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.utils import format_datetime
from itertools import compress, islice
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam, event, func, update
from sqlmodel import Session, col, select

from engines.seats import other, seat_of
from notation.games import GAMES
from notation.time_control import parse
from pbem.features.accounts import data_export
from pbem.mail.reading.isolated_parser import MailParser
from pbem.mail.transports.protocols import Arrival, NotAccepted
from pbem.matches import lifecycle, queries
from pbem.matches.events import Events
from pbem.matches.replayed_match import turn_texts
from pbem.matches.stored_offers import open_offers
from pbem.messages.render import Renderer
from pbem.messages.reply_links import address_with
from pbem.players import match_event_notices
from pbem.server import daemon
from pbem.storage import retention
from pbem.storage.database import transaction
from pbem.storage.mailer import WITH_CONTENT
from pbem.storage.models import Clock as ServerClock
from pbem.storage.models import Match, MatchState, Outgoing, OutgoingContent, Player
from pbem.storage.utc import Utc
from pbem.tokens import Purpose, Token
from tests import databases
from tests.correspondence import MORNING, Clock, settings
from tests.searchers import FirstTurn

STEP = timedelta(hours=11)
"""So that it is any hour of the day in turn."""
STEPS = 365 * 24 // 11
BEGINNING = 600
"""In how many of the steps matches begin."""
OUTAGES = (range(150, 157), range(400, 402), range(600, 620))
"""The steps in which no server is running."""
REFUSING = (range(300, 303), range(700, 701))
"""The steps in which the next mail server takes nothing."""
CONTROLS = ("3d/2d/move", "2d+1d", "5d/3,auto", "3d/move,auto", "4d,1d/move,nag=8h", "10d,auto", "nag=2d")
WISHES = ({}, {"remind": "off"}, {"remind": "25% 1d 3h", "zone": "Asia/Tokyo"}, {"mail": "daily", "hour": "7"})
RENDERED = 10
"""One message in so many is rendered; nobody reads them."""
REMOVING = 15
"""After so many steps old messages are removed."""
AT_ONCE = 4
"""Among how many legal turns a player chooses, so that opponents foresee some."""


DATE = format_datetime(MORNING)
BEAT = update(ServerClock).values(beat=bindparam("now", type_=Utc))


@dataclass
class Post:
    """The next mail server: it takes what it is given, or nothing."""

    taken: int = 0
    refuses: bool = False

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Take a message."""
        if self.refuses:
            raise NotAccepted("451 not now", later=True)
        self.taken += 1

    def close(self) -> None:
        """Do nothing."""


class Sampling(Renderer):
    """Renders some of the messages, and lets an empty one be sent in place of each of the others."""

    rendered = 0

    def render(self, session: Session, rows: Sequence[Outgoing]) -> Iterator[bytes]:
        """Yield the messages of the rows in their order."""
        chosen = [(row.id or 0) % RENDERED == 0 for row in rows]
        made = super().render(session, list(compress(rows, chosen)))
        for is_chosen in chosen:
            self.rendered += is_chosen
            yield next(made) if is_chosen else b""


@dataclass
class Year:
    """The world: a server, its post office, and players who roll dice."""

    server: daemon.Server
    post: Post
    clock: Clock
    dice: random.Random
    players: dict[int, Player]
    number: int
    renderer: Sampling
    planned: dict[tuple[int, int], int] = field(default_factory=dict)
    """In which step the player to move acts, by match and version."""
    written: int = 0
    begun: int = 0
    reminders: list[Outgoing] = field(default_factory=list)
    """All that were queued, as they stood then; what they say is deleted after some weeks."""
    _looked: int = 0
    _mail: list[Arrival] = field(default_factory=list)
    """What players have written, and the server hasn't received yet."""
    _seen: dict[int, tuple[tuple[str, ...], Any]] = field(default_factory=dict)
    """The turns of each match when its player looked last, and the position after them."""

    def pass_by(self) -> None:
        """Let the year pass."""
        for step in range(STEPS):
            self.clock.advance(hours=STEP.total_seconds() / 3600)
            if any(step in outage for outage in OUTAGES):
                continue
            self.post.refuses = any(step in times for times in REFUSING)
            if not any(step - 1 in outage for outage in OUTAGES):
                beat(self.server)
            self._begin(min(self.number, self.number * (step + 1) // BEGINNING) - self.begun)
            self._rest(step)
            for match in self._running():
                self._act(match, step)
            if step % REMOVING:
                self.server.scheduler.retention.due = self.clock() + retention.EVERY
            else:
                self._note_reminders()
            self._work()
        self._note_reminders()

    def _rest(self, step: int) -> None:
        """Let some players have weekends off, and some go on vacation."""
        for number in sorted(self.players):
            if step == 0 and number % 5 == 0:
                self._settle(number, "set days mon-fri")
            if step and self.dice.random() < 1 / STEPS:
                self._settle(number, "vacation 6d")

    def _settle(self, number: int, body: str) -> None:
        """Let a player write to their personal address."""
        self._send(self.players[number], Token(Purpose.PERSONAL, number, 0, 0), body)

    def _work(self) -> None:
        """Do what the server does until nothing is left, but look once for what is due: meanwhile time stands still."""
        self.server.take(tuple(self._mail))
        self._mail.clear()
        while self.server.handle_waiting():
            pass
        while self.server.thinker.step():
            pass
        self._deliver()
        self.server.scheduler.step(self.server.engine, self.server.settings.server, self.clock())
        self._deliver()

    def _note_reminders(self) -> None:
        """Note what has been queued, before what it says is removed."""
        is_reminder = col(OutgoingContent.payload)["reminder"].as_boolean()
        with Session(self.server.engine, expire_on_commit=False) as session:
            fresh = select(Outgoing).join(OutgoingContent).where(col(Outgoing.id) > self._looked, is_reminder)
            self.reminders += session.exec(fresh.order_by(col(Outgoing.id)).options(WITH_CONTENT))
            self._looked = session.exec(select(func.max(Outgoing.id))).one() or 0

    def _deliver(self) -> None:
        while self.server.send(lambda: False):
            pass

    def _begin(self, number: int) -> None:
        """Let some players challenge others, who accept."""
        self.begun += number
        for nth in range(number):
            first, second = self.dice.sample(sorted(self.players), 2)
            game = self.dice.choice(sorted(GAMES))
            control = parse(self.dice.choice(CONTROLS))
            with transaction(self.server.engine) as session:
                challenger, opponent = session.get_one(Player, first), session.get_one(Player, second)
                terms = lifecycle.Terms(game, {}, control, free_undo=nth % 2 == 0)
                (offered,) = lifecycle.offer(session, challenger, opponent, terms, self.clock())
                self._announce(session, lifecycle.accept(session, offered.match, opponent, self.clock()))

    def _announce(self, session: Session, events: Events) -> None:
        match_event_notices.announce(session, self.server.settings.server, self.clock(), events)

    def _running(self) -> list[Match]:
        with Session(self.server.engine, expire_on_commit=False) as session:
            return list(session.exec(select(Match).where(Match.state == MatchState.RUNNING).order_by(col(Match.id))))

    def _act(self, match: Match, step: int) -> None:
        """Let its players do what they have in mind, if anything."""
        assert match.id is not None
        assert match.to_move is not None
        mover, roll = seat_of(match.to_move), self.dice.random()
        version = queries.version(match)
        waits = match.clock is not None and match.clock.get("seat") is None and match.due is None
        if match.clock is not None and match.clock.get("is_told") and roll < 0.4:
            self._write(match, other(mover), "claim")
            return
        if match.clock is not None and roll > 0.99:
            self._write(match, other(mover), "give 8h")
        elif roll > 0.98:
            self._write(match, other(mover), "undo")
        for offer in open_offers(match):
            if roll < 0.5:
                self._write(match, other(offer.seat), self.dice.choice(("accept", "reject")) + f" {offer.kind.value}")
                return
        if match.paused is not None and roll < 0.1:
            self._write(match, mover, "resume")
        when = self.planned.setdefault((match.id, version), step + self._patience(match, mover))
        if step < when or (waits and roll < 0.5):
            return
        if roll < 0.03 + 0.01 * match.plies:
            self._resign(match.id, mover)
        else:
            self._write(match, mover, self._turn(match, roll))

    def _patience(self, match: Match, mover: int) -> int:
        """Return for how many steps a player thinks; some never come back."""
        if self.dice.random() < 0.08:
            return STEPS
        return self.dice.choice((0, 1, 1, 2, 3, 4, 6, 8))

    def _turn(self, match: Match, roll: float) -> str:
        """Return a message with a legal turn, and perhaps an offer, or what to play next."""
        notation, position = GAMES[match.game].notation, self._position(match)
        lines = []
        after, text = self._next(notation, position)
        lines.append(text)
        if roll > 0.9:
            lines.insert(0, self.dice.choice(("draw", "pause", "undo", "cancel")))
        elif roll > 0.6 and after.outcome is None and after.turn != position.turn:
            foreseen, theirs = self._next(notation, after)
            if foreseen.outcome is None and foreseen.turn == position.turn:
                reply = "resign" if roll > 0.895 else self._next(notation, foreseen)[1]
                lines.append(f"if {theirs} then {reply}")
        return "\n".join(lines)

    def _position(self, match: Match) -> Any:
        """Return the position after the turns of the match; only those are played that the player hasn't seen."""
        with Session(self.server.engine) as session:
            texts = turn_texts(session, match)[: match.plies]
        seen, position = self._seen.get(match.id or 0, ((), None))
        if position is None or texts[: len(seen)] != seen:
            seen, position = (), GAMES[match.game].game.position(match.options)
        for text in texts[len(seen) :]:
            position = position.play(GAMES[match.game].notation.parse(text))
        self._seen[match.id or 0] = texts, position
        return position

    def _next(self, notation: Any, position: Any) -> tuple[Any, str]:
        """Return the position after one of the first legal turns, and the turn's text."""
        while True:
            move = self.dice.choice(list(islice(position.moves(), AT_ONCE)))
            after = position.play(move)
            return after, notation.format(move, position)

    def _write(self, match: Match, seat: int, body: str) -> None:
        """Let the player in that seat write a message about the match as it is now."""
        player = self.players[match.seat1 if seat else match.seat0]
        self._send(player, Token(Purpose.PLAY, player.id or 0, match.id or 0, queries.version(match)), body)

    def _send(self, player: Player, token: Token, body: str) -> None:
        to = address_with(self.server.settings.server, self.server.services.keyring, token, player.epoch)
        self.written += 1
        head = f"From: {player.address}\nTo: {to}\nDate: {DATE}\nMessage-ID: <{self.written}@mail.example>\n"
        raw = f"{head}Subject: Re: [pbem] your turn\n\n{body}\n".encode("ascii")
        self._mail.append(Arrival(raw, "a year", sender=player.address, recipients=(to,)))

    def _resign(self, number: int, seat: int) -> None:
        with transaction(self.server.engine) as session:
            match = queries.locked(session, number)
            assert match is not None
            if match.state == MatchState.RUNNING:
                self._announce(session, lifecycle.resign(session, match, seat_of(seat), self.clock()))


@contextmanager
def year(folder: Path, players: int, matches: int, seed: int = 1) -> Iterator[Year]:
    """Open a server with that many players, who will begin that many matches."""
    with opened(folder, [_player(number) for number in range(players)]) as (server, post, clock):
        with Session(server.engine, expire_on_commit=False) as session:
            people = {
                player.id or 0: player for player in session.exec(select(Player).where(col(Player.name).like("p%")))
            }
        renderer = Sampling(
            server.settings.server,
            server.services.keyring,
            server.settings.limits.keep_mail_days,
            data_export.encloser(server.settings.server, server.services.features.exports),
        )
        thinker = replace(server.thinker, searcher=FirstTurn())
        server = replace(server, sender=replace(server.sender, renderer=renderer), thinker=thinker)
        yield Year(server, post, clock, random.Random(seed), people, matches, renderer)


@contextmanager
def opened(folder: Path, players: list[Player]) -> Iterator[tuple[daemon.Server, Post, Clock]]:
    """Open a server with those players, the next mail server, and the clock of both."""
    clock, post = Clock(), Post()
    chosen = settings(folder)
    databases.make(chosen.server.database)
    with daemon.open_server(chosen, clock, MailParser()) as server:
        if server.engine.dialect.name == "sqlite":  # there are no power cuts
            event.listen(server.engine, "checkout", lambda raw, *_: raw.execute("pragma synchronous = off"))
        with transaction(server.engine) as session:
            session.add_all(players)
        yield replace(server, sender=replace(server.sender, outbox=post)), post, clock


def beat(server: daemon.Server) -> None:
    """Let the server have run since it was last looked at."""
    with transaction(server.engine) as session:
        session.connection().execute(BEAT, {"now": server.clock()})


def _player(number: int) -> Player:
    name = f"p{number}"
    chosen: Mapping[str, str] = WISHES[number % len(WISHES)]
    looks = {"html": "off", "picture": "off", "receipt": "off"}
    return Player(
        name=name,
        address=f"{name}@mail.example",
        confirmed=MORNING,
        created=MORNING,
        settings={**looks, **chosen, **({"automove": "on"} if number % 3 == 0 else {})},
    )

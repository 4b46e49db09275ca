"""The page with the board on which a player puts a turn together, and which can send it; messages link to it.

It shows the position as it is now. Its name is a token, so nobody can guess it, and `revoke` ends it at once. The token
names the match and the version of the message that it was in: from an older message, the board is only looked at. So
whoever is given a message can play neither later turns nor those of other matches.

What a page sends is stored as the email that it stands for, to the reply address that its link has. So it is judged,
played and answered like any other, and a page only promises that it has arrived.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from sqlmodel import Session, col, func, select

from engines.core import Seat
from engines.seats import other, seat_of
from notation.games import GAMES, GameMissing
from notation.steps import turn_tree
from pbem import tokens
from pbem.config import ServerSettings
from pbem.errors import Refused
from pbem.mail.transports.protocols import Arrival
from pbem.matches import condition_parsing, prepared_and_forced_turns, turn_parsing
from pbem.matches.clock.timekeeping import ZONE, clock_of
from pbem.matches.condition_parsing import ELSE, IF, THEN, Conditions
from pbem.matches.queries import awaiting, version
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.matches.shown_names import name
from pbem.messages import general_preferences
from pbem.messages.headers import subject_of
from pbem.messages.reply_links import ReplyTarget, address_with
from pbem.messages.times_shown import time_shown
from pbem.players.message_budgets import HOUR
from pbem.publishing import html_pages
from pbem.publishing.html_pages import Site
from pbem.publishing.tap_board import foreseen_tree, tap_board
from pbem.storage.models import Incoming, IncomingState, Match, MatchState, Player, Ply
from pbem.storage.utc import within
from pbem.tokens import SMALL_PLY, Keyring, Purpose, Token

LONGEST = 500  # characters of a turn, and of the words to the opponent
MOST_IN_AN_HOUR = 120  # the turns that are taken from the pages of a match for one player


@dataclass(frozen=True, slots=True)
class BoardAccess:
    """What a name gives access to: a match, as one of its players sees it."""

    session: Session
    player: Player
    match: Match
    snapshot: Snapshot
    seat: Seat
    ply: int  # the version of the match that the message with the link was about
    now: datetime

    @property
    def is_newest(self) -> bool:
        return self.ply == min(version(self.match), SMALL_PLY)

    @property
    def names(self) -> tuple[str, str]:
        first, second = self.snapshot.players
        return name(first), name(second)

    @property
    def source(self) -> str:
        """Where the messages of these pages come from, as the log says."""
        return f"board {self.match.id}"

    def sent(self, *which: bool) -> Incoming | None:
        """Return the newest message of these pages that is so."""
        mine = (Incoming.sender == self.player.address, Incoming.source == self.source)
        return self.session.exec(select(Incoming).where(*mine, *which).order_by(col(Incoming.id).desc())).first()

    def number_of_hour(self) -> int:
        mine = (Incoming.sender == self.player.address, Incoming.source == self.source)
        hour = within(Incoming.received, HOUR, self.now)
        return self.session.exec(select(func.count(col(Incoming.id))).where(*mine, hour)).one()

    @property
    def time(self) -> str:
        """How much time both have, and who is away; nothing for an older message, which others may have by now."""
        if not self.is_newest:
            return ""
        clock, to_move = clock_of(self.match), seat_of(self.match.to_move != 0)
        zone = general_preferences.with_defaults(self.player.settings)[ZONE]
        shown = time_shown(clock, to_move, self.names, self.seat, zone, self.now) if clock else None
        return shown.line if shown else ""

    @property
    def opponent(self) -> str:
        return self.names[other(self.seat)]

    @property
    def last_turn(self) -> str:
        seat = self.snapshot.last_seat
        who = "" if seat is None else "You" if seat == self.seat else self.names[seat]
        return f"{who} played {self.snapshot.texts[-1]} in turn {self.snapshot.ply}." if who else ""

    @property
    def prepared(self) -> tuple[str, ...]:
        lines = prepared_and_forced_turns.of_seat(self.session, self.match, self.seat).lines if self.is_newest else ()
        return tuple(" ".join(line) if line[0] == ELSE else f"{IF} {f' {THEN} '.join(line)}" for line in lines)

    def news(self, newest: Incoming) -> str:
        """Return what has become of the last message that was sent from these pages."""
        plies = select(Ply).where(Ply.match == self.match.id)
        if not self.is_newest:
            played = self.session.exec(plies.where(Ply.incoming == newest.id)).first()
            waiting = next(iter(awaiting(self.session, self.player)), None)
            also = f" It's your turn in match #{waiting.id}, {GAMES.title(waiting.game)}." if waiting else ""
            return f"Your turn was played: {played.text}.{also}" if played else ""
        last = self.session.exec(plies.order_by(col(Ply.number).desc())).first()
        has_answer = last is None or newest.received > last.played
        return "We answered by email what you sent from here." if has_answer else ""

    def check(self, turn: str) -> None:
        """Raise Refused for what is no turn here, or nothing that can be prepared."""
        notation, base = self.snapshot.notation, self.snapshot.base
        if self.match.to_move == self.seat:
            turn_parsing.read(notation, base, self.snapshot.part, turn_parsing.parse(notation, turn))
        elif not condition_parsing.read(notation, base, self.seat, turn, Conditions()).lines:
            raise Refused("There is nothing in it that could be prepared.", fits='Write "if TURN then TURN".')


@dataclass(frozen=True, slots=True)
class Boards:
    server: ServerSettings
    keyring: Keyring
    store: Callable[[tuple[Arrival, ...]], object] | None = None
    """Stores a message as if it had been received; None if pages only write emails."""

    def page(
        self, session: Session, site: Site, name: str, now: datetime, refused: str = "", turn: str = ""
    ) -> str | None:
        """Return the page of that name; None if the match is over, or if it isn't a token of one of its players."""
        opened = self._opened(session, name, now)
        if opened is None:
            return None
        snapshot, newest = opened.snapshot, opened.sent()
        waits = newest is not None and newest.state == IncomingState.NEW
        news = refused or (opened.news(newest) if newest is not None and not waits else "")
        grow = turn_tree if snapshot.position.turn == opened.seat else foreseen_tree
        reply = self._target(opened).link("") if opened.is_newest and not waits else None
        uri, tree = (reply.uri, grow(snapshot.notation, snapshot.position)) if reply else ("", None)
        diagram = snapshot.diagram.seen_by(opened.seat)
        tapping = tap_board(snapshot.notation, snapshot.position, diagram, uri, tree)
        return html_pages.render(
            "board",
            "board/",
            site=site,
            game=snapshot.game,
            number=snapshot.number,
            tapping=tapping,
            board=opened,
            waits=waits,
            news=news,
            turn=turn,
            can_send=reply is not None and self.store is not None,
            prepares=grow is foreseen_tree,
        )

    def message(self, session: Session, name: str, now: datetime, turn: str, words: str) -> Arrival | None:
        """Return the email that a player sends from the page of that name; None if there is no such page.

        Raises Refused for what is no turn there, so that it can be corrected at once. The email is the same until it is
        handled, so a form that is sent twice is stored once.
        """
        opened = self._opened(session, name, now)
        if opened is None:
            return None
        turn, words = " ".join(turn.split()), " ".join(words.split())
        if not opened.is_newest:
            raise Refused("Nothing was sent: the match has gone on since the message that this link is from.")
        if max(len(turn), len(words)) > LONGEST or not f"{turn}{words}".isprintable():
            raise Refused(f"Nothing was sent: write a line of at most {LONGEST} characters.")
        if opened.number_of_hour() >= MOST_IN_AN_HOUR:
            raise Refused("Nothing was sent: that's too much from here in an hour.", fits="Send it by email.")
        opened.check(turn)
        handled, target = opened.sent(Incoming.state != IncomingState.NEW), self._target(opened)
        written = f"{name} {handled.id if handled else 0} {turn}\n{words}"
        own_id = f"{blake2b(written.encode(), digest_size=16).hexdigest()}.board@{self.server.domain}"
        lines = (
            f"From: {opened.player.address}",
            f"To: {target.address}",
            f"Subject: {target.subject}",
            f"Message-ID: <{own_id}>",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 8bit",
            "",
            turn,
            *((f"say {words}",) if words else ()),
            "",
        )
        content, sender = "\r\n".join(lines).encode(), opened.player.address
        return Arrival(content, opened.source, sender=sender, recipients=(target.address,))

    def _target(self, opened: BoardAccess) -> ReplyTarget:
        play = Token(Purpose.PLAY, opened.player.id or 0, opened.match.id or 0, version(opened.match))
        subject = subject_of(opened.match, *opened.snapshot.players).partition("]")[0] + "]"
        return ReplyTarget(address_with(self.server, self.keyring, play, opened.player.epoch), f"Re: {subject}")

    def _opened(self, session: Session, name: str, now: datetime) -> BoardAccess | None:
        token = tokens.parse(name)
        if token is None or token.purpose is not Purpose.BOARD:
            return None
        player, match = session.get(Player, token.player), session.get(Match, token.subject)
        if player is None or player.banned or player.deleted or not self.keyring.signed(name, player.epoch):
            return None
        if match is None or match.state != MatchState.RUNNING or player.id not in (match.seat0, match.seat1):
            return None
        seat = seat_of(player.id != match.seat0)
        try:
            snapshot = snapshot_of(session, match)
        except GameMissing:
            return None
        if match.to_move != seat:
            snapshot = snapshot.at(snapshot.ply)  # without what the opponent has begun, which nobody else sees
        return BoardAccess(session, player, match, snapshot, seat, token.ply, now)

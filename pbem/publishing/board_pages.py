"""The page with the board on which a player puts a turn together; messages link to it.

It shows the position as it is now. Its name is a token, so nobody can guess it, and `revoke` ends it at once. The token
names the match and the version of the message that it was in: from an older message, the board is only looked at. So
whoever is given a message can't play the turns that come later.
"""

from dataclasses import dataclass

from sqlmodel import Session

from engines.seats import seat_of
from notation.games import GameMissing
from pbem import tokens
from pbem.config import ServerSettings
from pbem.matches.queries import subject_of
from pbem.matches.snapshot import snapshot_of
from pbem.messages.links import ReplyTarget, address_with
from pbem.publishing import pages
from pbem.publishing.pages import Site
from pbem.storage.models import Match, MatchState, Player
from pbem.tokens import SMALL_PLY, Keyring, Purpose, Token


@dataclass(frozen=True, slots=True)
class Boards:
    server: ServerSettings
    keyring: Keyring

    def page(self, session: Session, site: Site, name: str) -> str | None:
        """Return the page of that name; None if the match is over, or if it isn't a token of one of its players."""
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
        version = match.plies + match.shift
        target = None
        if token.ply == min(version, SMALL_PLY):
            play = Token(Purpose.PLAY, token.player, token.subject, version)
            subject = subject_of(match, *snapshot.players).partition("]")[0] + "]"
            address = address_with(self.server, self.keyring, play, player.epoch)
            target = ReplyTarget(address, f"Re: {subject}")
        return pages.board(site, snapshot, seat, target)

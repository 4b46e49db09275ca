"""Pages with a board on which players put their turns together; messages link to them.

The name of a page is a token, so nobody can guess it, and `revoke` ends it. It names the match and its version: what is
to be removed is seen from the names alone. A page is removed when its reader gets the next message about the match,
or else by `sweep`, which looks at some of the pages each time.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Engine
from sqlmodel import col, select

from engines.core import Seat
from pbem import tokens
from pbem.matches.snapshot import Snapshot
from pbem.messages.links import ReplyTarget
from pbem.publishing import folder as site_folder
from pbem.publishing import pages
from pbem.publishing.folder import Files, NotASite
from pbem.publishing.pages import Site
from pbem.storage import database, leases
from pbem.storage.models import Match, MatchState, Player
from pbem.tokens import SMALL_PLY, Keyring, Purpose, Token

log = structlog.get_logger()

BOARDS = "boards"
"""The folder within the site."""
UNLISTED = 0o711
"""The mode of that folder: files in it are read by name, and others can't list them."""
SHELVES = "abcdefghijklmnopqrstuvwxyz234567"
"""The folders within it: the last character of a token, so that all are about as full."""
EVERY_MINUTES = 10
AT_ONCE = 1_000
"""About how many pages one sweep looks at."""
EARLIER = 8
"""How many versions before the present one a page is removed for; the house and conditions can play several at once."""


class BoardPages:
    def __init__(self, site: Site, path: Path, keyring: Keyring) -> None:
        self._site = site
        self._path = path
        self._keyring = keyring

    def url(self, snapshot: Snapshot, player: int, epoch: int, target: ReplyTarget) -> str | None:
        """Return the URL of the page for a player, which is written first; None if it can't be written."""
        seat: Seat = 0 if snapshot.match.seat0 == player else 1
        version = snapshot.ply + snapshot.match.shift
        name = self._keyring.format(Token(Purpose.BOARD, player, snapshot.number, version), epoch)
        path = _path_of(name)
        try:
            if not (self._path / path).exists():
                self._write(path, pages.board(self._site, path, snapshot, seat, target))
        except (OSError, NotASite) as error:
            log.warning("no board page", folder=str(self._path), error=str(error))
            return None
        return self._site.absolute(path)

    def retire(self, match: Match, player: int, epoch: int) -> None:
        version = match.plies + match.shift + (match.state != MatchState.RUNNING)
        for earlier in range(max(0, version - EARLIER), version):
            name = self._keyring.format(Token(Purpose.BOARD, player, match.id or 0, earlier), epoch)
            _unlink(self._path / _path_of(name))

    def _write(self, path: str, content: str) -> None:
        site_folder.claim(self._path)
        root = self._path / BOARDS
        site_folder.make(root, UNLISTED)
        files = Files(root, UNLISTED)
        site_folder.make(files.drafts, UNLISTED)
        with leases.shared(files.drafts):
            files.write(path.removeprefix(f"{BOARDS}/"), content)


def sweep(engine: Engine, folder: Path, keyring: Keyring, now: datetime) -> int:
    """Remove the pages of turns that are over, of some of the folders each time. Return their number."""
    boards = folder / BOARDS
    if not boards.is_dir():
        return 0
    first = int(now.timestamp()) // (60 * EVERY_MINUTES) % len(SHELVES)
    seen = removed = 0
    for shelf in (*SHELVES[first:], *SHELVES[:first]):
        found = list((boards / shelf).glob("*"))
        live = _live(engine, keyring, [page.stem for page in found])
        for page in found:
            if page.stem not in live:
                removed += _unlink(page)
        seen += len(found)
        if seen >= AT_ONCE:
            break
    _remove_drafts(boards / site_folder.DRAFTS)
    return removed


def _remove_drafts(drafts: Path) -> None:
    with leases.locked_if_free(drafts) as is_free:
        for draft in drafts.glob("*") if is_free else ():
            _unlink(draft)


def _live(engine: Engine, keyring: Keyring, names: Sequence[str]) -> set[str]:
    named = {name: token for name in names if (token := tokens.parse(name)) and token.purpose is Purpose.BOARD}
    if not named:
        return set()
    with database.read_only(engine) as session:
        about = {token.subject for token in named.values()}
        columns: Any = (Match.id, Match.plies, Match.shift, Match.seat0, Match.seat1)
        running = select(*columns).where(col(Match.id).in_(about), col(Match.state) == MatchState.RUNNING)
        matches = {
            number: (min(plies + shift, SMALL_PLY), seats) for number, plies, shift, *seats in session.exec(running)
        }
        people = {token.player for token in named.values()}
        found = session.exec(select(Player).where(col(Player.id).in_(people)))
        epochs = {player.id: player.epoch for player in found}
    return {
        name
        for name, token in named.items()
        if token.subject in matches
        and matches[token.subject][0] == token.ply
        and token.player in matches[token.subject][1]
        and keyring.signed(name, epochs[token.player])
    }


def _path_of(name: str) -> str:
    """Return where the page of that name is in the site.

    >>> _path_of("mfrgg")
    'boards/g/mfrgg.html'
    """
    return f"{BOARDS}/{name[-1]}/{name}.html"


def _unlink(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:  # it isn't there, or is somebody else's
        return False
    return True

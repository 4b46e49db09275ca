"""Tournaments in a database, for which a test does what is due."""

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Engine
from sqlmodel import col, select

from notation.ending import Ending, Termination
from pbem.config import ServerSettings
from pbem.features.tournaments import entries, host_syntax, openings, rounds
from pbem.features.tournaments.matchups import Format
from pbem.matches import lifecycle, queries
from pbem.secret_setting import Secret
from pbem.storage import database
from pbem.storage.models import Match, Outgoing, Pairing, Player
from tests import databases
from tests.contests import NOW

SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))
NAMES = ("alice", "bob", "carol", "dave", "erin", "fred", "gina", "hugo")


def opened(folder: Path, kind: Format, players: int) -> Engine:
    """Return a database in which that many players have entered a tournament that is to begin."""
    folder.mkdir(exist_ok=True)
    databases.make(databases.at(folder))
    engine = database.connect(databases.at(folder))
    with database.transaction(engine) as session:
        for name in NAMES[:players]:
            session.add(Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW))
        session.flush()
        words = f"{kind} kvadratik time=3d/move rated places={players} called Cup"
        row = openings.open_(session, host_syntax.read(words, "none", NOW))
        for player in session.exec(select(Player).order_by(col(Player.id))):
            entries.enter(session, row, player, NOW)
    return engine


def numbers(engine: Engine) -> tuple[int, int, int]:
    """Return how many pairings, matches and messages there are."""
    with database.read_only(engine) as session:
        pairings, matches, messages = (len(session.exec(select(table)).all()) for table in (Pairing, Match, Outgoing))
        return pairings, matches, messages


def finish(engine: Engine, only: Sequence[int] = ()) -> None:
    """Let whoever moves first resign in all matches, or in these."""
    with database.transaction(engine) as session:
        for number in only or session.exec(select(Match.id).where(col(Match.ended).is_(None))).all():
            match = queries.locked(session, number or 0)
            assert match is not None
            lifecycle.end(session, match, Ending(Termination.RESIGNATION, 0), 1, NOW)


def is_due(engine: Engine) -> bool:
    """Return whether something is due in any tournament."""
    with database.read_only(engine) as session:
        return rounds.due(session, NOW, 1) != []

"""The server's key and its database belong together: with another key, no reply address that a player has is valid."""

from sqlalchemy import Engine, inspect
from sqlmodel import Session, select

from pbem.config import ServerSettings
from pbem.storage import database
from pbem.storage.database import Unusable
from pbem.storage.models import HOUSE, Player, ServerKey

IN_BACKUPS = "backups with secrets have it as secrets/server.key"
INSTEAD = '"pbem init --new-key" uses another; then all reply addresses in sent messages stop working'


def require(engine: Engine, server: ServerSettings) -> None:
    """Raise Unusable if the players in the database know addresses that another key has signed."""
    with database.read_only(engine) as session:
        _compare(session, server)


def adopt(engine: Engine, server: ServerSettings, *, anyway: bool = False) -> None:
    """Note that the key is the one of the database, if it has none yet. Raises Unusable, except for `anyway`."""
    fingerprint = server.keyring().fingerprint
    with database.read_only(engine) as session:
        noted = session.exec(select(ServerKey.fingerprint)).first()
    if noted == fingerprint:
        if anyway:
            origin = server.key.file or "key in [server]"
            raise Unusable(f"{origin} is the key of this database already: move it away, or write another there")
        return
    with database.transaction(engine) as session:
        database.exclude_others(session.connection(), "server key")
        if not anyway:
            _compare(session, server)
        row = session.exec(select(ServerKey)).first() or ServerKey(fingerprint="")
        row.fingerprint = fingerprint
        session.add(row)


def _compare(session: Session, server: ServerSettings) -> None:
    noted = session.exec(select(ServerKey.fingerprint)).first()
    if noted not in (None, server.keyring().fingerprint) and _has_players(session):
        raise Unusable(
            f"{server.key.file or 'key in [server]'} isn't the key of this database, with which its players' reply"
            f" addresses are signed: restore that key ({IN_BACKUPS}). If it is lost or has leaked, {INSTEAD}"
        )


def _has_players(session: Session) -> bool:
    """Return whether somebody plays here, in tables of any version."""
    if not inspect(session.connection()).has_table(str(Player.__tablename__)):
        return False
    return session.exec(select(Player.id).where(Player.address != HOUSE).limit(1)).first() is not None


def require_no_players(engine: Engine, server: ServerSettings) -> None:
    """Raise Unusable if the database has players, whose addresses a new key would make invalid."""
    with database.read_only(engine) as session:
        if _has_players(session):
            raise Unusable(
                f"there is no key in {server.key.file}, and the database has players: restore the key with which their"
                f" reply addresses are signed ({IN_BACKUPS}). If it is lost, {INSTEAD}"
            )

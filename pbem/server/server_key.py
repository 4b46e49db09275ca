"""The server's key and its database belong together: with another key, no reply address that a player has is valid."""

from sqlalchemy import Connection, Engine, inspect
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.storage import database
from pbem.storage.models import HOUSE, Player, ServerKey

IN_BACKUPS = "backups with secrets have it as secrets/server.key"
INSTEAD = '"pbem init --new-key" uses another; then all reply addresses in sent messages stop working'


class WrongKey(database.Unusable):
    """A key that isn't the one of the database."""


def require(engine: Engine, server: ServerSettings) -> None:
    """Raise WrongKey if the players in the database know addresses that another key has signed."""
    with database.read_only(engine) as session:
        _compare(session, server)


def adopt(engine: Engine, server: ServerSettings, *, anyway: bool = False) -> None:
    """Note that the key is the one of the database, if it has none yet. Raises WrongKey, except for `anyway`."""
    keyring = server.keyring()
    with database.read_only(engine) as session:
        noted = _noted(session)
    if noted is not None and noted.fingerprint == keyring.fingerprint:
        if anyway:
            raise WrongKey(
                f"{_origin(server)} is the key of this database already: move it away, or write another there"
            )
        return
    with database.transaction(engine) as session:
        database.exclude_others(session.connection(), "server key")
        if not anyway:
            _compare(session, server)
        row = _noted(session) or ServerKey(fingerprint="")
        row.fingerprint = keyring.fingerprint
        session.add(row)


def _compare(session: Session, server: ServerSettings) -> None:
    noted = _noted(session)
    if noted is not None and noted.fingerprint != server.keyring().fingerprint and has_players(session.connection()):
        raise WrongKey(
            f"{_origin(server)} isn't the key of this database, with which its players' reply addresses are signed:"
            f" restore that key ({IN_BACKUPS}). If it is lost or has leaked, {INSTEAD}"
        )


def _noted(session: Session) -> ServerKey | None:
    return session.exec(select(ServerKey)).first()


def has_players(connection: Connection) -> bool:
    """Return whether somebody plays here, in tables of any version."""
    if not inspect(connection).has_table(str(Player.__tablename__)):
        return False
    return connection.execute(select(Player.id).where(col(Player.address) != HOUSE).limit(1)).first() is not None


def require_no_players(engine: Engine, server: ServerSettings) -> None:
    """Raise WrongKey if the database has players, whose addresses a new key would make invalid."""
    with database.read_only(engine) as session:
        if has_players(session.connection()):
            raise WrongKey(
                f"there is no key in {_origin(server)}, and the database has players: restore the key with which their"
                f" reply addresses are signed ({IN_BACKUPS}). If it is lost, {INSTEAD}"
            )


def _origin(server: ServerSettings) -> str:
    return str(server.key.file or "key in [server]")

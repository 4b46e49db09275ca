"""Reply addresses: our address with a token in it, which tells what a reply may do."""

from pbem.config import ServerSettings
from pbem.storage.models import Outgoing
from pbem.tokens import Keyring, Purpose, Token


def token_of(row: Outgoing) -> Token | None:
    if row.player is None or row.purpose is None:
        return None
    shows_several = row.plies is not None
    return Token(Purpose[row.purpose], row.player, (row.id or 0) if shows_several else row.token_subject, _version(row))


def address_with(server: ServerSettings, keyring: Keyring, token: Token, epoch: int) -> str:
    return f"{server.local}{server.delimiter}{keyring.format(token, epoch)}@{server.domain}"


def _version(row: Outgoing) -> int:
    return row.ply + row.shift

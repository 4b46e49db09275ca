"""A command asked for in a message, without mail: what its function is given."""

from itertools import count

from sqlmodel import Session

from notation.games import GAMES, GamePack
from pbem.config import LimitsSettings, ServerSettings
from pbem.conversation import execute
from pbem.conversation.command import Line, Request
from pbem.conversation.reply import Reply
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.message import Message
from pbem.players.sender_identity import Sender
from pbem.secret_setting import Secret
from pbem.storage.models import Incoming, Match, Player
from pbem.tokens import Keyring
from tests.contests import NOW

_KEYS = count(1)
SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))


def asked(session: Session, player: Player, prose: tuple[str, ...] = ()) -> Request:
    """Return what a message of the player's asks for, who has proven to be its author."""
    row = Incoming(key=str(next(_KEYS)), size=0, source="test", recipients=[], received=NOW)
    session.add(row)
    session.flush()
    message = Message((), message_id="<1@mail.example>", sender=player.address)
    sender = Sender(player.address, player, proven=True)
    limits = LimitsSettings()
    about = (session, SERVER, Keyring("a key"), NOW, row, message, sender, FEATURES, limits)
    return Request(*about, prose=prose)


def read(line: str) -> Line:
    """Return the line as it is read in a message about match #1."""
    reader = Reader(FEATURES.commands, lambda number: GAMES["quadraphages"] if number == 1 else None, 1)
    (found,) = reader.read("", [line]).commands
    return found


def run(request: Request, *lines: str) -> Reply:
    """Carry out the lines of a message about match #1."""

    def game(number: int) -> GamePack | None:
        match = request.session.get(Match, number)
        return GAMES[match.game] if match else None

    reader = Reader(FEATURES.commands, game, 1)
    return execute.execute(request, Reply(sender=request.sender), reader.read("", lines))

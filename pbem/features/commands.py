"""What a player can write: `COMMANDS` has every command by name, and `MODERATION` those that only the admin has.

Start with `core`: a command takes a `Request` and returns a `Decision`. May import: players, community, matches,
reading, storage, notation, engines and the leaves of pbem.
"""

from collections.abc import Mapping

from pbem.config import ServerSettings
from pbem.conversation.core import Command
from pbem.features.accounts.account import JOIN
from pbem.features.accounts.address import CHANGE, REVOKE
from pbem.features.accounts.privacy import DELETE, EXPORT, RECORDS
from pbem.features.accounts.settings import RESUME, SET, START, STOP
from pbem.features.challenges.commands import ACCEPT, CHALLENGE, DECLINE, PLAY, REMATCH, WITHDRAW
from pbem.features.explaining.commands import HELP, RULES
from pbem.features.house.commands import ANALYSE, HINT
from pbem.features.moderation.lists import ACTS, PLAYERS
from pbem.features.moderation.matches import ADJUDICATE, CLOSE
from pbem.features.moderation.players import ANNOUNCE, BAN, MERGE, RENAME, UNBAN
from pbem.features.people.commands import HISTORY, WHO, WHOIS
from pbem.features.people.distance import ALLOW, BLOCK, LIMIT_COMMAND, REFUSE, UNBLOCK
from pbem.features.playing.conditions import CONDITIONS, IF, QUEUE
from pbem.features.playing.offers import CANCEL, DRAW, MUTE, PAUSE
from pbem.features.playing.play import CLAIM, MOVE, RESIGN, SAY, UNDO
from pbem.features.playing.viewing import GAMES_COMMAND, PREVIEW, RECORD, SHOW
from pbem.features.ratings.commands import STANDINGS
from pbem.features.records.commands import REPLAY
from pbem.features.seeks.commands import SEEK, SEEKS, TAKE, UNSEEK
from pbem.features.time.commands import VACATION
from pbem.features.tournaments.climbing import CLIMB
from pbem.features.tournaments.commands import ENTER, HOST, RETIRE, TOURNAMENT, TOURNAMENTS
from pbem.features.watching.commands import UNWATCH, WATCH

COMMANDS: dict[str, Command] = {
    "join": JOIN,
    "challenge": CHALLENGE,
    "play": PLAY,
    "accept": ACCEPT,
    "decline": DECLINE,
    "withdraw": WITHDRAW,
    "seek": SEEK,
    "seeks": SEEKS,
    "take": TAKE,
    "unseek": UNSEEK,
    "tournaments": TOURNAMENTS,
    "tournament": TOURNAMENT,
    "enter": ENTER,
    "climb": CLIMB,
    "retire": RETIRE,
    "host": HOST,
    "move": MOVE,
    "if": IF,
    "queue": QUEUE,
    "conditions": CONDITIONS,
    "undo": UNDO,
    "resign": RESIGN,
    "draw": DRAW,
    "pause": PAUSE,
    "resume": RESUME,
    "cancel": CANCEL,
    "claim": CLAIM,
    "hint": HINT,
    "rematch": REMATCH,
    "replay": REPLAY,
    "analyse": ANALYSE,
    "say": SAY,
    "mute": MUTE,
    "games": GAMES_COMMAND,
    "show": SHOW,
    "preview": PREVIEW,
    "record": RECORD,
    "records": RECORDS,
    "who": WHO,
    "whois": WHOIS,
    "history": HISTORY,
    "standings": STANDINGS,
    "watch": WATCH,
    "unwatch": UNWATCH,
    "block": BLOCK,
    "unblock": UNBLOCK,
    "refuse": REFUSE,
    "allow": ALLOW,
    "limit": LIMIT_COMMAND,
    "set": SET,
    "vacation": VACATION,
    "stop": STOP,
    "start": START,
    "change": CHANGE,
    "revoke": REVOKE,
    "export": EXPORT,
    "delete": DELETE,
    "help": HELP,
    "rules": RULES,
}
MODERATION: dict[str, Command] = {
    "players": PLAYERS,
    "acts": ACTS,
    "close": CLOSE,
    "adjudicate": ADJUDICATE,
    "ban": BAN,
    "unban": UNBAN,
    "rename": RENAME,
    "merge": MERGE,
    "announce": ANNOUNCE,
}
_ALL = COMMANDS | MODERATION


def known_to(address: str, server: ServerSettings) -> Mapping[str, Command]:
    """Return the commands that a message can have whose answer goes to that address."""
    return _ALL if server.is_admin(address) else COMMANDS

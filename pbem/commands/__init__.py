"""What a player can write: `COMMANDS` has every command by name, and `MODERATION` those that only the admin has.

Start with `core`: a command takes a `Request` and returns a `Decision`. May import: players, community, matches,
reading, storage, notation, engines and the leaves of pbem.
"""

from collections.abc import Mapping

from pbem.commands.account import JOIN
from pbem.commands.address import CHANGE, REVOKE
from pbem.commands.challenges import ACCEPT, CHALLENGE, DECLINE, PLAY, REMATCH, WITHDRAW
from pbem.commands.choices.settings import RESUME, SET, START, STOP
from pbem.commands.choices.vacation import VACATION
from pbem.commands.community.climbing import CLIMB
from pbem.commands.community.distance import ALLOW, BLOCK, LIMIT_COMMAND, REFUSE, UNBLOCK
from pbem.commands.community.people import HISTORY, WHO, WHOIS
from pbem.commands.community.replaying import REPLAY
from pbem.commands.community.seeking import SEEK, SEEKS, TAKE, UNSEEK
from pbem.commands.community.standings import STANDINGS
from pbem.commands.community.tournaments import ENTER, HOST, RETIRE, TOURNAMENT, TOURNAMENTS
from pbem.commands.community.watching import UNWATCH, WATCH
from pbem.commands.conditions import CONDITIONS, IF, QUEUE
from pbem.commands.core import Command
from pbem.commands.help import HELP, RULES
from pbem.commands.house import ANALYSE, HINT
from pbem.commands.moderating.lists import ACTS, PLAYERS
from pbem.commands.moderating.matches import ADJUDICATE, CLOSE
from pbem.commands.moderating.players import ANNOUNCE, BAN, MERGE, RENAME, UNBAN
from pbem.commands.offers import CANCEL, DRAW, MUTE, PAUSE
from pbem.commands.play import CLAIM, MOVE, RESIGN, SAY, UNDO
from pbem.commands.privacy import DELETE, EXPORT, RECORDS
from pbem.commands.viewing import GAMES_COMMAND, PREVIEW, RECORD, SHOW
from pbem.config import ServerSettings

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

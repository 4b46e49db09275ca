"""Refusals in the words for a player, of what the match domain forbids and of lines that aren't commands."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from notation.games import GAMES, GameMissing
from notation.time_control import spoken
from pbem.config import ServerSettings
from pbem.conversation.command import Line, Request, Who
from pbem.errors import Refused, Silence, Unanswerable
from pbem.matches.lifecycle import MOST_OPEN
from pbem.matches.obstacles import Obstacle
from pbem.matches.timeouts import MOST_GIVEN
from pbem.players import message_budgets
from pbem.storage.models import Match, MatchState, Player
from pbem.tokens import LARGEST_PLY


@cache
def _sentences() -> dict[str, tuple[str, str]]:
    """Return by the name of an obstacle what a player is told, and what would work instead."""
    return tomllib.loads(Path(__file__).with_name("obstacles.toml").read_text(encoding="utf-8"))


def forbidden(obstacle: Obstacle, match: Match | None, line: Line) -> Refused:
    number, state = (match.id, match.state) if match else (None, "")
    facts = {"number": number, "state": state, "most_open": MOST_OPEN, "largest_ply": f"{LARGEST_PLY:,}"}
    sentence, fits = (part.format(**facts, most_given=spoken(MOST_GIVEN)) for part in _sentences()[obstacle.name])
    has_board = state in (MatchState.RUNNING, MatchState.OVER)
    shows_board = has_board and obstacle not in (Obstacle.MUTED, Obstacle.NOT_ON_OFFER)
    return Refused(sentence, read=line.text, fits=fits, match=number if shows_board else None)


def not_there(missing: GameMissing, match: Match | None, line: str = "") -> Refused:
    title, fits = GAMES.title(missing.key), f"It has {', '.join(GAMES)}."
    if match is None or match.game != missing.key:
        return Refused(f"This server doesn't have {title} at present.", read=line, fits=fits)
    what = f"was begun by rules of {title}" if missing.key in GAMES else f"is a match of {title}"
    return Refused(f"Match #{match.id} {what}, which this server doesn't have at present.", read=line, fits=fits)


def not_a_command(written: str, guess: Line) -> Refused:
    word = written.split()[0].strip(".,:;!?")
    misspelt = word[:1].isalpha() and word.lower() not in (guess.command.name, *guess.command.aliases)
    named = not guess.command.of_match or guess.match is None or str(guess.match) in re.findall(r"\d+", guess.text)
    return Refused(
        f'We don\'t know the command "{word[:30]}".' if misspelt else "We're not sure this line is a command.",
        read=None if misspelt else written[:60],
        fits="" if misspelt else "Write only the command, with nothing in front of it.",
        meant=(guess.text,),
        proposal=guess.text if named else f"#{guess.match} {guess.text}",
    )


def outdated(sentence: str, match: Match, read: str | None = None) -> Refused:
    """Return the refusal of what answers an older message."""
    fits = "Look at the board as it is now, and reply to this message."
    return Refused(sentence, read=read, fits=fits, match=match.id)


def not_alone(lines: Sequence[Line]) -> Refused:
    line = next(line for line in lines if line.command.of_admin and line.command.changes)
    return Refused(
        f'"{line.command.name}" needs a message of its own.',
        read=line.text[:60],
        fits="Send this line alone, with nothing but your reasons below it.",
    )


def whom_to_ask(server: ServerSettings) -> str:
    return f"If that's a mistake, write to {server.admin}." if server.admin else ""


CLOSED = f"{message_budgets.ONCE}closed"  # the gist of the answer to a player whose account is closed


def check_account(request: Request, player: Player, commands: Sequence[Line]) -> None:
    """Raise Refused for a player whose account is closed, and Unanswerable once they were told so that day.

    What they write is read all the same: they can have their data, and have it deleted.
    """
    if player.banned is None or (commands and all(Who.CLOSED in line.command.open_to for line in commands)):
        return
    if message_budgets.was_told(request.session, request.sender.address, CLOSED, request.now):
        raise Unanswerable(Silence.ACCOUNT_CLOSED)
    raise Refused(
        "The operator of this server has closed your account, so your message did nothing.",
        fits=f'"export me" and "delete me" still work. {whom_to_ask(request.server)}'.strip(),
        gist=CLOSED,
    )

"""Refusals in the words for a player, of what the match domain forbids and of lines that aren't commands."""

import re

from notation.games import GAMES, GameMissing
from notation.time_control import spoken
from pbem.config import ServerSettings
from pbem.conversation.command import Line, Request
from pbem.errors import Refused
from pbem.matches.lifecycle import MOST_OPEN
from pbem.matches.obstacles import Obstacle
from pbem.matches.queries import is_playing_enough
from pbem.matches.timeouts import MOST_GIVEN
from pbem.storage.models import Match, MatchState, Player
from pbem.tokens import LARGEST_PLY

SENTENCES: dict[Obstacle, tuple[str, str]] = {
    Obstacle.NOT_STARTED: ("Match #{number} hasn't started: the challenge hasn't been accepted yet.", ""),
    Obstacle.OVER: ("Match #{number} is over.", ""),
    Obstacle.NEVER_STARTED: ("Match #{number} never started: the challenge was {state}.", ""),
    Obstacle.NOT_YOUR_TURN: ("It's not your turn in match #{number}.", "Wait until we write that it's your turn."),
    Obstacle.TOO_LONG: (
        f"Match #{{number}} has had {LARGEST_PLY:,} turns, and that's the most that a match can have.",
        "Agree with your opponent on who resigns.",
    ),
    Obstacle.NO_PART: ("You have no unfinished turn to take back.", ""),
    Obstacle.NOT_ON_OFFER: ("Match #{number} is no longer open; it is {state}.", '"show {number}" shows it.'),
    Obstacle.OWN_OFFER: (
        "Match #{number} is your own challenge; your opponent has to accept it.",
        '"withdraw {number}" takes it back.',
    ),
    Obstacle.OFFERED_TO_YOU: ("Match #{number} is a challenge to you.", '"decline {number}" turns it down.'),
    Obstacle.YOURSELF: ("You can't challenge yourself.", "Name another player, or an email address."),
    Obstacle.TOO_MANY_OFFERS: (
        f"{MOST_OPEN} of your challenges are still open, and that's the limit.",
        '"withdraw NUMBER" takes one back.',
    ),
    Obstacle.ALREADY_OFFERED: ("You've already offered that.", "Your opponent hasn't answered yet."),
    Obstacle.OFFERED_IN_VAIN: (
        "You've already offered that since the last turn, and it was turned down or withdrawn.",
        "You can offer it again after the next turn.",
    ),
    Obstacle.UNDO_ASKED: ("Your opponent has asked to take turns back.", 'First reply "accept undo" or "reject undo".'),
    Obstacle.OTHER_PAUSE_OFFERED: (
        "Your opponent has suggested another pause.",
        'First reply "accept pause" or "reject pause".',
    ),
    Obstacle.PAUSE_IS_PAST: (
        "The pause that was suggested would be over already.",
        'Suggest another, as in "pause 10d".',
    ),
    Obstacle.NO_AGREED_DRAW: (
        "A draw can't be agreed in this match: the rules go on until somebody has won.",
        '"cancel" suggests ending it without a result.',
    ),
    Obstacle.NOTHING_TO_TAKE_BACK: ("You haven't played a turn that could be taken back.", ""),
    Obstacle.PAUSED: ("Match #{number} is already paused.", '"resume" ends the pause.'),
    Obstacle.NOT_PAUSED: ("Match #{number} isn't paused.", 'To get news by email again, write "start".'),
    Obstacle.IN_TOURNAMENT: (
        "Match #{number} belongs to a tournament, and others wait for its end, so that isn't possible.",
        '"help tournaments" says what can be done.',
    ),
    Obstacle.MUTED: ("Your opponent doesn't want offers and notes in match #{number}.", ""),
    Obstacle.NO_SUCH_OFFER: (
        "There is no such offer in match #{number}, or it is closed: a turn declines what was offered.",
        "",
    ),
    Obstacle.WHICH_OFFER: ("There was more than one offer.", 'Name the one you mean, as in "accept draw".'),
    Obstacle.OFFER_NOT_SEEN: (
        "You replied to a message from before this was offered.",
        "Look at the match as it is now, and reply to this message.",
    ),
    Obstacle.NO_LIMIT: ("Match #{number} has no time limit.", '"cancel" suggests ending it without a result.'),
    Obstacle.TIME_GIVEN: (
        f"You can give at most {spoken(MOST_GIVEN)} in a match, and that would be more in #{{number}}.",
        '"pause 10d" suggests a pause.',
    ),
    Obstacle.TIME_LEFT: (
        "Your opponent hasn't run out of time in match #{number}.",
        '"show {number}" tells when the turn is due.',
    ),
    Obstacle.TURN_MAY_WAIT: (
        "A message that came in time hasn't been processed yet, and it may be the turn.",
        "Claim the match again in some minutes.",
    ),
    Obstacle.INVITED_ALREADY: (
        "You've already invited this address.",
        "Please wait for a reply; we won't write to them twice.",
    ),
}
"""What a player is told of each obstacle, and what would work instead."""


def forbidden(obstacle: Obstacle, match: Match | None, line: Line) -> Refused:
    number, state = (match.id, match.state) if match else (None, "")
    sentence, fits = (part.format(number=number, state=state) for part in SENTENCES[obstacle])
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


def not_alone(line: Line) -> Refused:
    return Refused(
        f'"{line.command.name}" needs a message of its own.',
        read=line.text[:60],
        fits="Send this line alone, with nothing but your reasons below it.",
    )


def whom_to_ask(server: ServerSettings) -> str:
    return f"If that's a mistake, write to {server.admin}." if server.admin else ""


def check_running(request: Request, player: Player) -> None:
    most = request.limits.matches_per_player
    if is_playing_enough(request.session, player, most):
        raise Refused(
            f"You're already playing as many matches as a player can ({most}).",
            fits='Finish one of them first; "games" lists them.',
        )

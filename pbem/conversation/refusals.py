"""Refusals in the words for a player, of what the match domain forbids and of lines that aren't commands."""

import re

from notation.games import GAMES, GameMissing
from notation.time_control import spoken
from pbem.config import ServerSettings
from pbem.conversation.core import Line, Request
from pbem.errors import Refused
from pbem.matches.events import Obstacle
from pbem.matches.lifecycle import MOST_OPEN
from pbem.matches.queries import is_playing_enough
from pbem.matches.timeouts import MOST_GIVEN
from pbem.storage.models import Match, Player
from pbem.tokens import LARGEST_PLY


def forbidden(obstacle: Obstacle, match: Match | None, line: Line) -> Refused:
    number, state = (match.id, match.state) if match else (None, "")
    match obstacle:
        case Obstacle.NOT_STARTED:
            return Refused(f"Match #{number} hasn't started: the challenge hasn't been accepted yet.")
        case Obstacle.OVER:
            return Refused(f"Match #{number} is over.", match=number)
        case Obstacle.NEVER_STARTED:
            return Refused(f"Match #{number} never started: the challenge was {state}.")
        case Obstacle.NOT_YOUR_TURN:
            sentence, fits = f"It's not your turn in match #{number}.", "Wait until we write that it's your turn."
            return Refused(sentence, read=line.words, fits=fits, match=number)
        case Obstacle.TOO_LONG:
            sentence = f"Match #{number} has had {LARGEST_PLY:,} turns, and that's the most that a match can have."
            return Refused(sentence, read=line.words, fits="Agree with your opponent on who resigns.", match=number)
        case Obstacle.NO_PART:
            sentence = "You have no unfinished turn to take back."
            return Refused(sentence, read=line.text, match=number)
        case Obstacle.NOT_ON_OFFER:
            sentence = f"Match #{number} is no longer open; it is {state}."
            return Refused(sentence, read=line.text, fits=f'"show {number}" shows it.')
        case Obstacle.OWN_OFFER:
            sentence = f"Match #{number} is your own challenge; your opponent has to accept it."
            return Refused(sentence, fits=f'"withdraw {number}" takes it back.')
        case Obstacle.OFFERED_TO_YOU:
            return Refused(f"Match #{number} is a challenge to you.", fits=f'"decline {number}" turns it down.')
        case Obstacle.YOURSELF:
            sentence, fits = "You can't challenge yourself.", "Name another player, or an email address."
            return Refused(sentence, read=line.text, fits=fits)
        case Obstacle.TOO_MANY_OFFERS:
            sentence = f"{MOST_OPEN} of your challenges are still open, and that's the limit."
            return Refused(sentence, fits='"withdraw NUMBER" takes one back.')
        case Obstacle.ALREADY_OFFERED:
            return Refused(
                "You've already offered that.",
                read=line.text,
                fits="Your opponent hasn't answered yet.",
                match=number,
            )
        case Obstacle.OFFERED_IN_VAIN:
            sentence = "You've already offered that since the last turn, and it was turned down or withdrawn."
            return Refused(sentence, read=line.text, fits="You can offer it again after the next turn.", match=number)
        case Obstacle.UNDO_ASKED:
            sentence, fits = (
                "Your opponent has asked to take turns back.",
                'First reply "accept undo" or "reject undo".',
            )
            return Refused(sentence, read=line.text, fits=fits, match=number)
        case Obstacle.OTHER_PAUSE_OFFERED:
            sentence, fits = (
                "Your opponent has suggested another pause.",
                'First reply "accept pause" or "reject pause".',
            )
            return Refused(sentence, read=line.text, fits=fits, match=number)
        case Obstacle.PAUSE_IS_PAST:
            sentence, fits = (
                "The pause that was suggested would be over already.",
                'Suggest another, as in "pause 10d".',
            )
            return Refused(sentence, read=line.text, fits=fits, match=number)
        case Obstacle.NO_AGREED_DRAW:
            sentence = "A draw can't be agreed in this match: the rules go on until somebody has won."
            return Refused(sentence, read=line.text, fits='"cancel" suggests ending it without a result.', match=number)
        case Obstacle.NOTHING_TO_TAKE_BACK:
            return Refused("You haven't played a turn that could be taken back.", read=line.text, match=number)
        case Obstacle.PAUSED:
            return Refused(f"Match #{number} is already paused.", read=line.text, fits='"resume" ends the pause.')
        case Obstacle.NOT_PAUSED:
            fits = 'To get news by email again, write "start".'
            return Refused(f"Match #{number} isn't paused.", read=line.text, fits=fits, match=number)
        case Obstacle.IN_TOURNAMENT:
            sentence = f"Match #{number} belongs to a tournament, and others wait for its end, so that isn't possible."
            return Refused(sentence, read=line.text, fits='"help tournaments" says what can be done.', match=number)
        case Obstacle.MUTED:
            return Refused(f"Your opponent doesn't want offers and notes in match #{number}.", read=line.text)
        case Obstacle.NO_SUCH_OFFER:
            sentence = f"There is no such offer in match #{number}, or it is closed: a turn declines what was offered."
            return Refused(sentence, read=line.text, match=number)
        case Obstacle.WHICH_OFFER:
            sentence, fits = "There was more than one offer.", 'Name the one you mean, as in "accept draw".'
            return Refused(sentence, read=line.text, fits=fits, match=number)
        case Obstacle.OFFER_NOT_SEEN:
            sentence = "You replied to a message from before this was offered."
            return Refused(
                sentence,
                read=line.text,
                fits="Look at the match as it is now, and reply to this message.",
                match=number,
            )
        case Obstacle.NO_LIMIT:
            sentence, fits = f"Match #{number} has no time limit.", '"cancel" suggests ending it without a result.'
            return Refused(sentence, read=line.text, fits=fits, match=number)
        case Obstacle.TIME_GIVEN:
            sentence = f"You can give at most {spoken(MOST_GIVEN)} in a match, and that would be more in #{number}."
            return Refused(sentence, read=line.text, fits='"pause 10d" suggests a pause.', match=number)
        case Obstacle.TIME_LEFT:
            sentence = f"Your opponent hasn't run out of time in match #{number}."
            fits = f'"show {number}" tells when the turn is due.'
            return Refused(sentence, read=line.text, fits=fits, match=number)
        case Obstacle.TURN_MAY_WAIT:
            sentence = "A message that came in time hasn't been processed yet, and it may be the turn."
            return Refused(sentence, read=line.text, fits="Claim the match again in some minutes.", match=number)
        case Obstacle.INVITED_ALREADY:
            sentence = "You've already invited this address."
            return Refused(sentence, fits="Please wait for a reply; we won't write to them twice.")
    raise AssertionError(f"{obstacle} is not reached by a command")


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


def whom_to_ask(server: ServerSettings) -> str:
    return f"If that's a mistake, write to {server.admin}." if server.admin else ""


def check_running(request: Request, player: Player) -> None:
    most = request.limits.matches_per_player
    if is_playing_enough(request.session, player, most):
        raise Refused(
            f"You're already playing as many matches as a player can ({most}).",
            fits='Finish one of them first; "games" lists them.',
        )

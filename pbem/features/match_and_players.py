"""The match that a command is about, and its two players."""

from engines.core import Seat
from pbem.conversation.command import Line, Request
from pbem.errors import Refused
from pbem.matches.queries import awaiting, is_playing_enough, locked, seat_of
from pbem.storage.models import Match, Player


def match_of(request: Request, line: Line) -> Match:
    """Return the match of the line, locked for this transaction; raise Refused."""
    if line.match is None:
        raise _which(request, line)
    match = locked(request.session, line.match)
    if match is None:
        raise Refused(f"There is no match #{line.match}.", read=line.text, fits='"games" lists yours.')
    return match


def _which(request: Request, line: Line) -> Refused:
    player, sentence = request.sender.player, "Which match? This message isn't a reply about one."
    yours = [match.id for match in awaiting(request.session, player)] if player else []
    if request.sender.plies:
        sentence = "Which match? The message you replied to shows several."
    number, listed = (yours or [42])[0], " and ".join(f"#{each}" for each in yours)
    return Refused(
        sentence,
        read=line.text,
        fits=f'Put its number in front, as in "#{number} {line.text[:30]}"; '
        + (f"it's your turn in {listed}." if yours else '"games" lists yours.'),
    )


def own_match(request: Request, line: Line) -> tuple[Match, Player, Seat]:
    player = request.sender.player
    match = match_of(request, line)
    seat = seat_of(match, player) if player else None
    if player is None or seat is None:
        raise Refused(
            f"You don't play in match #{match.id}.",
            read=line.text,
            fits=f'"games" lists the matches you play in. If you watch this one, "unwatch {match.id}" ends that.',
        )
    return match, player, seat


def check_room_for_match(request: Request, player: Player) -> None:
    most = request.limits.matches_per_player
    if is_playing_enough(request.session, player, most):
        raise Refused(
            f"You're already playing as many matches as a player can ({most}).",
            fits='Finish one of them first; "games" lists them.',
        )

"""The match that a command is about, and its two players."""

from engines.core import Seat
from pbem.conversation.command import Decision, Line, Request
from pbem.errors import Refused
from pbem.matches.queries import awaiting, is_playing_enough, locked, opponent_of, seat_of
from pbem.matches.shown_names import name
from pbem.messages.contents.answer_sections import WordsPassedOn
from pbem.messages.contents.message_payloads import Words as Note
from pbem.players import message_budgets
from pbem.players.queue_match_news import Notice
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


def is_to_move(request: Request, match: Match) -> bool:
    player = request.sender.player
    return player is not None and match.to_move is not None and seat_of(match, player) == match.to_move


def opponent_in(request: Request, match: Match, player: Player) -> Player:
    return request.session.get_one(Player, opponent_of(match, player))


def note_to_opponent(request: Request, match: Match, player: Player, note: tuple[str, ...]) -> Decision:
    message_budgets.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    other = opponent_in(request, match, player)
    message_budgets.check_to_opponent(request.session, match, other, note, request.now)
    notice = Notice(other, Note(message=note, by=name(player)), match)
    told = WordsPassedOn(match=match.id or 0, opponent=name(other), message=note)
    return Decision(answer=(told,), messages=(notice,), takes_prose=True)


def check_room_for_match(request: Request, player: Player) -> None:
    most = request.limits.matches_per_player
    if is_playing_enough(request.session, player, most):
        raise Refused(
            f"You're already playing as many matches as a player can ({most}).",
            fits='Finish one of them first; "games" lists them.',
        )

"""What a message says, in the light of what it answers: a `yes` means what the answered message suggests or offers."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import col, select

from engines.core import Position
from notation.games import GameMissing, GamePack
from pbem.conversation import yes_or_no
from pbem.conversation.command import Line, Request, Role
from pbem.conversation.syntax import phrases, sentences
from pbem.conversation.syntax.mail import ParsedMessage, Reader, tagged_match
from pbem.conversation.syntax.wording import Place, Reading
from pbem.conversation.target import is_to_move
from pbem.conversation.yes_or_no import Answer
from pbem.errors import Refused
from pbem.mail.reading.from_header import bare_subject
from pbem.mail.reading.message import Message
from pbem.matches import offers, queries, turns
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.queries import games_of, of_player, opponent_of, pack_of, seat_of
from pbem.matches.snapshot import snapshot_of
from pbem.messages import preferences
from pbem.storage.models import Match, MatchState, Outgoing, Player

PLAYER = "PLAYER"  # what stands for a player's name in the usage lines of commands


def read(request: Request, message: Message) -> ParsedMessage:
    return reader(request, message).read(message.subject, message.lines, message.cut, message.sure, message.asked)


def read_lines(request: Request, message: Message, lines: Sequence[str]) -> ParsedMessage:
    """Return lines of ours, about the match that the message is about."""
    return reader(request, message).read("", lines)


def as_meant(request: Request, message: Message, parsed: ParsedMessage) -> tuple[ParsedMessage, Outgoing | None]:
    """Return the message with what its yes or no means, and our message whose suggestion it agrees to, if any.

    Raises Refused for an answer that comes too late, or to nothing.
    """
    answered = _answered(request, message)
    line = _offer_answered(request, message, parsed, answered)
    agreed = _agreed_to(request, message, parsed, answered) if line is None else None
    if agreed is not None:
        line = yes_or_no.suggested_line(request.session, agreed)
    if line is None:
        return parsed, agreed
    return reader(request, message).read(
        message.subject, (*line.split("\n"), *yes_or_no.lines_below(message.certain))
    ), agreed


def reader(request: Request, message: Message) -> Reader:
    @cache  # every line asks; the row itself is fetched when it is locked
    def game_of(number: int) -> GamePack | None:
        match = request.session.get(Match, number)
        try:
            return pack_of(match) if match else None
        except GameMissing:
            return None

    player = request.sender.player
    about = request.sender.match
    # If the message it replies to showed several matches, the subject names at most one and decides nothing.
    if about is None and not request.sender.plies:
        about = tagged_match(message.subject)

    def after(number: int, text: str) -> Position[Any] | None:
        match = request.session.get(Match, number)
        if match is None or match.state != MatchState.RUNNING:
            return None
        try:
            snapshot = snapshot_of(request.session, match)
        except GameMissing:
            return None
        return turns.after(snapshot.notation, snapshot.position, text)

    def played() -> list[str]:
        return games_of(request.session, player) if player else []

    def has_answer(line: Line) -> bool:
        words = line.words.lower().split()
        if PLAYER in line.command.grammar.usage and not any(map(str.isdecimal, words)):
            return request.session.scalar(select(Player.id).where(col(Player.name).in_(words)).limit(1)) is not None
        try:
            return line.command.newcomer.line is None or line.command.newcomer.line(request, line) is not None
        except Refused:
            return False

    return Reader(request.commands, game_of, about, player.name if player else None, after, played, has_answer)


def _answered(request: Request, message: Message) -> Outgoing | None:
    """Return the message of ours that a yes or no in the first line answers; None if there is no such word."""
    if yes_or_no.answer(message.certain) is None:
        return None
    return yes_or_no.answered_message(request.session, message, request.sender)


def _offer_answered(request: Request, message: Message, parsed: ParsedMessage, answered: Outgoing | None) -> str | None:
    """Return the command that a plain yes or no to a challenge stands for; None if the message holds one itself."""
    answer = yes_or_no.answer(message.certain)
    if answer is None or any(_says_itself(request, line) for line in parsed.commands):
        return None
    return yes_or_no.offer_answered(request.session, request.sender, answered, answer)


def _says_itself(request: Request, line: Line) -> bool:
    """Return whether a line that could be an answer is a command, or a turn in a match that is being played: "pass"."""
    if Role.ANSWERS in line.command.role:
        return True
    if not yes_or_no.answer([line.text]):
        return False
    match = request.session.get(Match, line.match) if line.command.plays else None
    is_turn = line.turn is not None and line.turn.error is None
    return not line.command.plays or (is_turn and match is not None and match.state == MatchState.RUNNING)


def _agreed_to(request: Request, message: Message, parsed: ParsedMessage, agreed: Outgoing | None) -> Outgoing | None:
    """Return the message of ours whose suggestion this one agrees to; None if it doesn't. Raises Refused."""
    if (
        request.sender.player is None
        or request.sender.is_stranger
        or yes_or_no.answer(message.certain) is not Answer.YES
    ):
        return None
    if agreed is None or agreed.proposal is None:
        if parsed.commands:  # "Ok" and a turn below it
            return None
        raise yes_or_no.nothing_suggested(agreed)
    return agreed


def place_of(request: Request) -> Place:
    player, about = request.sender.player, request.sender.match
    is_player = player is not None and player.confirmed is not None
    match = request.session.get(Match, about) if about else None
    if match is None and is_player and player is not None:
        running = of_player(request.session, player, (MatchState.RUNNING,))
        match = running[0] if len(running) == 1 else None
    zone = preferences.with_defaults(player.settings if player else {})[ZONE]
    rival = asked = ""
    if match is not None and player is not None and (seat := seat_of(match, player)) is not None:
        other = request.session.get_one(Player, opponent_of(match, player))
        rival = queries.name(queries.shown(match, other))
        asked = next((offer.kind.value for offer in offers.open_offers(match) if offer.seat != seat), "")
    return Place(
        today=request.now.astimezone(ZoneInfo(zone)).date(),
        player=(player.name or "") if is_player and player is not None else "",
        match=match.id or 0 if match is not None else 0,
        state=match.state if match is not None else "",
        game=match.game if match is not None else "",
        level=match.level if match is not None else None,
        rival=rival,
        asked=asked,
        to_move=match is not None and is_to_move(request, match),
        admin=bool(request.server.admin),
        is_player=(lambda name: _plays(request, name)) if is_player else (lambda _name: True),
    )


def _plays(request: Request, name: str) -> bool:
    return request.session.exec(select(Player.id).where(Player.name == name)).first() is not None


def understood(request: Request, lines: Iterable[str]) -> Reading:
    return sentences.read(lines, place_of(request))


def language_of(request: Request) -> str:
    """Return the language in which a newcomer has written, now or in the message that this one confirms."""
    held = (line for message in request.held_messages.values() for line in message.certain)
    return phrases.language_of(" ".join((*request.message.certain, *held)))


def wishes_in(request: Request) -> Reading:
    """Return what a whole message wants, if it is read as sentences."""
    message = request.message
    is_new = bare_subject(message.subject) == message.subject
    return understood(request, (*((message.subject,) if is_new else ()), *message.certain))

"""What a message says, in the light of what it answers: a `yes` means what the answered message suggests or offers."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import Session, select

from engines.core import Position
from notation.games import GameMissing, GamePack
from notation.time_control import duration, from_stored
from pbem.conversation import yes_or_no
from pbem.conversation.command import Request, Role
from pbem.conversation.refusals import outdated
from pbem.conversation.syntax import vocabulary, wishes_in_sentences
from pbem.conversation.syntax.commands_for_wishes import Place, Reading
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.conversation.yes_or_no import Answer
from pbem.errors import Refused
from pbem.mail.reading.from_and_subject import tagged_match
from pbem.matches import stored_offers, turn_parsing
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.events import Change
from pbem.matches.queries import games_of, is_to_move, locked, of_player, opponent_in, pack_of, seat_of
from pbem.matches.replayed_match import snapshot_of
from pbem.matches.shown_names import name, shown
from pbem.messages import general_preferences
from pbem.messages.contents import message_payloads
from pbem.messages.contents.answer_sections import Refusal
from pbem.players import message_budgets, sender_identity
from pbem.storage.message_payload_base import load
from pbem.storage.models import Match, MatchState, Outgoing, Player

OFFERS = ("challenge", "invitation")  # the messages that offer a match
SUGGESTS_NOTHING, UNSEEN = "The message you replied to suggests nothing", "We can't see which message you replied to"
DONE = ""  # what replaces a proposal that was carried out


def read(request: Request) -> ParsedMessage:
    return reader(request, about(request)).read(request.message.subject, request.message)


def read_ours(request: Request, lines: Sequence[str]) -> ParsedMessage:
    """Return lines of ours; where they name no match, they are about the one that the message is about."""
    return reader(request, about(request)).read("", lines) if lines else ParsedMessage()


def about(request: Request) -> int | None:
    """Return the match that a message is about: if it answers one that showed several, its subject decides nothing."""
    sender = request.sender
    return sender.match if sender.match is not None or sender.plies else tagged_match(request.message.subject)


def reader(request: Request, match: int | None) -> Reader:
    """Return the reader of a message that is about that match, if it is about one."""
    session, player = request.session, request.sender.player

    @cache  # every line asks; the row itself is fetched when it is locked
    def game_of(number: int) -> GamePack | None:
        match = session.get(Match, number)
        try:
            return pack_of(match) if match else None
        except GameMissing:
            return None

    def after(number: int, text: str) -> Position[Any] | None:
        match = session.get(Match, number)
        if match is None or match.state != MatchState.RUNNING or game_of(number) is None:
            return None
        snapshot = snapshot_of(session, match)
        return turn_parsing.after(snapshot.notation, snapshot.position, text)

    own, played = (player.name, lambda: games_of(session, player)) if player is not None else (None, list)
    return Reader(request.commands, game_of, match, own, after, played)


def as_meant(request: Request, parsed: ParsedMessage) -> tuple[ParsedMessage, Outgoing | None]:
    """Return the message with what its yes or no means, and our message whose suggestion it agrees to, if any.

    Raise Refused for an answer that comes too late, or to nothing.
    """
    message, sender, agreed = request.message, request.sender, None
    answer = yes_or_no.answer(message.certain)
    if answer is None:
        return parsed, None
    answered = sender_identity.answered_message(request.session, message, sender)
    says_itself = any(Role.ANSWERS in line.command.role or yes_or_no.answer([line.text]) for line in parsed.commands)
    line = None if says_itself else _offer_answered(request, answered, answer)
    is_no = line is not None and answer is Answer.NO
    if is_no and understood(request, message.certain).wants("stop", "block", "human"):
        return parsed, None  # what is wanted beside it is asked about with it
    if line is None and answer is Answer.YES and sender.player is not None and not sender.is_stranger:
        if answered is not None and answered.proposal is not None:
            agreed, line = answered, suggested_line(request.session, answered, answered.proposal)
        elif not parsed.commands:  # there are some in "Ok" and a turn below it
            raise Refused(
                f'{SUGGESTS_NOTHING if answered else UNSEEN}, so we don\'t know what your "yes" is for.',
                fits='Write the turn or the command itself; "say TEXT" writes to your opponent.',
            )
    if line is None:
        return parsed, None
    lines = (*line.split("\n"), *yes_or_no.lines_below(message.certain))
    return reader(request, about(request)).read(message.subject, lines), agreed


def _offer_answered(request: Request, answered: Outgoing | None, answer: Answer) -> str | None:
    """Return the command that the answer to a challenge, invitation or offer stands for; None if nothing is offered."""
    sender, verb = request.sender, "accept" if answer is Answer.YES else "decline"
    match = request.session.get(Match, sender.match) if sender.match else None
    if answered is not None and answered.proposal is not None:
        return None
    if match is None or sender.player is None or seat_of(match, sender.player) is None:
        return None
    if answered is not None and answered.template == "offer" and answered.payload.get("change") == Change.MADE:
        return f"{verb} {answered.payload['kind']}"
    is_offer = match.state == MatchState.OFFERED or (answered is not None and answered.template in OFFERS)
    return verb if is_offer and match.challenger != sender.player.id else None


def suggested_line(session: Session, row: Outgoing, proposal: str) -> str:
    """Return what `yes` to a message means; raise Refused if that was done, or if its match has moved on since."""
    if proposal == DONE:
        raise Refused('You have already said "yes" to this, and it was done.')
    is_answer = row.template == "answer" and row.removed is None
    sections = load(message_payloads.Answer, row.payload).sections if is_answer else ()
    about = next((section.as_of for section in sections if isinstance(section, Refusal)), None)
    match = locked(session, about.match) if about is not None else None
    if about and match and (match.plies, match.shift, match.part) != (about.ply, about.shift, about.part):
        raise outdated("You replied to an older suggestion, and the match has moved on.", match)
    return proposal


def place_of(request: Request) -> Place:
    session, player, is_player = request.session, request.sender.player, request.sender.is_player
    match = session.get(Match, request.sender.match) if request.sender.match else None
    if match is None and player is not None and is_player:
        running = of_player(session, player, (MatchState.RUNNING,))
        match = running[0] if len(running) == 1 else None
    zone = general_preferences.with_defaults(player.settings if player else {})[ZONE]
    rival, asked, time, subject = "", "", "", request.message.opening * request.sender.is_stranger
    admin, gist = request.server.admin or "", message_budgets.gist_of("human", (request.sender.address,))
    is_heard = bool(admin) and not message_budgets.was_told(session, admin, gist, request.now)
    can_be_passed_on = is_heard and (request.sender.is_stranger or request.sender.proven)
    if match is not None and player is not None and (seat := seat_of(match, player)) is not None:
        rival = name(shown(match, opponent_in(session, match, player)))
        per_move = from_stored(match.time).of(seat).per_move
        time = duration(per_move) if per_move is not None else ""
        asked = next((offer.kind.value for offer in stored_offers.open_offers(match) if offer.seat != seat), "")
    return Place(
        today=request.now.astimezone(ZoneInfo(zone)).date(),
        player=(player.name or "") if player is not None and is_player else "",
        match=match.id or 0 if match is not None else 0,
        state=match.state if match is not None else "",
        game=match.game if match is not None else "",
        level=match.level if match is not None else None,
        paused=match is not None and match.paused is not None,
        own=match is not None and player is not None and match.challenger == player.id,
        time=time,
        rival=rival,
        asked=asked,
        to_move=match is not None and is_to_move(match, request.sender.player),
        admin=bool(request.server.admin),
        subject=subject,
        written=tuple(filter(None, (subject, *request.message.passages))) if can_be_passed_on else (),
        is_player=lambda called: (
            not is_player or bool(session.exec(select(Player.id).where(Player.name == called)).first())
        ),
    )


def understood(request: Request, lines: Iterable[str]) -> Reading:
    return wishes_in_sentences.read(lines, place_of(request))


def language_of(request: Request) -> str:
    """Return the language in which a newcomer has written, now or in the message that this one confirms."""
    return request.language or vocabulary.language_of(" ".join(request.message.certain))

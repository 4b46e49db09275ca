"""Offers in a running match: draw, undo, pause, cancel, mute, and the answers to them, the house's too."""

from datetime import datetime

from sqlmodel import Session, col, select

from pbem.conversation.command import Command, Decision, Line, Request, Role
from pbem.conversation.refusals import outdated
from pbem.conversation.syntax.arguments import MATCH, opt, word, words
from pbem.errors import Refused
from pbem.features.house import house_account
from pbem.features.match_and_players import own_match
from pbem.features.playing import conditional_moves
from pbem.features.time import vacation_dates
from pbem.features.time.vacation_dates import BadDates, parse_end
from pbem.matches import agreements, lifecycle, stored_offers
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.events import Events
from pbem.matches.queries import opponent_in, seat_of, version
from pbem.matches.shown_names import name
from pbem.matches.stored_offers import OfferKind, find
from pbem.messages import general_preferences
from pbem.messages.contents.answer_sections import Muted
from pbem.players import message_budgets
from pbem.storage.models import Match, MatchState, Player, Search, SearchKind

OFFER = word("OFFER", r"\S+", is_name=True)
ON, OFF, PREPARED = word("on"), word("off"), word("conditions")
UNTIL = word("DAY|10d", r"\S+(?: \S+)?", accepts=vacation_dates.says_when)


def draw(request: Request, line: Line) -> Decision:
    return _propose(request, line, OfferKind.DRAW)


def pause(request: Request, line: Line) -> Decision:
    if UNTIL not in line.given:
        return _propose(request, line, OfferKind.PAUSE)
    zone = general_preferences.with_defaults(request.player.settings)[ZONE]
    try:
        until = parse_end(line.given[UNTIL], zone, request.now, "pause")
    except BadDates as error:
        raise Refused(str(error), read=line.text) from error
    return _propose(request, line, OfferKind.PAUSE, until)


def cancel(request: Request, line: Line) -> Decision:
    """Offer to end the match without a result; or drop what the sender has prepared in it."""
    if PREPARED in line.given:
        return conditional_moves.cancel(request, line)
    return _propose(request, line, OfferKind.CANCEL)


def take_turns_back(request: Request, line: Line) -> Decision:
    """Ask the opponent to take back the sender's last turn, and their own if it followed; or just take it back."""
    match, player, seat = own_match(request, line)
    lifecycle.check_running(match)
    _check_seen(request, match)
    if agreements.may_take_back(request.session, match, seat, request.incoming.received):
        message_budgets.of_match(request.session, match.id or 0, player, request.incoming, request.now)
        events = lifecycle.take_back(request.session, match, seat, match.plies - 1, request.now, freely=True)
        return Decision(events=events)
    seen = request.sender.seen(match.id or 0)
    if match.free_undo and seen is not None and seen < version(match) and match.to_move == seat:
        raise Refused(
            f"{name(opponent_in(request.session, match, player))} has answered your turn, so it isn't taken back.",
            read=line.text,
            fits='Write "undo" in reply to this message to ask whether both turns can be taken back.',
            match=match.id,
        )
    return _propose(request, line, OfferKind.UNDO)


def _propose(request: Request, line: Line, kind: OfferKind, until: datetime | None = None) -> Decision:
    match, player, seat = own_match(request, line)
    lifecycle.check_running(match)
    _check_seen(request, match)
    message_budgets.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    opponent = opponent_in(request.session, match, player)
    message_budgets.check_to_opponent(request.session, match, opponent, (), request.now)
    events = agreements.propose(request.session, match, seat, kind, request.now, until=until)
    answered = answer_offers(request.session, match, request.now)
    return Decision(events=answered or events)


def _check_seen(request: Request, match: Match) -> None:
    """Raise Refused for an offer that the sender makes on a position from before turns were taken back."""
    seen = request.sender.seen(match.id or 0)
    if seen is not None and seen < match.shift:
        sentence = "You replied to an older message, and turns have been taken back since then."
        raise outdated(sentence, match)


def accept(request: Request, line: Line, match: Match, player: Player) -> Decision:
    kind = _kind(line, "accept")
    seat, seen = seat_of(match, player) or 0, request.sender.seen(match.id or 0)
    return Decision(events=agreements.accept(request.session, match, seat, kind, request.now, seen=seen))


def reject(request: Request, line: Line, match: Match, player: Player) -> Decision:
    kind = _kind(line, "reject")
    seat, seen = seat_of(match, player) or 0, request.sender.seen(match.id or 0)
    return Decision(events=agreements.reject(request.session, match, seat, kind, seen=seen))


def withdraw(request: Request, line: Line, match: Match, player: Player) -> Decision:
    kind = _kind(line, "withdraw")
    return Decision(events=agreements.withdraw(request.session, match, seat_of(match, player) or 0, kind))


def ends_match(request: Request, line: Line) -> bool:
    """Return whether the line agrees to an offer of the opponent that ends the match, as the house does at once."""
    match = request.session.get(Match, line.match) if line.match is not None else None
    player = request.sender.player
    seat = seat_of(match, player) if match is not None and player is not None else None
    if match is None or seat is None or match.state != MatchState.RUNNING:
        return False
    if match.level is not None and line.command.name == OfferKind.CANCEL and not line.words:
        return True
    named = line.words if Role.ANSWERS in line.command.role else line.command.name
    ending = (find(match, kind) for kind in (OfferKind.DRAW, OfferKind.CANCEL) if named.strip().lower() in ("", kind))
    return any(offer is not None and offer.is_open and offer.seat != seat for offer in ending)


def _kind(line: Line, verb: str) -> OfferKind | None:
    word = line.given.get(OFFER, "")
    if word and word not in set(OfferKind):
        kinds = " or ".join(f'"{verb} {kind}"' for kind in OfferKind)
        raise Refused(f'"{word[:30]}" isn\'t something you can {verb}.', read=line.text, fits=f"Write {kinds}.")
    return OfferKind(word) if word else None


def is_offer(line: Line) -> bool:
    return line.command.name == PAUSE.name or (line.command.name in (DRAW.name, CANCEL.name) and not line.words)


def mute(request: Request, line: Line) -> Decision:
    match, player, seat = own_match(request, line)
    muted = OFF not in line.given
    agreements.mute(request.session, match, seat, muted=muted)
    opponent = name(opponent_in(request.session, match, player))
    return Decision(answer=(Muted(match=match.id or 0, opponent=opponent, muted=muted),))


def check_not_muted(request: Request, line: Line, match: Match, player: Player) -> None:
    if agreements.is_muted_for(match, player):
        opponent = name(opponent_in(request.session, match, player))
        raise Refused(f"{opponent} doesn't want offers and notes in match #{match.id}.", read=line.text)


DRAW = Command(
    "draw",
    words(opt(MATCH)),
    "offer a draw; it can go with a turn",
    draw,
    keywords="remis peace agree agreement",
    asks=ends_match,
    role=Role.GOES_WITH_TURN,
)
PAUSE = Command(
    "pause",
    words(opt(MATCH), opt(UNTIL)),
    "suggest a pause; it lasts until that day or without an end, the next turn ends it, and one of you can"
    " resume the match",
    pause,
    role=Role.GOES_WITH_TURN,
)
CANCEL = Command(
    "cancel",
    words(
        *(opt(MATCH), opt(PREPARED)),
        also={
            r"(?:my )?seek\b ?#?(\d{0,9})": r"unseek \1",
            r"(?:my )?(?:conditions?|queue)\b(?: (?:in|of|for))? ?(#?\d{1,9})?": r"cancel \1 conditions",
        },
    ),
    'suggest ending the match without a result; "cancel conditions" only drops what you have prepared in it',
    cancel,
    keywords="abort annul void",
    asks=ends_match,
    role=Role.GOES_WITH_TURN,
)
MUTE = Command(
    "mute",
    words(opt(MATCH), opt(ON, OFF, usage="[off]"), meant_by=r"^\S+$"),
    "stop offers and notes from your opponent in a match; their turns still reach you",
    mute,
    keywords="nag nagging ignore silence",
)
DRAW_AFTER = 20  # the number of turns, of both players, before which the house accepts no draw
EVEN = 0.0


def answer_offers(session: Session, match: Match, now: datetime) -> Events:
    """Answer what the opponent of the house has offered; nothing in a match between two people.

    It agrees to everything but to a draw in a match that it thinks it is winning. The caller has locked the match.
    """
    house = house_account.find(session) if match.level is not None else None
    seat = None if house is None else seat_of(match, house)
    events: Events = ()
    while seat is not None and match.state == MatchState.RUNNING:
        offer = next((offer for offer in stored_offers.open_offers(match) if offer.seat != seat), None)
        if offer is None:
            break
        if offer.kind is OfferKind.DRAW and not _agrees_to_draw(session, match):
            events += agreements.reject(session, match, seat, offer.kind)
        else:
            events += agreements.accept(session, match, seat, offer.kind, now)
    return events


def _agrees_to_draw(session: Session, match: Match) -> bool:
    """Return whether the house, when it last looked for a turn, thought that it was no better than even."""
    if match.plies < DRAW_AFTER:
        return False
    of_turns = (Search.match == match.id, Search.kind == SearchKind.TURN, col(Search.done).is_not(None))
    values = select(Search.value).where(*of_turns).order_by(col(Search.version).desc())
    value = session.exec(values.limit(1)).first()
    return value is not None and value <= EVEN

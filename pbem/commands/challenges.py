"""Challenges: challenge, accept, decline, withdraw."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import select

from engines import GAMES
from engines.core import BadOption, Game
from pbem.commands.account import check_name, free_name, welcome
from pbem.commands.core import Command, Decision, Line, Request
from pbem.commands.refusals import in_words
from pbem.commands.target import own_match
from pbem.errors import Refused
from pbem.matches import lifecycle
from pbem.payloads.sections import ChallengeSent, Section
from pbem.players import invitations
from pbem.reading.message import is_address
from pbem.storage.models import Player

BEGIN = ("me", "you", "random")


@dataclass(frozen=True, slots=True)
class Offer:
    """A challenge as the player wrote it."""

    game: Game
    opponent: str
    begin: str
    options: dict[str, str]


def read(words: Sequence[str], own_name: str | None) -> Offer:
    """Return the challenge those words spell, in any order (Rognlie's too). Raises Refused and BadOption."""
    games = [GAMES[word.lower()] for word in words if word.lower() in GAMES]
    options = dict(word.lstrip("-").lower().split("=", 1) for word in words if "=" in word)
    people = [word for word in words if "=" not in word and word.lower() not in GAMES]
    if len(people) > 1 and people[0].lower() == own_name:
        people = people[1:]
    there_are = ", ".join(GAMES)
    if len(games) != 1 or len(people) != 1:
        unknown = f" ({' '.join(people)[:60]}?)" if len(people) > 1 else ""
        raise Refused(
            f"A challenge needs one opponent and one game{unknown}.",
            fits=f'For example "challenge bob {next(iter(GAMES))}". The games: {there_are}.',
        )
    begin = options.pop("begin", BEGIN[0])
    if begin not in BEGIN:
        raise BadOption(f"begin={begin[:20]} is not a choice; use begin=me, begin=you or begin=random")
    return Offer(games[0], people[0].lower(), begin, games[0].chosen(options))


def challenge(request: Request, line: Line) -> Decision:
    """Challenge a player, or invite an address."""
    player = request.player
    try:
        offer = read(line.words.split(), player.name)
    except BadOption as error:
        raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.", read=line.text) from error
    by_address = "@" in offer.opponent
    if by_address:
        invitations.check_address(offer.opponent, request.server)
    other = _opponent(request, offer.opponent)
    session, limits, now = request.session, request.limits, request.now
    invitations.check_challenges(session, player, other, limits, now, by_address=by_address)
    if other.confirmed is None:
        invitations.remember(session, offer.opponent, limits, request.server, now)
    with in_words(line):
        events = lifecycle.offer(
            session,
            player,
            other,
            offer.game.key,
            offer.options,
            now,
            challenger_begins=offer.begin == "me" or (offer.begin == "random" and secrets.randbelow(2) == 0),
            by_address=by_address,
        )
    sent = ChallengeSent(match=events[0].match.id or 0, opponent=offer.opponent)
    return Decision(answer=(sent,), events=events)


def _opponent(request: Request, wanted: str) -> Player:
    """Return the player of that name or address, locked so that they can't leave meanwhile; add a new address."""
    session = request.session
    if "@" not in wanted:
        found = session.exec(select(Player).where(Player.name == wanted).with_for_update()).first()
        if found is None or found.deleted is not None:
            raise Refused(
                f"No player is called {wanted[:40]}.",
                fits="To invite someone new, write their email address instead of a name.",
            )
        return found
    if not is_address(wanted):
        raise Refused(
            f"{wanted[:60]} is not an email address.", fits="For example: challenge bob@example.org quadraphages"
        )
    found = session.exec(select(Player).where(Player.address == wanted).with_for_update()).first()
    if found is None:
        found = Player(address=wanted, created=request.now)
        session.add(found)
        session.flush()
    return found


def accept(request: Request, line: Line) -> Decision:
    """Start the match; a guest who was invited by address becomes a player."""
    match, player, _ = own_match(request, line)
    with in_words(line):
        events = lifecycle.accept(request.session, match, player, request.now)
    answer: tuple[Section, ...] = ()
    if player.confirmed is None:
        wanted = (
            check_name(request, line.words, f"accept {match.id}") if line.words else free_name(request, player.address)
        )
        answer = (welcome(request, player, wanted),)
    return Decision(answer=answer, events=events)


def decline(request: Request, line: Line) -> Decision:
    """Decline a challenge."""
    match, player, _ = own_match(request, line)
    with in_words(line):
        return Decision(events=lifecycle.decline(request.session, match, player, request.now))


def withdraw(request: Request, line: Line) -> Decision:
    """Take back a challenge of one's own."""
    match, _, _ = own_match(request, line)
    with in_words(line):
        return Decision(events=lifecycle.withdraw(request.session, match, request.player, request.now))


CHALLENGE = Command(
    "challenge",
    "PLAYER|ADDRESS GAME [option=choice ...] [begin=me|you|random]",
    "offer someone a match; begin= says who moves first, the other options depend on the game",
    challenge,
    changes=True,
    words=(1, 12),
    aliases=("chall", "invite"),
    resumes=True,
)
ACCEPT = Command(
    "accept",
    "[NUMBER] [NAME]",
    "accept a challenge and start the match; new players can choose a name",
    accept,
    changes=True,
    of_match=True,
    words=(0, 1),
    resumes=True,
)
DECLINE = Command(
    "decline", "[NUMBER]", "turn a challenge down", decline, changes=True, of_match=True, aliases=("reject",)
)
WITHDRAW = Command(
    "withdraw",
    "[NUMBER]",
    "take back a challenge that hasn't been accepted yet",
    withdraw,
    changes=True,
    of_match=True,
)

"""Challenges: challenge, accept, decline, withdraw."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import select

from engines import GAMES
from engines.core import BadOption, Game
from pbem.commands.account import check_name, free_name, welcome
from pbem.commands.core import Command, Context, Line, own_match, seats
from pbem.commands.play import tell_turn
from pbem.errors import Refused
from pbem.matches.naming import name, shown
from pbem.matches.queries import next_number
from pbem.matches.snapshot import stand
from pbem.reading.message import is_address
from pbem.storage.models import Match, MatchState, Player
from pbem.tokens import Purpose

BEGIN = ("me", "you", "random")
MOST_OPEN = 20


@dataclass(frozen=True, slots=True)
class Offer:
    """A challenge as written."""

    game: Game
    opponent: str
    begin: str
    options: dict[str, str]


def read(words: Sequence[str], own_name: str | None) -> Offer:
    """Return the challenge in those words, in any order, including Rognlie's; raise Refused or BadOption."""
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


def challenge(context: Context, line: Line) -> None:
    """Challenge a player, or invite an address."""
    player = context.player
    try:
        offer = read(line.words.split(), player.name)
    except BadOption as error:
        raise Refused(f"{str(error)[:1].upper()}{str(error)[1:]}.", read=line.text) from error
    other = _opponent(context, offer.opponent)
    if other.id == player.id:
        raise Refused("You can't challenge yourself.", read=line.text, fits="Name another player, or an email address.")
    by_address = "@" in offer.opponent
    _bound(context, player, other, by_address=by_address)
    challenger_begins = offer.begin == "me" or (offer.begin == "random" and secrets.randbelow(2) == 0)
    starter, second = (player, other) if challenger_begins else (other, player)
    pair = (starter, second) if offer.game.position(offer.options).turn == 0 else (second, starter)
    match = Match(
        id=next_number(context.session),
        game=offer.game.key,
        options=offer.options,
        seat0=pair[0].id or 0,
        seat1=pair[1].id or 0,
        challenger=player.id or 0,
        by_address=by_address,
        created=context.now,
    )
    context.session.add(match)
    context.session.flush()
    context.match = match.id
    template = "challenge" if other.confirmed else "invitation"
    context.owe(
        template,
        other,
        purpose=Purpose.PLAY,
        match=match,
        message=context.message(match.id),
        by=name(player),
    )
    context.answer("challenged", match=match.id, opponent=offer.opponent)


def _opponent(context: Context, wanted: str) -> Player:
    """Return the player with that name or address, locked so that they can't leave; add a row for a new one."""
    session = context.session
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
        found = Player(address=wanted, created=context.now)
        session.add(found)
        session.flush()
    return found


def _bound(context: Context, player: Player, other: Player, *, by_address: bool) -> None:
    """Raise Refused if the player has too many open challenges, or has already invited that address."""
    offers = context.session.exec(
        select(Match).where(Match.challenger == player.id, Match.state == MatchState.OFFERED)
    ).all()
    if len(offers) >= MOST_OPEN:
        raise Refused(
            f"{MOST_OPEN} of your challenges are still open, and that's the limit.",
            fits='"withdraw NUMBER" takes one back.',
        )
    if by_address and any(offer.by_address and other.id in (offer.seat0, offer.seat1) for offer in offers):
        raise Refused(
            "You've already invited this address.",
            fits="Please wait for a reply; we won't write to them twice.",
        )


def _offered(match: Match, line: Line) -> None:
    if match.state != MatchState.OFFERED:
        raise Refused(
            f"Match #{match.id} is no longer open; it is {match.state}.",
            read=line.text,
            fits=f'"show {match.id}" shows it.',
        )


def accept(context: Context, line: Line) -> None:
    """Start the match; an invited person becomes a player by accepting."""
    match, _ = own_match(context, line)
    player = context.sender.player
    assert player is not None  # noqa: S101 - own_match has refused strangers
    _offered(match, line)
    if player.id == match.challenger:
        raise Refused(
            f"Match #{match.id} is your own challenge; your opponent has to accept it.",
            fits=f'"withdraw {match.id}" takes it back.',
        )
    if player.confirmed is None:
        wanted = check_name(context, line.words) if line.words else free_name(context, player.address)
        welcome(context, player, wanted)
    match.state, match.started = MatchState.RUNNING, context.now
    match.to_move = GAMES[match.game].position(match.options).turn
    context.session.add(match)
    context.session.flush()
    tell_turn(context, stand(context.session, match))


def decline(context: Context, line: Line) -> None:
    """Decline a challenge."""
    match, _ = own_match(context, line)
    _offered(match, line)
    player = context.sender.player
    if player is not None and player.id == match.challenger:
        raise Refused(f"Match #{match.id} is your own challenge.", fits=f'"withdraw {match.id}" takes it back.')
    _close(context, match, MatchState.DECLINED)


def withdraw(context: Context, line: Line) -> None:
    """Withdraw the sender's own challenge."""
    match, _ = own_match(context, line)
    _offered(match, line)
    if context.player.id != match.challenger:
        raise Refused(f"Match #{match.id} is a challenge to you.", fits=f'"decline {match.id}" turns it down.')
    _close(context, match, MatchState.WITHDRAWN)


def _close(context: Context, match: Match, state: MatchState) -> None:
    match.state, match.ended = state, context.now
    context.session.add(match)
    context.session.flush()
    for player in seats(context.session, match):
        if context.is_sender(player):
            context.answer("closed", match=match.id, state=state.value)
        elif player.confirmed:
            context.owe(
                "closed",
                player,
                purpose=Purpose.PLAY,
                match=match,
                state=state.value,
                message=context.message(match.id),
                by=name(shown(match, context.sender.player)) if context.sender.player else "",
            )


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

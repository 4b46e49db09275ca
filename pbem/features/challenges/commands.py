"""Challenges: challenge, play, rematch, accept, decline, withdraw, and those that nobody answers.

Accept, decline and withdraw also answer offers in a match.
"""

from dataclasses import replace
from datetime import datetime

import structlog
from sqlmodel import Session, col, select

from notation import time_control
from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.conversation.command import Command, Decision, Line, Reach, Request, Role, Who
from pbem.conversation.syntax.arguments import GAME, MATCH, Given, Slot, opt, words
from pbem.errors import Refused
from pbem.features import terms
from pbem.features.accounts.joining_and_leaving import confirm
from pbem.features.accounts.name_rules import check_name, free_name
from pbem.features.house import levels_and_new_matches
from pbem.features.house.house_account import current_name
from pbem.features.house.levels_and_new_matches import LEVELS
from pbem.features.match_and_players import check_room_for_match, own_match
from pbem.features.playing import offers
from pbem.features.playing.offers import OFFER
from pbem.features.terms import LEVEL, OPPONENT, OPTION, RATED, is_first
from pbem.mail.reading.message import is_address
from pbem.matches import lifecycle, queries
from pbem.matches.events import OfferWithdrawn
from pbem.matches.lifecycle import OFFER_OPEN, Terms
from pbem.matches.queries import challenges_to, locked, opponent_of, pack_of
from pbem.matches.shown_names import is_hidden, name
from pbem.messages.contents.answer_sections import ChallengeSent
from pbem.messages.contents.message_payloads import Welcome
from pbem.players import blocks, invitations, match_event_notices, willingness
from pbem.storage import queue
from pbem.storage.due_rows import due_rows
from pbem.storage.mailboxes_and_domains import mailbox
from pbem.storage.models import Match, MatchState, Player


def challenge(request: Request, line: Line) -> Decision:
    player, house_name = request.player, current_name(request.session)
    if house_name in line.given.all(OPPONENT) and player.name != house_name:
        return _against_house(request, line, player)
    opponent = opponent_in(line.given, player.name)
    offer = terms.of(line.given, request.server.time, line.text)
    if LEVEL in line.given:
        raise Refused("A person plays as they play; only the house has levels.", read=line.text)
    other = opponent_of_offer(request, line, player, opponent, offer.game)
    events = lifecycle.offer(
        *(request.session, player, other, offer, request.now),
        challenger_begins=is_first(offer.begin),
        by_address="@" in opponent,
    )
    sent = ChallengeSent(match=events[0].match.id or 0, opponent=opponent)
    return Decision(answer=(sent,), events=events)


def opponent_of_offer(request: Request, line: Line, player: Player, opponent: str, game: str) -> Player:
    by_address = "@" in opponent
    if by_address:
        invitations.check_address(opponent, request.server)
    check_room_for_match(request, player)
    other = _opponent(request, opponent)
    _check_open(request, line, player, other, game, by_address=by_address)
    session, limits, now = request.session, request.limits, request.now
    invitations.check_challenges(session, player, other, limits, request.server, now, by_address=by_address)
    if by_address:
        invitations.remember(session, opponent, limits, request.server, now)
    return other


def _check_open(request: Request, line: Line, player: Player, other: Player, game: str, *, by_address: bool) -> None:
    """Raise Refused if the other wants no such challenge, in words that don't tell whether it is about the sender.

    Where an address was invited, they don't even tell that it is a player's.
    """
    session = request.session
    if willingness.is_open_to(session, other, player, game):
        return
    if by_address and other.confirmed is not None:
        raise invitations.not_invitable(request.server)
    if blocks.is_blocked(session, player, other):
        raise Refused("You have blocked this player.", read=line.text, fits='"unblock NAME" allows challenges again.')
    raise Refused(
        "This player isn't open to this challenge at the moment.", fits='"seeks" lists what others want to play.'
    )


def play(request: Request, line: Line) -> Decision:
    player = request.sender.player
    if player is None or player.confirmed is not None:
        return _against_house(request, line, request.player)
    confirm(request, player, free_name(request, player.address))
    decision = _against_house(request, line, player)
    return replace(decision, below=(*decision.below, Welcome(plays=True)))


def _against_house(request: Request, line: Line, player: Player) -> Decision:
    """Start the match against the house that the line asks for. Without a word about time, there is no limit."""
    level = levels_and_new_matches.level_of(request, line.given.get(LEVEL, None))
    offer = terms.of(line.given, time_control.NONE, line.text)
    if offer.free_undo:
        raise Refused("The house agrees to every takeback.", read=line.text, fits='Leave out "undo=free".')
    if offer.rated:
        raise Refused("Matches against the house aren't rated.", read=line.text, fits='Leave out "rated".')
    check_room_for_match(request, player)
    return levels_and_new_matches.start(request, player, offer, level, begins=is_first(offer.begin))


def _opponent(request: Request, called: str) -> Player:
    """Return the player of that name or address, locked so that they can't leave meanwhile; add a new address."""
    session = request.session
    if "@" not in called:
        player = session.exec(select(Player).where(Player.name == called).with_for_update()).first()
        if player is None or player.deleted is not None:
            fits = "To invite someone new, write their email address instead of a name."
            raise Refused(f"No player is called {called[:40]}.", fits=fits)
        return player
    if not is_address(called):
        fits = "For example: challenge bob@example.org quadraphages"
        raise Refused(f"{called[:60]} is not an email address.", fits=fits)
    # A sub-address leads to the same mailbox: that it isn't the address on file must not show whose that is.
    spelled = (called, mailbox(called))
    rows = session.exec(select(Player).where(col(Player.address).in_(spelled)).with_for_update()).all()
    if rows:
        return min(rows, key=lambda row: spelled.index(row.address))
    player = Player(address=called, created=request.now)
    session.add(player)
    session.flush()
    return player


def rematch(request: Request, line: Line) -> Decision:
    match, player, _ = own_match(request, line)
    if match.state == MatchState.RUNNING:
        raise Refused(f"Match #{match.id} isn't over yet.", read=line.text, match=match.id)
    if match.state != MatchState.OVER:
        raise Refused(f"Match #{match.id} wasn't played, so there is no rematch.", read=line.text)
    before = locked(request.session, match.rematch) if match.rematch else None
    if before is not None and before.state == MatchState.RUNNING:
        raise Refused(f"You're already playing the rematch of match #{match.id}: match #{before.id}.")
    if before is not None and before.state == MatchState.OFFERED:
        if before.challenger == player.id:
            fits = f'"withdraw {before.id}" takes it back.'
            raise Refused(f"You've already offered a rematch: match #{before.id}.", fits=fits)
        check_room_for_match(request, player)
        return Decision(events=lifecycle.accept(request.session, before, player, request.now))
    return _offer_rematch(request, line, match, player)


def _offer_rematch(request: Request, line: Line, match: Match, player: Player) -> Decision:
    session, now = request.session, request.now
    began = match.seat0 if pack_of(match).game.position(match.options).turn == 0 else match.seat1
    time = time_control.from_stored(match.time)
    time = time if match.seat0 == player.id else time.swapped
    same = Terms(match.game, match.options, time, match.rated, match.free_undo)
    if match.level is not None:
        check_room_for_match(request, player)
        return levels_and_new_matches.start(
            request, player, same, match.level, begins=began != player.id, rematch_of=match
        )
    opponent = session.get_one(Player, opponent_of(match, player), with_for_update=True)
    if opponent.deleted is not None:
        raise Refused("Your opponent has left this server.", read=line.text)
    check_room_for_match(request, player)
    _check_open(request, line, player, opponent, match.game, by_address=False)
    invitations.check_challenges(session, player, opponent, request.limits, request.server, now, by_address=False)
    begins = began != player.id
    events = lifecycle.offer(session, player, opponent, same, now, challenger_begins=begins, rematch_of=match)
    sent = ChallengeSent(match=match.rematch or 0, opponent=name(opponent))
    return Decision(answer=(sent,), events=events)


def accept(request: Request, line: Line) -> Decision:
    """Start the match, or accept an offer in it; a guest who was invited by address becomes a player."""
    line = _about_a_challenge(request, line)
    match, player, _ = own_match(request, line)
    if match.state == MatchState.RUNNING:
        return offers.accept(request, line, match, player)
    check_room_for_match(request, player)
    events = lifecycle.accept(request.session, match, player, request.now)
    if match.by_address:
        invitations.note_accepted(request.session, player.address)
    if player.confirmed is not None:
        return Decision(events=events)
    named = line.given.get(OFFER, "")
    new_name = check_name(request, named, f"accept {match.id}") if named else free_name(request, player.address)
    confirm(request, player, new_name)
    return Decision(events=events, below=(Welcome(plays=True),))


def _about_a_challenge(request: Request, line: Line) -> Line:
    """Return the line with the match that it is about: the one challenge to its sender, if it names no match."""
    player = request.sender.player
    open_to_them = [] if line.match is not None or player is None else challenges_to(request.session, player, 2)
    return replace(line, match=open_to_them[0].id) if len(open_to_them) == 1 else line


def decline(request: Request, line: Line) -> Decision:
    line = _about_a_challenge(request, line)
    match, player, _ = own_match(request, line)
    if match.state == MatchState.RUNNING:
        return offers.reject(request, line, match, player)
    return Decision(events=lifecycle.decline(request.session, match, player, request.now))


def withdraw(request: Request, line: Line) -> Decision:
    match, player, _ = own_match(request, line)
    if match.state == MatchState.RUNNING:
        return offers.withdraw(request, line, match, player)
    return Decision(events=lifecycle.withdraw(request.session, match, request.player, request.now))


def _goes_to_opponent(request: Request, line: Line) -> bool:
    player, match = request.sender.player, request.session.get_one(Match, request.sender.match)
    if player is None or not line.given.fits:
        return False
    opponent = queries.opponent_in(request.session, match, player)
    return opponent.name in line.given.all(OPPONENT) and not is_hidden(match, opponent)


def _for_stranger(request: Request, line: Line) -> Line | None:
    """Return the line as our help writes it; raise Refused, without repeating them, for words that it doesn't know."""
    if line.malformed:
        return None
    given = line.given
    key = given.get(GAME, "")
    if not key:
        raise Refused("Which game?", fits=f'"play {next(iter(GAMES))}" is enough.')
    known = {"begin": terms.BEGIN, **{option.name: option.choices for option in GAMES[key].game.options}}
    options, level = dict(given.all(OPTION)), given.get(LEVEL, "1")
    is_known = all(choice in known.get(name, ()) for name, choice in options.items())
    if not (given.fits and is_known and RATED not in given and level in {str(each.number) for each in LEVELS}):
        raise Refused(f'We can read "play {key}" in that line, and not the rest.', fits=f'"play {key}" is enough.')
    options |= {"level": level} if LEVEL in given else {}
    words = " ".join((key, *(f"{name}={choice}" for name, choice in options.items())))
    return Line(PLAY, words, None, f"play {words}")


FROM_TOURNAMENT = r"(?:from (?:the )?)?CONTEST ?#?(\d{1,9})|from #?(\d{1,9})"
CHALLENGE = Command(
    "challenge",
    words(
        Slot((OPPONENT,), OPPONENT.usage, most=2),
        GAME,
        terms.options(
            "[option=choice ...] [begin=me|you|random] [time=14d+1d] [weekends=off] [undo=free] [rated]", LEVEL
        ),
        meant_by=".",
        also={r"(\S+) (?:on|in) (?:the )?CONTEST ?#?(\d{1,9})": r"climb \2 \1"},
    ),
    "offer someone a match; begin= says who moves first, time= how much time you have, weekends=off that it stops on"
    " weekends, undo=free that slips can be taken back, rated that it counts",
    challenge,
    aliases=("chall", "invite"),
    keywords="invitation invitations invites option begin= offer",
    by_match=Reach.OPPONENT,
    to_opponent=_goes_to_opponent,
    role=Role.CHALLENGES | Role.RESUMES,
)
PLAY = Command(
    "play",
    words(
        GAME,
        terms.options("[level=1] [option=choice ...] [begin=me|you|random] [time=14d+1d]", LEVEL),
        is_strict=True,
        meant_by=r"\bGAME\b",
    ),
    "play the house, which always has time; level= says how well it plays",
    play,
    open_to=Who.GUESTS,
    by_match=Reach.OPPONENT,
    to_opponent=lambda request, _: request.session.get_one(Match, request.sender.match).level is not None,
    newcomer_rank=3,
    for_stranger=_for_stranger,
    role=Role.RESUMES,
)
REMATCH = Command(
    "rematch",
    words(opt(MATCH)),
    "offer another match like one that is over; the other side begins",
    rematch,
    keywords="revenge again another",
    role=Role.RESUMES,
)
ACCEPT = Command(
    "accept",
    words(opt(MATCH), opt(OFFER, usage="[NAME|OFFER]"), also={"GAME": r"allow \g<0>"}),
    "accept a challenge or an offer; new players can choose a name",
    accept,
    open_to=Who.GUESTS,
    asks=offers.ends_match,
    newcomer_rank=2,
    role=Role.ANSWERS | Role.RESUMES,
)
DECLINE = Command(
    "decline",
    words(opt(MATCH), opt(OFFER), also={"GAME": r"refuse \g<0>"}),
    "turn down a challenge, or an offer in a match",
    decline,
    aliases=("reject",),
    open_to=Who.GUESTS,
    role=Role.ANSWERS,
)
WITHDRAW = Command(
    "withdraw",
    words(opt(MATCH), opt(OFFER), also={FROM_TOURNAMENT: r"retire \1\2"}),
    "take back a challenge or an offer; that works until it is accepted",
    withdraw,
)


def opponent_in(given: Given, own_name: str | None) -> str:
    """Return whom a challenge names, whose author Rognlie's players name as well. Raises Refused."""
    people = [name for name in given.all(OPPONENT) if name != own_name] or given.all(OPPONENT)
    if len(people) != 1:
        raise Refused(f"Whom do you challenge: {' or '.join(people)[:60]}?", fits="Name one of them.")
    return people[0]


# Challenges that nobody answers end after two weeks, and their challengers are told; those challenged were asked once.
#
# Each match has a transaction of its own that locks it, so only one of several daemons acts on it.
log = structlog.get_logger()


def _end(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    """End a challenge that is unanswered. Return whether it was; a message that waits may be the answer."""
    challenger = session.get_one(Player, match.challenger)
    challenged = session.get_one(Player, queries.opponent_of(match, challenger))
    is_over = match.state == MatchState.OFFERED and match.created <= now - OFFER_OPEN
    if not is_over or queue.waits_from(session, challenged.address):
        return False
    withdrawn = lifecycle.withdraw(session, match, challenger, now)
    unanswered = (replace(event, unanswered=True) for event in withdrawn if isinstance(event, OfferWithdrawn))
    match_event_notices.announce(session, server, now, unanswered)
    log.info("challenge unanswered", match=match.id)
    return True


OFFERED = (col(Match.state) == MatchState.OFFERED,)
DUE = (due_rows("challenges that end", Match, Match.created, _end, where=OFFERED, after=OFFER_OPEN),)

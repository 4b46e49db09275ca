"""The commands stop, start and resume: whether news, invitations and one kind of message come at all."""

from itertools import chain

from pbem.conversation.command import Command, Decision, Line, Reach, Request, Role, Who
from pbem.conversation.syntax.arguments import MATCH, opt, word, words
from pbem.errors import Refused
from pbem.features.accounts.settings import chosen
from pbem.features.match_and_players import own_match
from pbem.features.playing.viewing import games
from pbem.matches import agreements, lifecycle
from pbem.matches.clock import timekeeping
from pbem.matches.queries import awaiting, challenges_to, locked, of_player, version
from pbem.messages.contents.message_payloads import InvitationsAllowed, InvitationsStopped, NewsStarted, NewsStopped
from pbem.players import complaints, invitations, news_times_and_pauses
from pbem.storage.models import MatchState
from pbem.storage.preference_definition import OFF

KIND = word("spectating|tournaments")


def stop(request: Request, line: Line) -> Decision:
    """Stop news to the sender; matches go on, and news is kept. A guest isn't invited again."""
    guest = request.sender.player
    if guest is not None and guest.confirmed is None:
        invitations.rule_out(request.session, guest.address, request.now)
        offered = of_player(request.session, guest, (MatchState.OFFERED,))
        matches = [locked(request.session, match.id or 0) for match in offered]
        declined = [lifecycle.decline(request.session, match, guest, request.now) for match in matches if match]
        return Decision(answer=(InvitationsStopped(),), events=tuple(chain.from_iterable(declined)))
    if KIND in line.given:
        return chosen(request, line, {line.given[KIND]: OFF})
    player = request.player
    if player.stopped is None or player.gets_turns_only:
        player.stopped = request.now
    news_times_and_pauses.pause(request.session, player)
    for match in awaiting(request.session, player):  # their time runs on, though the message about it isn't sent
        timekeeping.hand_over(request.session, [(match.id or 0, version(match))], request.now)
    return Decision(answer=(NewsStopped(),))


def start(request: Request, line: Line) -> Decision:
    """Resume news to the sender, and list their matches. A guest can be invited again."""
    guest = request.sender.player
    if guest is not None and guest.confirmed is None:
        invitations.allow(request.session, guest.address)
        return Decision(answer=(InvitationsAllowed(),))
    player = request.player
    started = NewsStarted(since=f"{player.stopped:%Y-%m-%d}" if player.stopped else None)
    complaints.forgive(request.session, player, request.now)
    return Decision(answer=(started, *games(request, line).answer))


def resume_match(request: Request, line: Line) -> Decision:
    """End the pause of a match; without a match, the same as `start`."""
    if line.match is None:
        return start(request, line)
    match, _, seat = own_match(request, line)
    return Decision(events=agreements.resume(request.session, match, seat, request.now))


def _stop_for_stranger(request: Request, line: Line) -> Line | None:
    """Raise Refused for somebody who gets no news; None for somebody with an open invitation, who is told of that."""
    guest = request.sender.player
    if guest is not None and challenges_to(request.session, guest, 1):
        return None
    raise Refused(
        "You want to get no more mail from us.",
        fits="We keep no list: this address only gets answers to what is written from it. With that yes, no player can "
        "invite you either.",
        meant=("stop",),
        proposal="stop",
        wish=True,
    )


STOP = Command(
    "stop",
    words(opt(KIND), is_strict=True),
    'stop news by email; your matches go on, and "start" or a move brings it back. Or stop one kind of news for good',
    stop,
    aliases=("signoff", "unsubscribe", "never"),
    keywords="quiet silent",
    open_to=Who.GUESTS,
    by_match=Reach.GUEST,
    answers_news=True,
    for_stranger=_stop_for_stranger,
)
START = Command(
    "start",
    words(),
    'get news again; it ends what "stop" did, and lists your matches',
    start,
    aliases=("signon",),
    open_to=Who.GUESTS,
    by_match=Reach.GUEST,
    answers_news=True,
)
RESUME = Command(
    "resume",
    words(opt(MATCH)),
    'end the pause of a match; without a match, the same as "start"',
    resume_match,
    role=Role.RESUMES,
)

"""The levels at which the house plays, and matches against it."""

from dataclasses import dataclass

from engines import search
from pbem.conversation.command import Decision, Request
from pbem.errors import Refused
from pbem.features.house import house_account
from pbem.matches import lifecycle, tournament_and_branched_matches
from pbem.matches.queries import number_between
from pbem.matches.replayed_match import Snapshot
from pbem.players import invitations
from pbem.storage.models import Match, Player


@dataclass(frozen=True, slots=True)
class Level:
    number: int
    name: str
    description: str
    nodes: int  # how many moves it tries before it plays one


_NAMED = (
    ("Learner", "for children and first matches: mostly plays any turn, and says how it came to it"),
    ("Beginner", "sees little beyond your next turn, and often not even that"),
    ("Casual", "takes what you leave, and has no plan"),
    ("Regular", "punishes plain mistakes; a first win takes some practice"),
    ("Strong", "sees most short combinations before you do"),
    ("Stronger", "the best it can in a few seconds; no master of any game"),
    ("Strongest", "thinks for a minute or so about each turn"),
)
LEVELS = tuple(
    Level(level.number, name, description, level.nodes)
    for level, (name, description) in zip(search.LEVELS, _NAMED, strict=True)
)
DEFAULT = 2  # the level of a challenge that names none: a newcomer should have a chance
MOST_MATCHES = 10


def level_of(request: Request, given: str | None) -> int:
    if given is None:
        return DEFAULT
    words = given.strip().lower()
    level = next((level for level in LEVELS if words in (str(level.number), level.name.lower())), None)
    if level is None:
        raise Refused(
            f"The house has no level {given[:20]}.",
            fits=f'Its levels are 0 to {len(LEVELS) - 1}; "help levels" explains them.',
        )
    return level.number


def start(
    request: Request,
    player: Player,
    terms: lifecycle.Terms,
    level: int,
    *,
    begins: bool,
    rematch_of: Match | None = None,
    replay_of: Snapshot | None = None,
) -> Decision:
    """Start a match of the player, who may move first, against the house, from the position of `replay_of` if any."""
    session, now = request.session, request.now
    if not request.house.enabled:
        raise Refused("The house takes no new matches at the moment.", fits="Challenge another player.")
    house = house_account.provide(session, now)
    if number_between(session, player, house) >= MOST_MATCHES:
        raise Refused(
            f"You're already playing as many matches against the house as a player can ({MOST_MATCHES}).",
            fits='Finish one of them first; "games" lists them.',
        )
    invitations.check_day(session, player, now)
    (offered,) = lifecycle.offer(
        *(session, player, house, terms, now),
        challenger_begins=begins,
        rematch_of=rematch_of,
        level=level,
    )
    if replay_of is not None:
        tournament_and_branched_matches.begin_at_position(session, offered.match, replay_of, challenger_begins=begins)
    return Decision(events=lifecycle.accept(session, offered.match, house, now))

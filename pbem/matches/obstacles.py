"""Why something can't be done in a match: what the functions of `lifecycle` raise."""

from enum import Enum

from pbem.storage.models import Match


class Obstacle(Enum):
    NOT_STARTED = "the offer is not accepted yet"
    NEVER_STARTED = "the offer was declined or withdrawn"
    OVER = "the match is over"
    NOT_A_PLAYER = "the player doesn't play in the match"
    NOT_YOUR_TURN = "it is the opponent's turn"
    MOVED_ON = "the turn was read on a position that is not the present one"
    UNFINISHED = "the turn is not complete"
    COMPLETE = "the turn is complete"
    TOO_LONG = "the match has as many turns as a match can have"
    NO_PART = "no turn of the player is begun"
    NOT_ON_OFFER = "the match is not on offer any more"
    OWN_OFFER = "the challenger can't answer their own offer"
    OFFERED_TO_YOU = "only the challenger can withdraw an offer"
    YOURSELF = "nobody plays against themselves"
    TOO_MANY_OFFERS = "too many offers of the player wait for an answer"
    INVITED_ALREADY = "the player has invited that address already"
    ALREADY_OFFERED = "the player's offer of that kind is open"
    OFFERED_IN_VAIN = "the player's offer of that kind was closed since the last turn"
    OTHER_PAUSE_OFFERED = "the opponent has suggested another pause"
    PAUSE_IS_PAST = "the pause would be over already"
    UNDO_ASKED = "the opponent has asked to take turns back"
    NO_AGREED_DRAW = "the players can't agree on a draw in that game"
    NOTHING_TO_TAKE_BACK = "the player has played no turn"
    PAUSED = "the match is paused"
    NOT_PAUSED = "the match isn't paused"
    IN_TOURNAMENT = "others wait for the end of the match"
    MUTED = "the opponent wants no offers and notes in the match"
    NO_SUCH_OFFER = "no such offer is open"
    WHICH_OFFER = "the answer fits several offers"
    NO_LIMIT = "the match has no time control"
    TIME_GIVEN = "the player has given as much time in the match as one can"
    TIME_LEFT = "the opponent has time left, or isn't to move"
    TURN_MAY_WAIT = "a message that came before the time ran out isn't handled yet"
    OFFER_NOT_SEEN = "the answer is to a message from before the offer, or from before turns were taken back"


class NotPossible(Exception):
    """Something that can't be done: why, and in which match. The caller puts it into words."""

    def __init__(self, obstacle: Obstacle, match: Match | None = None) -> None:
        self.obstacle = obstacle
        self.match = match
        super().__init__(obstacle.value)

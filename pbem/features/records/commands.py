"""A new match from a position of another one: replay."""

from notation import time_control
from pbem.conversation.core import Command, Decision, Group, Line, Request
from pbem.conversation.refusals import in_words
from pbem.errors import Refused
from pbem.features.challenges import commands as challenges
from pbem.features.house import commands as house
from pbem.features.playing.viewing import position_of
from pbem.features.records import replays
from pbem.features.seeks import terms
from pbem.features.seeks.terms import BEGIN
from pbem.messages.said.sections import ChallengeSent
from pbem.storage.models import MatchState

EXAMPLE = 'For example "replay 42#7 bob": a match against bob that begins after turn 7 of match #42.'


def replay(request: Request, line: Line) -> Decision:
    """Challenge a player to an unrated match that begins at a position of another one, or start it with the house."""
    player, house_name = request.player, house.name(request)
    source = position_of(request, line)
    games, given, people = terms.split(line.words.split())
    rated, people = terms.rated_in(people)
    if len(people) != 1 or any(game != source.match.game for game in games):
        raise Refused("A replay needs one opponent, and its game is that of the match.", read=line.text, fits=EXAMPLE)
    if rated:
        raise Refused("Matches that begin at a position aren't rated.", read=line.text, fits='Leave out "rated".')
    opponent = people[0].lower()
    against_house = opponent == house_name and player.name != house_name
    level = given.pop(house.LEVEL, None)
    default = time_control.NONE if against_house else request.server.time
    begin = given.pop("begin", BEGIN[0])
    wanted = terms.chosen(source.match.game, {**source.match.options, **given, "begin": begin}, default, line.text)
    if wanted.options != source.match.options:
        raise Refused("The options are those of the match that is replayed.", read=line.text, fits=EXAMPLE)
    begins = challenges.is_first(wanted.begin)
    if against_house:
        if source.match.state == MatchState.RUNNING and source.match.level is None:
            raise Refused("The house doesn't help in a match that isn't over yet.", read=line.text)
        challenges.check_running(request, player)
        return house.start(
            *(request, line, player, wanted.game, wanted.options),
            level=house.level_of(request, level),
            time=wanted.time,
            begins=begins,
            replay_of=source,
        )
    if level is not None:
        raise Refused("A person plays as they play; only the house has levels.", read=line.text)
    other = challenges.opponent_of_offer(request, line, player, opponent, source.match.game)
    with in_words(line):
        events = replays.offer(
            *(request.session, source, player, other, request.now),
            time=wanted.time,
            challenger_begins=begins,
            by_address="@" in opponent,
        )
    return Decision(answer=(ChallengeSent(match=events[0].match.id or 0, opponent=opponent),), events=events)


REPLAY = Command(
    "replay",
    "[NUMBER[#TURN]] PLAYER [begin=me|you|random] [time=14d+1d]",
    "offer someone an unrated match that begins after a turn of another match; 42#7 is match 42 after turn 7",
    replay,
    changes=True,
    of_match=True,
    looks_back=True,
    words=(1, 8),
    resumes=True,
    group=Group.MATCHES,
    brief="go on from a position of another match",
)

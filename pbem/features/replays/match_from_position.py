"""A new match from a position of another one: replay."""

from notation import time_control
from pbem.conversation.command import Command, Decision, Line, Reach, Request, Role
from pbem.conversation.syntax.arguments import GAME, MATCH_THEN, Slot, opt, words
from pbem.errors import Refused
from pbem.features import terms
from pbem.features.challenges.commands import opponent_of_offer
from pbem.features.house import levels_and_new_matches
from pbem.features.house.house_account import current_name
from pbem.features.match_and_players import check_room_for_match
from pbem.features.playing.viewing import position_of
from pbem.features.terms import BEGIN, LEVEL, OPPONENT, OPTION, is_first
from pbem.matches import lifecycle, tournament_and_branched_matches
from pbem.messages.contents.answer_sections import ChallengeSent
from pbem.storage.models import MatchState

EXAMPLE = 'For example "replay 42#7 bob": a match against bob that begins after turn 7 of match #42.'


def replay(request: Request, line: Line) -> Decision:
    player, house_name = request.player, current_name(request.session)
    source = position_of(request, line)
    given, opponent = dict(line.given.all(OPTION)), line.given[OPPONENT]
    if line.given.get(GAME, source.match.game) != source.match.game:
        raise Refused("The game of a replay is that of the match.", read=line.text, fits=EXAMPLE)
    if terms.is_rated(line.given):
        raise Refused("Matches that begin at a position aren't rated.", read=line.text, fits='Leave out "rated".')
    against_house = opponent == house_name and player.name != house_name
    default = time_control.NONE if against_house else request.server.time
    begin = given.pop("begin", BEGIN[0])
    offer = terms.chosen(source.match.game, {**source.match.options, **given, "begin": begin}, default, line.text)
    if offer.options != source.match.options:
        raise Refused("The options are those of the match that is replayed.", read=line.text, fits=EXAMPLE)
    if offer.free_undo:
        raise Refused(
            "In a replay, you ask before you take a turn back.", read=line.text, fits='Leave out "undo=free".'
        )
    begins = is_first(offer.begin)
    if against_house:
        if source.match.state == MatchState.RUNNING and source.match.level is None:
            raise Refused("The house doesn't help in a match that isn't over yet.", read=line.text)
        check_room_for_match(request, player)
        level = levels_and_new_matches.level_of(request, line.given.get(LEVEL, None))
        return levels_and_new_matches.start(request, player, offer, level, begins=begins, replay_of=source)
    if LEVEL in line.given:
        raise Refused("A person plays as they play; only the house has levels.", read=line.text)
    other = opponent_of_offer(request, line, player, opponent, source.match.game)
    events = lifecycle.offer(request.session, player, other, offer, request.now, by_address="@" in opponent)
    tournament_and_branched_matches.begin_at_position(
        request.session, events[0].match, source, challenger_begins=begins
    )
    return Decision(answer=(ChallengeSent(match=events[0].match.id or 0, opponent=opponent),), events=events)


REPLAY = Command(
    "replay",
    words(
        *(opt(MATCH_THEN), Slot((OPPONENT,), "PLAYER"), opt(GAME, usage="")),
        terms.options("[begin=me|you|random] [time=14d+1d]", LEVEL),
        is_strict=True,
    ),
    "go on from a position of another match; you offer someone an unrated match, and 42#7 is match 42 after turn 7",
    replay,
    keywords="practice practise continue resume-from",
    by_match=Reach.NOWHERE,
    role=Role.RESUMES,
)

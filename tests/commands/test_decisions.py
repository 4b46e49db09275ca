"""Commands decide: what follows is a value, and no command queues a message. No mailbox is needed to see either."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert
from sqlmodel import Session, select

from notation.ending import Ending, Termination
from pbem.conversation.command import Decision, Letter, Request
from pbem.features.all import FEATURES
from pbem.features.playing.viewing import MatchList
from pbem.matches import lifecycle
from pbem.matches.events import MatchEnded, PartKept, TurnPlayed
from pbem.matches.obstacles import NotPossible
from pbem.messages.contents import answer_sections, message_payloads
from pbem.players.message_budgets import MATCH_PER_DAY
from pbem.players.queue_match_news import Notice
from pbem.storage.models import Match, MatchState, Outgoing, OutgoingState, Player
from pbem.storage.verdicts import Outcome
from tests.commands.requests import asked, read, run
from tests.contests import FIRST, NOW, PART, offered, people, play, started


def decide(request: Request, line: str) -> Decision:
    """Let the command of a line decide, as in a message about match #1."""
    found = read(line)
    return found.command.run(request, found)


def queued(session: Session) -> int:
    return len(session.exec(select(Outgoing)).all())


def test_resigning_is_an_event(session: Session) -> None:
    match, (_, bob, _) = started(session), people(session)

    decision = decide(asked(session, bob), "resign")

    ending = Ending(Termination.RESIGNATION, 1)
    assert decision == Decision(events=(MatchEnded(match, ending, 0),))
    assert queued(session) == 0


@pytest.mark.parametrize(
    ("line", "answer", "kind"),
    [(FIRST, (), TurnPlayed), (PART, (answer_sections.TurnBegun(match=1, ply=0, part="1"),), PartKept)],
)
def test_a_turn_is_an_event_and_a_part_is_asked_about(session: Session, line: str, answer: Any, kind: type) -> None:
    started(session)
    alice, *_ = people(session)

    decision = decide(asked(session, alice), line)

    assert [type(event) for event in decision.events] == [kind]
    assert (decision.answer, decision.messages, queued(session)) == (answer, (), 0)


def test_a_note_is_a_notice_and_takes_the_text_below_it(session: Session) -> None:
    match, (alice, bob, _) = started(session), people(session)

    decision = decide(asked(session, alice, ("How are you?",)), "say Hello")

    note = ("Hello", "How are you?")
    assert decision == Decision(
        answer=(answer_sections.WordsPassedOn(match=1, opponent="bob", message=note),),
        messages=(Notice(bob, message_payloads.Words(message=note, by="alice"), match),),
        takes_prose=True,
    )
    assert queued(session) == 0


def test_what_goes_to_others_is_in_the_decision(session: Session) -> None:
    alice, *_ = people(session)
    request = asked(session, alice)

    exported, changed = decide(request, "export me"), decide(request, "change address new@mail.example")

    assert exported.messages == (Letter(player=alice, payload=message_payloads.Export(), cause=request.cause()),)
    (question,) = changed.messages
    assert isinstance(question, Letter)
    assert (question.address, question.token_subject) == ("new@mail.example", request.incoming.id)
    assert queued(session) == 0


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([PART], answer_sections.TurnBegun(match=1, ply=0, part=PART)),
        ([PART, FIRST.removeprefix(f"{PART} ")], answer_sections.TurnNews(match=1, ply=1)),
    ],
    ids=["part", "completed"],
)
def test_the_rest_of_a_turn_is_asked_for_unless_a_later_line_has_completed_it(
    session: Session, lines: list[str], told: answer_sections.Section
) -> None:
    started(session)
    alice, *_ = people(session)

    assert run(asked(session, alice), *lines).sections == (told,)


def test_a_refused_line_leaves_the_reply_and_the_text_as_they_were(session: Session) -> None:
    match, (alice, *_) = started(session), people(session)

    reply = run(asked(session, alice), "games", f"#{match.id} say Hello", "#1 9 z9", "", "How are you?")

    assert reply.verdict.outcome is Outcome.REFUSED_IN_PART
    assert [type(section) for section in reply.sections] == [
        MatchList,
        answer_sections.WordsPassedOn,
        answer_sections.Refusal,
    ]
    assert queued(session) == 1


def test_the_refusal_of_a_command_decides_nothing(session: Session) -> None:
    offered(session)
    alice, *_ = people(session)

    with pytest.raises(NotPossible):
        decide(asked(session, alice), FIRST)

    assert (queued(session), session.get_one(Match, 1).plies) == (0, 0)


def test_a_refused_line_leaves_nothing_behind(session: Session) -> None:
    """The challenge would be accepted before the name is looked at."""
    alice, *_ = people(session)
    guest = Player(address="dora@mail.example", created=NOW)
    session.add(guest)
    session.flush()
    lifecycle.offer(session, alice, guest, lifecycle.Terms("quadraphages", {}), NOW, by_address=True)

    reply = run(asked(session, guest), "accept 1 bob")

    session.expire_all()
    assert reply.verdict.outcome is Outcome.REFUSED
    assert (session.get_one(Match, 1).state, guest.confirmed) == (MatchState.OFFERED, None)


def test_a_turn_that_answers_an_older_message_is_not_played(session: Session) -> None:
    match, (_, bob, _) = started(session), people(session)
    play(session, match, FIRST)
    request = asked(session, bob)
    late, in_time = (replace(request, sender=replace(request.sender, match=1, ply=seen)) for seen in (0, 1))
    turn = "c1d1 g9g8 1 d1e1 g8g7"

    assert (run(late, turn).verdict.outcome, match.plies) == (Outcome.REFUSED, 1)
    assert (run(in_time, turn).verdict.outcome, match.plies) == (Outcome.DONE, 2)


@pytest.mark.parametrize(("sent", "outcome"), [(MATCH_PER_DAY - 1, Outcome.DONE), (MATCH_PER_DAY, Outcome.REFUSED)])
def test_nobody_makes_us_write_about_a_match_all_day(session: Session, sent: int, outcome: Outcome) -> None:
    started(session)
    alice, *_ = people(session)
    request = asked(session, alice)
    about = {"template": "message", "match": 1, "incoming": request.incoming.id, "address": "bob@mail.example"}
    about |= {"references": [], "state": OutgoingState.SENT.value, "created": NOW, "due": NOW}
    session.execute(insert(Outgoing), [about | {"message_id": f"<{number}@pbem.example>"} for number in range(sent)])

    assert run(request, "say Hello").verdict.outcome is outcome


def test_a_challenge_without_a_game_goes_to_nobody(session: Session) -> None:
    started(session)
    alice, *_ = people(session)
    request = asked(session, alice)
    request = replace(request, sender=replace(request.sender, match=1))
    to_opponent = FEATURES.commands["challenge"].to_opponent
    assert to_opponent is not None

    assert [to_opponent(request, read(f"challenge bob{game}")) for game in (" quadrupel", "")] == [True, False]

"""Who can take a seek, and what those who can't are told, without mail."""

import pytest
from sqlmodel import Session, select

from pbem.features.seeks.commands import SEEKS_PER_DAY
from pbem.messages.contents.answer_sections import Refusal
from pbem.storage.models import Match, MatchState, PlayerRating, Seek
from tests.commands.requests import asked, run
from tests.contests import NOW, people


def refused(session: Session, author: int, line: str) -> str:
    """Return the sentence with which a line is refused; "" if it is carried out."""
    reply = run(asked(session, people(session)[author]), *line.split(" / "))
    return next((section.sentence for section in reply.sections if isinstance(section, Refusal)), "")


def running(session: Session) -> int:
    return len(session.exec(select(Match.id).where(Match.state == MatchState.RUNNING)).all())


def test_nobody_takes_the_same_seek_twice_and_no_seek_begins_more_than_its_player_wants(session: Session) -> None:
    assert not refused(session, 0, "seek kvadratik standing / limit 1")

    assert refused(session, 0, "take 1")
    assert not refused(session, 1, "take 1")
    assert refused(session, 1, "take 1").startswith("You're already playing that with this player: match #1.")
    assert refused(session, 2, "take 1").startswith("This player can't begin another match")
    assert running(session) == 1


def test_a_blocked_player_is_told_what_everybody_may_be_told(session: Session) -> None:
    assert not refused(session, 0, "seek quadrature / block bob / limit 0")

    blocked, busy = (refused(session, author, "challenge alice kvadratik") for author in (1, 2))
    assert blocked == busy != ""
    assert refused(session, 1, "take 1").replace("Seek 1 ", "Seek 99 ") == refused(session, 1, "take 99")


def test_a_player_has_a_bounded_number_of_seeks(session: Session) -> None:
    games = ("kvadratik", "quadrupel", "hexaphages", "quadraphages", "quadrature")
    assert not refused(session, 0, " / ".join(f"seek {game}" for game in games))
    assert refused(session, 0, "seek kvadratik rated").startswith("You have 5 open seeks")

    assert not refused(session, 0, "unseek 1")
    closed = session.get_one(Seek, 1).model_dump(exclude={"id"})
    session.add_all(Seek(**closed) for _ in range(SEEKS_PER_DAY - 5))
    assert refused(session, 0, "seek kvadratik").startswith(f"You've put up {SEEKS_PER_DAY} seeks today")


@pytest.mark.parametrize(("rating", "sentence"), [(None, "you have none yet, which counts as 1500."), (1611.9, "")])
def test_a_seek_for_some_ratings_is_refused_to_others(session: Session, rating: float | None, sentence: str) -> None:
    assert not refused(session, 0, "seek kvadratik rating=1600-1800")
    _, bob, _ = people(session)
    if rating:
        about = {"game": "kvadratik", "week": NOW.date(), "wins": 5, "draws": 1, "losses": 3}
        session.add(PlayerRating(player=bob.id, rating=rating, deviation=71, volatility=0.06, **about))

    found = refused(session, 1, "take 1")

    assert found.endswith(sentence)
    assert (running(session) == 1) is not found.startswith("Seek 1 is for ratings of 1600-1800 in Kvadratik")
    assert running(session) == bool(rating)


def test_a_seek_for_reliable_players_is_taken_by_one_of_them_alone(session: Session) -> None:
    _, bob, carol = people(session)
    assert not refused(session, 2, "seek kvadratik reliable")
    ended = {"state": MatchState.OVER, "termination": "timeout", "termination_seat": 0, "winner": 1, "ended": NOW}
    for _ in range(2):
        about = {"game": "quadrature", "options": {}, "created": NOW, "started": NOW, "challenger": carol.id}
        session.add(Match(seat0=bob.id, seat1=carol.id, **about, **ended))

    assert "You lost 2 of 2." in refused(session, 1, "take 1")
    assert running(session) == 0
    assert not refused(session, 0, "take 1")
    assert running(session) == 1

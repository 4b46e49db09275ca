"""Matches against the house, as its opponents see them: by mail."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.features.house.commands import HINTS_PER_DAY
from pbem.features.house.levels import LEVELS
from pbem.storage.models import Search
from tests import spent
from tests.correspondence import Correspondence, correspondence, text

ALICE, CAROL = "alice@mail.example", "carol@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        yield letters


def challenge(letters: Correspondence, words: str = "challenge house kvadratik level=1") -> None:
    personal = letters.join("alice")
    letters.write(ALICE, words, to=personal)


def begun(letters: Correspondence) -> None:
    """Let alice and the house set up."""
    letters.play(challenge)
    letters.reply(letters.last("alice"), "setup +x+x")


def turns(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select seat, text from ply order by match, number")


def states(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select state, termination from match order by id")


def test_a_challenge_is_accepted_at_once(letters: Correspondence) -> None:
    letters.play(challenge)

    assert letters.execute("select state, level, to_move, time from match") == [("running", 1, 0, None)]
    assert "The match has begun. You move first." in text(letters.last("alice"))
    assert "Kvadratik (setup=row), level 1, match #1" in text(letters.last("alice"))


def test_the_house_answers_a_turn(letters: Correspondence) -> None:
    letters.play(begun)

    assert [seat for seat, _ in turns(letters)] == [0, 1]
    assert "house played" in text(letters.last("alice"))


def test_a_turn_and_its_answer_are_one_message(letters: Correspondence) -> None:
    letters.play(challenge)

    (told,) = letters.reply(letters.last("alice"), "setup +x+x")

    assert "You played setup +x+x" in text(told)
    assert "house played setup" in text(told)
    assert told["Auto-Submitted"] == "auto-replied"
    letters.reply(told, "a4a3")
    assert len(turns(letters)) == 4


def test_the_house_begins_if_it_is_asked_to(letters: Correspondence) -> None:
    letters.play(challenge, "play quadrupel begin=you level=1")

    assert [seat for seat, _ in turns(letters)] == [0]
    assert letters.execute("select to_move from match") == [(1,)]


def test_a_newcomer_plays_after_a_yes(letters: Correspondence) -> None:
    (question,) = letters.write(CAROL, "play kvadratik level=2")
    told = letters.reply(question, "yes")

    assert "| play kvadratik level=2" in text(question)
    assert letters.execute("select state, level from match") == [("running", 2)]
    assert "Welcome, carol!" in text(told[0])
    assert "Your turn against house" in text(told[0])


def test_a_stranger_s_words_are_not_repeated(letters: Correspondence) -> None:
    (answer,) = letters.write(CAROL, "play kvadratik level=buy-pills.example")

    assert "pills" not in text(answer)
    assert letters.execute("select count(*) from match") == [(0,)]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("challenge house kvadratik level=6", "The house has no level 6."),
        ("challenge bob kvadratik level=3", "only the house has levels"),
        ("play kvadratik men=3", "Kvadratik has no option men"),
    ],
)
@pytest.mark.sampled(1)
def test_a_slip_is_explained(letters: Correspondence, words: str, says: str) -> None:
    letters.play(challenge, words)

    assert says in " ".join(text(letters.last("alice")).split())
    assert states(letters) == []


def test_the_house_agrees_to_an_undo_and_a_pause_and_a_cancellation(letters: Correspondence) -> None:
    letters.play(begun)

    letters.reply(letters.last("alice"), "undo")
    assert turns(letters) == []
    letters.reply(letters.last("alice"), "pause")
    assert letters.execute("select paused is not null from match") in ([(1,)], [(True,)])
    letters.reply(letters.last("alice"), "cancel")
    assert states(letters) == [("over", "cancelled")]


@pytest.mark.parametrize(("value", "agreed"), [(-0.1, True), (0.0, True), (0.4, False)])
@pytest.mark.sampled(2)
def test_the_house_agrees_to_a_draw_where_it_is_no_better_than_even(
    letters: Correspondence, value: float, agreed: bool
) -> None:
    letters.play(begun)
    letters.reply(letters.last("alice"), "draw")
    assert states(letters) == [("running", None)]  # too early

    letters.execute(f"update search set value = {value}")
    letters.execute("update match set plies = 20, offers = '{}'")  # as the house sees it; no turn is replayed here
    letters.reply(letters.last("alice"), "draw")

    assert letters.execute("select state from match") == [("over",)] if agreed else [("running",)]


def test_a_hint_is_what_the_house_would_play(letters: Correspondence) -> None:
    letters.play(challenge)

    (told,) = letters.reply(letters.last("alice"), "hint")

    assert "the house would play setup ++++ in your place" in text(told)
    letters.reply(told, "setup ++++")
    assert len(turns(letters)) == 2


@pytest.mark.slow
def test_hints_are_limited(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(begun)
        letters.reply(letters.last("alice"), "hint")
        ((search,),) = letters.execute("select id from search where kind = 'hint'")
        for number in range(1, HINTS_PER_DAY):
            spent.copies(letters, Search, int(str(search)), 1, version=-number)
        letters.reply(letters.last("alice"), "a4a3")
        (told,) = letters.reply(letters.last("alice"), "hint")
        assert "You've had 10 hints today" in text(told)


def test_there_is_no_hint_against_a_person(letters: Correspondence) -> None:
    letters.match("challenge bob kvadratik")

    (told,) = letters.reply(letters.last("alice"), "hint")

    assert "only in matches against the house" in text(told)


def test_searches_of_more_than_an_hour_ago_are_forgotten(letters: Correspondence) -> None:
    letters.play(begun)
    letters.wait(minutes=30)
    letters.reply(letters.last("alice"), "a4a3")
    letters.wait(minutes=31)

    letters.reply(letters.last("alice"), "b4c3")

    assert letters.execute("select version from search order by version") == [(3,), (5,)]


def test_a_rematch_begins_at_once_at_the_same_level_with_the_other_side(letters: Correspondence) -> None:
    letters.play(begun)
    letters.resign("alice")

    letters.reply(letters.last("alice"), "rematch")

    assert letters.execute("select level, challenger = seat0, plies from match where id = 2") in (
        [(1, 0, 1)],
        [(1, False, 1)],
    )


def test_the_house_reads_no_notes(letters: Correspondence) -> None:
    letters.play(challenge)

    (answer,) = letters.reply(letters.last("alice"), "say Good luck!")

    assert "The house doesn't read notes" in text(answer)


def test_no_mail_is_ever_queued_for_the_house(letters: Correspondence) -> None:
    letters.play(begun)
    letters.reply(letters.last("alice"), "undo")
    letters.resign("alice")

    assert {str(address) for (address,) in letters.execute("select address from outgoing")} == {ALICE}


def test_every_level_is_explained() -> None:
    page = " ".join(Path("templates/help/house.md").read_text(encoding="utf-8").split())
    for level in LEVELS:
        assert f"level={level.number} {level.name}: {level.description}" in page

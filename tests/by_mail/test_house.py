"""The house by mail: its matches, hints and analyses."""

import pytest

from pbem.storage.models import HOUSE
from tests.correspondence import Correspondence, said, text
from tests.house import scenes
from tests.scenes import after


def test_a_challenge_is_accepted_at_once_and_a_turn_and_its_answer_are_one_message(letters: Correspondence) -> None:
    letters.play(scenes.challenged)
    assert "The match has begun. You move first." in text(letters.last("alice"))
    assert letters.rows("select state, level, to_move, time from match") == [("running", 1, 0, None)]

    (told,) = letters.reply(letters.last("alice"), "setup +x+x")

    assert "You played setup +x+x" in text(told)
    assert "house played setup" in text(told)
    assert told["Auto-Submitted"] == "auto-replied"
    assert letters.rows("select seat from ply order by number") == [0, 1]


@pytest.mark.slow
def test_the_house_begins_if_it_is_asked_to(letters: Correspondence) -> None:
    letters.play(scenes.challenged, "play quadrupel begin=you level=1")

    assert letters.rows("select seat from ply") == [0]
    assert letters.rows("select to_move from match") == [1]


@after(scenes.begun)
def test_the_house_agrees_to_an_undo_a_pause_and_a_cancellation(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "undo")
    assert letters.played == []
    letters.reply(letters.last("alice"), "pause")
    assert letters.rows("select paused is not null from match") == [True]
    (question,) = letters.reply(letters.last("alice"), "cancel")
    letters.reply(question, "yes")
    assert letters.rows("select termination from match") == ["cancelled"]


@after(scenes.begun)
def test_nobody_moves_in_the_name_of_the_house(letters: Correspondence) -> None:
    before = letters.played

    for number, sender in enumerate((HOUSE, f'"{HOUSE}" <games@pbem.example>')):
        header = f"From: {sender}\nTo: games@pbem.example\nSubject: [pbem #1]\nMessage-ID: <{number}@y.example>\n"
        letters.deliver(f"{header}\n#1 resign\n#1 b4b3\n".encode())

    assert letters.played == before
    assert letters.rows("select state from match") == ["running"]


@after(scenes.challenged)
def test_a_hint_is_what_the_house_would_play(letters: Correspondence) -> None:
    (told,) = letters.reply(letters.last("alice"), "hint")

    assert "the house would play setup ++++ in your place" in said(told)
    letters.reply(told, "setup ++++")
    assert len(letters.played) == 2


@pytest.mark.slow
@after(scenes.over)
def test_an_analysis_follows_in_a_message_of_its_own(letters: Correspondence) -> None:
    asked, told = letters.reply(letters.last("alice"), "analyse")

    assert "The house looks at match #1" in said(asked)
    assert "What the house thinks of match #1 Kvadratik" in said(told)
    # The searcher's values: -0.8, -0.1, 0.0, 0.2, 0.5 for the first player.
    assert (
        "Turn 4, b1b2? by bob. Before it, alice was slightly ahead; after it, alice was ahead. "
        "The house would have played" in said(told)
    )
    assert "[     *    |          ] 4. b1b2 ?" in text(told)
    assert told["X-PBeM-Event"] == "analysis"

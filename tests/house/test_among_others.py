"""The house among the players: what "whois", "history", "games", "block", "standings" and seeks make of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text
from tests.house.test_by_mail import ALICE, begun, states


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        yield letters


def lost(letters: Correspondence) -> None:
    """Let alice lose a match against the house, and bob one too."""
    letters.play(begun)
    letters.resign("alice")
    letters.write("bob@mail.example", "play quadrupel level=1", to=letters.join("bob"))
    letters.resign("bob", "resign 2")


def said(letters: Correspondence, words: str) -> str:
    """Return what alice is told."""
    (told,) = letters.write(ALICE, words, to=str(letters.received[ALICE][1]["Reply-To"]))
    return " ".join(text(told).split())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("whois house", "house is a program: the opponent that always has time."),
        ("whois house", "Your matches against it: 0 won, 1 lost, 0 drawn."),
        ("history house", "#1"),
        ("history alice house", "#1"),
        ("games house", "The house plays with everybody, so its matches aren't listed."),
        ("block house", "The house challenges nobody, and writes no notes."),
        ("unblock house", "You haven't blocked this player."),
        ("standings", "Nobody has a rating yet."),
        ("seek kvadratik\nseeks", "seek"),
        ("challenge house kvadratik rated", "Matches against the house aren't rated."),
        ("who", "Nobody is in this list at the moment."),
    ],
)
@pytest.mark.sampled(1)
def test_what_is_asked_about_the_house_has_a_sensible_answer(letters: Correspondence, words: str, says: str) -> None:
    letters.play(lost)

    told = said(letters, words)

    assert says in told
    assert "#2" not in told, "what others play against the house is theirs"
    assert letters.execute("select count(*) from block") == [(0,)]


@pytest.mark.parametrize("words", ["whois house", "history house", "block house"])
@pytest.mark.sampled(1)
def test_before_anybody_has_played_it_the_house_is_no_stranger(letters: Correspondence, words: str) -> None:
    letters.play(lambda letters: letters.join("alice"))

    told = said(letters, words)

    assert "Nobody has played against the house yet." in told
    assert '"play GAME" begins a match with it.' in told


@pytest.mark.slow
def test_a_rematch_with_the_house_begins_once(letters: Correspondence) -> None:
    letters.play(begun)
    letters.resign("alice")

    letters.reply(letters.received[ALICE][-1], "rematch 1")
    letters.write(ALICE, "rematch 1", to=str(letters.received[ALICE][1]["Reply-To"]))

    assert states(letters) == [("over", "resignation"), ("running", None)]
    assert "already playing the rematch of match #1: match #2" in " ".join(text(letters.last("alice")).split())


def test_nobody_takes_a_seek_for_the_house_and_the_house_takes_none(letters: Correspondence) -> None:
    letters.play(lost)
    said(letters, "seek kvadratik")

    assert letters.wait(hours=1) == []
    assert letters.execute("select repeat, closed from seek") == [(1, None)]


def test_a_server_without_the_house_says_so(tmp_path: Path) -> None:
    with correspondence(tmp_path, more="[house]\nenabled = false") as letters:
        letters.join("alice")
        assert "The house takes no new matches at the moment." in said(letters, "play kvadratik")
        assert "Nobody has played against the house yet." in said(letters, "whois house")

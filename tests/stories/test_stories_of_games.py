"""Every game and variant by email, from the challenge to the end: each playthrough, turn by turn.

The golden files contain the messages that differ between games: the challenge, the first turns, the end.
"""

import os
import re
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import pytest

from notation import record
from notation.games import GAMES
from tests.cases import quick_where
from tests.correspondence import Correspondence, correspondence, text
from tests.stories.scripts import STORIES
from tests.stories.transcript import transcript

HERE = Path(__file__).parent
PLAYTHROUGHS = HERE.parent / "playthroughs"
NAMES = sorted(path.stem for path in PLAYTHROUGHS.glob("*.txt"))
QUICK = ("hexaphages", "quadrupel-variant-added-value")
"""The shortest matches of two games."""
MOST = 100_000
"""The maximum size of a message in bytes; Gmail truncates longer ones."""


@dataclass(frozen=True, slots=True)
class Played:
    """The content of a playthrough."""

    game: str
    options: str
    turns: tuple[str, ...]
    reason: str


def played(name: str) -> Played:
    """Return the playthrough of that name."""
    told = (PLAYTHROUGHS / f"{name}.txt").read_text(encoding="utf-8")
    chosen = re.findall(r"^chosen: (.*)$", told, flags=re.MULTILINE)
    outcome = re.search(r"^outcome: (?:winner (?:\d|None), )?(.*)$", told, flags=re.MULTILINE)
    game = re.search(r"^game: (.*)$", told, flags=re.MULTILINE)
    assert outcome is not None
    assert game is not None
    turns = re.findall(r"^played: (.*)$", told, flags=re.MULTILINE)
    return Played(game[1], " ".join(chosen), tuple(turns), outcome[1])


def play(letters: Correspondence, story: Played) -> None:
    """Play the match after alice's challenge; bob's messages have pictures, and alice's have tables."""
    letters.match(f"challenge bob {story.game} {story.options}")
    letters.reply(letters.received["alice@mail.example"][1], "set picture off")
    letters.received["alice@mail.example"].pop()
    for turn in story.turns:
        mover = next(name for name in ("alice", "bob") if is_asked(letters, name))
        letters.reply(letters.last(mover), turn)


def is_asked(letters: Correspondence, name: str) -> bool:
    """Return whether the player's newest message says that it's their turn."""
    return text(letters.last(name)).startswith("Your turn against ")


@dataclass(frozen=True)
class Match:
    """A playthrough played by email."""

    name: str
    story: Played
    letters: Correspondence
    whole: list[tuple[str, EmailMessage]]
    """Every message of the match."""
    answer: EmailMessage
    """The reply with its record."""

    @property
    def sent(self) -> list[EmailMessage]:
        """The server's messages."""
        return [mail for way, mail in self.whole if way == "out"]


@pytest.fixture(scope="module", params=quick_where(QUICK.__contains__, NAMES))
def match(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Match:
    """Play a playthrough by email."""
    story = played(request.param)
    with correspondence(tmp_path_factory.mktemp("game")) as letters:
        play(letters, story)
        whole = letters.log[:]
        (answer,) = letters.reply(letters.received["alice@mail.example"][1], "record 1")
    return Match(request.param, story, letters, whole, answer)


@pytest.mark.golden
def test_a_game_is_played_to_its_end_by_mail(match: Match) -> None:
    received = match.letters.received
    golden = HERE / "games" / f"{match.name}.txt"
    ends = [text(received[f"{who}@mail.example"][-1 if who == "bob" else -2]) for who in ("alice", "bob")]
    read = record.loads(text(match.answer).replace("\r\n", "\n"))
    variants = [name for name in NAMES if name < match.name and name.partition("-")[0] == match.story.game]
    before = [*STORIES, *(f"games/{name}" for name in variants)]
    end = len(match.whole)
    told = transcript(match.whole, before, only=[*range(10, 15), *range(17, 25), *range(end - 2, end + 1)])
    if os.environ.get("PBEM_GOLDEN") == "write":
        golden.write_text(told, encoding="utf-8")

    assert all("is over" in " ".join(end.split()) for end in ends)
    assert all(match.story.reason in " ".join(end.split()) for end in ends)
    assert read.game == match.story.game
    assert list(read.moves) == list(match.story.turns)
    assert told == golden.read_text(encoding="utf-8")


def test_every_mail_of_a_game_is_below_a_hundred_kilobytes(match: Match) -> None:
    """Not counting the files attached at the end of a match."""
    for mail in match.sent:
        files = [part for part in mail.iter_attachments() if part.is_attachment()]
        assert len(mail.as_bytes()) - sum(len(part.as_bytes()) for part in files) < MOST


def test_no_line_of_a_mail_is_too_long(match: Match) -> None:
    for mail in match.sent:
        assert max(len(line) for line in text(mail).splitlines()) <= 72
        assert max(map(len, mail.as_bytes().splitlines())) < 998


@pytest.mark.sampled(1)
@pytest.mark.parametrize("key", GAMES)
def test_a_wrong_option_is_answered_with_those_that_there_are(key: str, tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        personal = letters.join("alice")
        letters.join("bob")
        (answer,) = letters.write("alice@mail.example", f"challenge bob {key} colour=red", to=personal)

    for option in GAMES[key].game.options:
        assert f"{option.name}={option.spelled}" in " ".join(text(answer).split())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("key", GAMES)
def test_a_game_can_be_resigned_shown_and_explained(key: str, tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match(f"challenge bob {key}")
        asked = f"show 1\nhelp {key}\nhelp notation {key}\nrules {key}"
        shown = text(letters.reply(letters.received["bob@mail.example"][1], asked)[0])
        letters.resign("bob", "#1 resign")
        over = text(letters.received["alice@mail.example"][-1])

    assert GAMES[key].game.title.upper() in shown
    assert all(option.name in shown for option in GAMES[key].game.options)
    assert over.startswith("You won!")
    assert "The match is over: bob resigned." in " ".join(over.split())


def test_games_and_golden_files_belong_together() -> None:
    assert sorted(path.stem for path in (HERE / "games").glob("*.txt")) == NAMES

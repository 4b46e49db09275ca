"""Games whose titles are several words, and games whose names are ordinary words: what players may write for them."""

from pathlib import Path

import pytest
from sqlmodel import Session, select

from pbem.conversation.syntax.commands_for_wishes import Place
from pbem.conversation.syntax.wishes_in_sentences import read
from pbem.storage.models import Match, Seek
from pbem.storage.verdicts import Outcome
from tests import toys
from tests.commands.requests import asked, run
from tests.contests import NOW, people

SPELLINGS = ["loa", "Lines of Action", "LINES-OF-ACTION", "linesofaction"]


@pytest.fixture(autouse=True)
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer a game whose key isn't its title, and one whose key is an English word."""
    toys.offer(monkeypatch, toys.toy(tmp_path, "loa", "Lines of Action"), toys.toy(tmp_path, "go", "Go"))


@pytest.mark.parametrize("title", SPELLINGS)
def test_the_title_of_a_game_is_as_good_as_its_key(session: Session, title: str) -> None:
    alice, *_ = people(session)
    for line in (f"challenge bob {title} begin=me", f"challenge {title} bob", f"seek {title} time=14d+1d"):
        run(asked(session, alice), line)

    assert [*session.exec(select(Match.game)), *session.exec(select(Seek.game))] == ["loa"] * 3


@pytest.mark.parametrize("title", SPELLINGS)
def test_every_command_that_takes_a_game_takes_its_title(session: Session, title: str) -> None:
    alice, *_ = people(session)
    for line in ("rules {}", "{} rules", "help {}", "standings {}", "reject {}", "refuse {}", "seeks {}"):
        reply = run(asked(session, alice), line.format(title))
        assert reply.verdict.outcome is Outcome.DONE, line
        assert ("narrowed=True" if line == "seeks {}" else "loa") in str(reply.sections), line


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("I'd like to play lines of action.", "play loa"),
        ("I'd like to play Lines-of-Action with bob", "challenge bob loa"),
        ("How do you play lines of action?", "rules loa"),
    ],
)
def test_a_sentence_may_have_the_title(said: str, line: str) -> None:
    reading = read([said], Place(today=NOW.date()))
    assert line in (*reading.lines, *reading.looks)

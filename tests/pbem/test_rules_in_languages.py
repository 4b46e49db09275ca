"""The rules of a game are sent in the languages that there are."""

from pathlib import Path

import pytest

from tests import scenes, toys
from tests.correspondence import Correspondence, said

pytestmark = scenes.after(scenes.two_players)


GERMAN = "Linien\n======\n\nWer den letzten Stein nimmt, gewinnt.\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rules loa de", "Wer den letzten Stein nimmt, gewinnt."),
        ("rules loa", 'These rules are also there in other languages: "rules loa de".'),
        ("rules loa fr", '"rules loa" or "rules loa de" sends them.'),
        ("rules quadrupel de", '"rules quadrupel" sends them.'),
    ],
)
def test_rules_are_sent_in_the_languages_that_there_are(
    letters: Correspondence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, told: str
) -> None:
    toys.offer(monkeypatch, toys.toy(tmp_path, "loa", "Lines of Action"))
    (tmp_path / "loa.de.md").write_text(GERMAN, encoding="utf-8")
    (answer,) = letters.say("alice", line)

    assert told in said(answer)

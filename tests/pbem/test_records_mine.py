"""`records mine`: the records of a player's matches in one archive, sent to the address on file."""

import io
import re
import zipfile
from email.message import EmailMessage

import pytest

from notation import record
from pbem.features.records import commands
from pbem.storage.models import Match, MatchState
from tests import scenes, spent
from tests.correspondence import Correspondence, text

pytestmark = scenes.after(scenes.two_turns)


def asked(letters: Correspondence, words: str = "records mine") -> EmailMessage:
    (mail,) = letters.say("alice", words)
    return mail


def packed(mail: EmailMessage) -> dict[str, str]:
    """Return the files in the archive that the message encloses."""
    (part,) = mail.iter_attachments()
    with zipfile.ZipFile(io.BytesIO(part.get_payload(decode=True))) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def add(letters: Correspondence, number: int, state: MatchState = MatchState.OVER) -> None:
    """Store that many copies of match 1 and its turns, in that state."""
    (newest,) = letters.rows("select max(id) from match")
    ending = {"termination": "resignation", "winner": 1} if state is MatchState.OVER else {}
    spent.copies(letters, Match, 1, number, state=state, **ending)
    letters.execute(
        "insert into ply (match, number, seat, text, played) select match.id, number, seat, text, played"
        f" from match join ply on ply.match = 1 where match.id > {newest}"
    )


def test_each_match_is_a_text_and_once_it_is_over_json(letters: Correspondence) -> None:
    letters.resign("alice")
    add(letters, 1, MatchState.RUNNING)
    add(letters, 1, MatchState.WITHDRAWN)

    mail = asked(letters)

    files = packed(mail)
    assert list(files) == ["pbem-2-quadraphages.txt", "pbem-1-quadraphages.txt", "pbem-1-quadraphages.json"]
    assert record.loads(files["pbem-1-quadraphages.txt"]).moves == ("1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7")
    assert "2 matches" in text(mail)
    assert "from #2 down to #1" in text(mail)
    assert not re.search(r"@", "".join(files.values()))


def test_what_does_not_fit_is_in_the_next_one(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_MATCHES", 2)
    add(letters, 2)

    first = asked(letters)
    assert "You have 1 older match" in text(first)
    (words,) = re.findall(r'"(records mine before \d+)"', text(first))
    second = asked(letters, words)

    assert [set(packed(mail)) for mail in (first, second)] == [
        {f"pbem-{number}-quadraphages.{kind}" for number in (3, 2) for kind in ("txt", "json")},
        {"pbem-1-quadraphages.txt"},
    ]
    assert "older" not in text(second)
    assert "no match before #1" in text(asked(letters, "records mine before #1"))

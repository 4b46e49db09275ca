"""A message that proves nothing is answered with a short text, whatever it asks for: it may go to a victim."""

from email.message import EmailMessage

import pytest

from notation.games import GAMES
from tests.correspondence import Correspondence, text
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


ALICE = "alice@mail.example"
MOST_BYTES = 10_000
RECORDS = [f"record 1#{ply}" for ply in (0, 1, 2) * 6]
LOOKS = {
    "boards": [f"show 1#{ply}" for ply in (0, 1, 2) * 6],
    "previews": ["preview 1 b7d7"] * 20,
    "lists": ["games", "who", "standings", "seeks", "tournaments"] * 4,
    "rules": [f"rules {game}" for game in GAMES] * 4,
    "help": ["help", "help set", "help play"] * 6,
    "changes": ["set picture on", "preview 1 b7d7", "show 1"] * 6,
}


def is_short_text(mail: EmailMessage) -> bool:
    """Return whether it is text, of a few KB, and nothing else."""
    return mail.get_content_type() == "text/plain" and len(mail.as_bytes()) < MOST_BYTES


@pytest.mark.parametrize("asked", [RECORDS, *LOOKS.values()], ids=["records", *LOOKS])
def test_a_forged_message_is_answered_with_a_short_text(letters: Correspondence, asked: list[str]) -> None:
    for written in ("\n".join(asked), asked[0]):
        (answer,) = letters.write(ALICE, written)
        assert is_short_text(answer), answer.as_string()


def test_a_forged_message_asks_for_no_record(letters: Correspondence) -> None:
    """Many records were asked for in players' names: 118 MB, which everybody's turns waited for."""
    (question,) = letters.write(ALICE, "\n".join(RECORDS))
    assert "but can't be sure that it's from you" in " ".join(text(question).split())

    (answer,) = letters.reply(question, "yes")
    assert "The record of match #1" in text(answer)
    assert list(answer.iter_attachments())


def test_who_has_proven_themselves_gets_pictures_and_records(letters: Correspondence) -> None:
    for asked, picture in (("show 1", "image/png"), ("record 1", "image/gif")):
        (answer,) = letters.write(ALICE, asked, to=letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec)
        assert picture in {part.get_content_type() for part in answer.walk()}

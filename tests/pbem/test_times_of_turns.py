"""When each turn was played: in the full record, and as JSON."""

import json
from email.message import EmailMessage

from tests import scenes
from tests.correspondence import Correspondence, text


def one_hour_and_three(letters: Correspondence) -> None:
    """Begin a match of Quadrature with a clock, in which alice takes an hour and bob three."""
    letters.match("challenge bob quadrature time=5d+1d")
    letters.run_for(hours=1)
    letters.reply(letters.last("alice"), "e3f4")
    letters.run_for(hours=3)
    letters.reply(letters.last("bob"), "e9f8")


pytestmark = scenes.after(one_hour_and_three)


def game_record(mail: EmailMessage) -> str:
    """Return the JSON that a message about the end of a match encloses."""
    part = next(part for part in mail.iter_attachments() if str(part.get_filename()).endswith(".json"))
    return part.get_payload(decode=True).decode()


def test_the_full_record_tells_when_turns_were_received_in_the_zone_of_its_reader(letters: Correspondence) -> None:
    letters.say("alice", "set zone Asia/Tokyo")

    (here,) = letters.say("alice", "record 1 full")
    (there,) = letters.say("bob", "record 1 full")
    (short,) = letters.say("alice", "record 1")

    for words in ("When each turn was received:", "1. alice", "1 hour", "3 hours"):
        assert words in text(there)
    assert "(Asia/Tokyo)" in text(here)
    assert "UTC" not in text(here).partition("When each turn")[2]
    assert "When each turn" not in text(short)


def test_the_json_carries_the_times(letters: Correspondence) -> None:
    letters.resign("alice")
    found = game_record(letters.last("bob"))

    header = json.loads(found)["header"]
    assert [each["used"] // 3600 for each in header["turns"]] == [1, 3]

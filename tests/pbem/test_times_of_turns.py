"""When each turn was played: in the full record, as JSON, on the site, and what else happened to the clock."""

import json
from pathlib import Path

import pytest

from notation import gamerecord
from pbem.features.records import imported
from pbem.matches.clock.timesheet import turn_times
from pbem.storage.database import read_only
from pbem.storage.models import Match
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> object:
    """Begin a match of Quadrature with a clock, in which alice takes an hour and bob three."""
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature time=5d+1d")
        letters.run_for(hours=1)
        letters.reply(letters.last("alice"), "e3f4")
        letters.run_for(hours=3)
        letters.reply(letters.last("bob"), "e9f8")
        yield letters


def words(mail: object) -> str:
    return " ".join(text(mail).split())  # type: ignore[arg-type]


def test_the_full_record_tells_when_turns_were_received_in_the_zone_of_its_reader(letters: Correspondence) -> None:
    letters.write(ALICE, "set zone Asia/Tokyo", to=str(letters.received[ALICE][1]["Reply-To"]))

    (here,) = letters.reply(letters.last("alice"), "record 1 full")
    (there,) = letters.reply(letters.last("bob"), "record 1 full")
    (short,) = letters.reply(letters.last("alice"), "record 1")

    assert "When each turn was received:" in text(there)
    assert "1. alice" in text(there)
    assert "1 hour" in text(there)
    assert "3 hours" in text(there)
    assert "(Asia/Tokyo)" in text(here)
    assert "UTC" not in text(here).partition("When each turn")[2].partition("wrote:")[0]
    assert "When each turn" not in text(short)


def test_a_turn_that_was_taken_back_leaves_the_times_of_the_others(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "undo")
    letters.reply(letters.last("alice"), "accept")
    letters.run_for(hours=5)
    letters.reply(letters.last("bob"), "e9d8")

    with read_only(letters.server.engine) as session:
        times = turn_times(session, session.get_one(Match, 1))

    assert [each.in_words for each in times] == ["1 hour", "5 hours"]


def test_pauses_and_absences_are_told_in_words_to_the_two_players_alone(letters: Correspondence) -> None:
    for name in (ALICE, BOB):
        letters.write(name, "set watchers on", to=str(letters.received[name][1]["Reply-To"]))
    letters.write(ALICE, "vacation 10d", to=str(letters.received[ALICE][1]["Reply-To"]))
    letters.reply(letters.last("alice"), "pause 1")
    letters.write(BOB, "#1 accept pause", to=str(letters.received[BOB][1]["Reply-To"]))
    letters.run_for(days=2)
    letters.write(BOB, "#1 resume", to=str(letters.received[BOB][1]["Reply-To"]))
    letters.join("carol")

    (record,) = letters.write(BOB, "record 1 full", to=str(letters.received[BOB][1]["Reply-To"]))
    (shown,) = letters.write(BOB, "show 1", to=str(letters.received[BOB][1]["Reply-To"]))
    (seen,) = letters.write(CAROL, "record 1 full\nshow 1", to=str(letters.received[CAROL][1]["Reply-To"]))

    for mail in (record, shown):
        assert "alice's time runs on every day, away from" in words(mail)
        assert "UTC: paused." in words(mail)
        assert "UTC: the pause ended." in words(mail)
    assert "When each turn was received:" in text(seen)
    assert "away" not in words(seen)
    assert "paused" not in words(seen)


def test_the_json_carries_the_times_and_is_read_back_without_loss(letters: Correspondence) -> None:
    letters.resign("alice")
    over = letters.last("bob")
    told = next(part for part in over.iter_attachments() if str(part.get_filename()).endswith(".json"))
    found = told.get_payload(decode=True).decode()

    moments = json.loads(found)["header"]["turns"]
    assert [each["used"] // 3600 for each in moments] == [1, 3]
    signature = json.loads(found)["header"]["signature"]
    assert gamerecord.dumps(*gamerecord.loads(found), lambda _: signature) == found
    played = imported.read(found)
    assert [when and when.hour for when in played.moments] == [int(each["received"][11:13]) for each in moments]


@pytest.mark.parametrize("times", ["none", [{"used": 3}], [3], {"received": 1}])
def test_times_that_make_no_sense_are_refused_with_a_sentence(letters: Correspondence, times: object) -> None:
    letters.resign("alice")
    told = next(part for part in letters.last("bob").iter_attachments() if str(part.get_filename()).endswith(".json"))
    document = json.loads(told.get_payload(decode=True))
    document["header"]["turns"] = times

    with pytest.raises(gamerecord.BadRecord, match="this is no game record of two players"):
        imported.read(json.dumps(document))


def test_an_imported_match_keeps_its_times(letters: Correspondence) -> None:
    letters.resign("alice")
    told = next(part for part in letters.last("bob").iter_attachments() if str(part.get_filename()).endswith(".json"))
    document = json.loads(told.get_payload(decode=True))
    document["header"]["players"][0]["name"] = "somebody"
    file = letters.folder / "played.json"
    file.write_text(json.dumps(document), encoding="utf-8")

    letters.operate("match", "import", str(file))

    assert len(letters.execute("select id from match")) == 2
    first, second = (
        letters.execute(f"select played from ply where match = {number} order by number") for number in (1, 2)
    )
    assert [str(when)[:16] for (when,) in first] == [str(when)[:16] for (when,) in second]


def test_the_site_shows_when_each_turn_was_received(letters: Correspondence) -> None:
    for name in (ALICE, BOB):
        letters.write(name, "set public on", to=str(letters.received[name][1]["Reply-To"]))
    letters.operate("publish", str(letters.folder / "site"))

    (page,) = (letters.folder / "site").rglob("1.html")
    assert " UTC</time>, 1 hour" in page.read_text(encoding="utf-8")
    assert " UTC</time>, 3 hours" in page.read_text(encoding="utf-8")


def test_a_match_without_a_clock_tells_when_turns_were_received_and_no_more(letters: Correspondence) -> None:
    letters.write(ALICE, "challenge bob kvadratik time=none", to=str(letters.received[ALICE][1]["Reply-To"]))
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "resign")
    letters.reply(letters.last("alice"), "yes")

    (record,) = letters.write(BOB, "record 2 full", to=str(letters.received[BOB][1]["Reply-To"]))

    assert "The record of match #2" in text(record)
    assert "clock" not in text(record)

"""Tournaments by email: opened, entered, played to the end, and left early."""

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.errors import Refused
from pbem.features.tournaments import entries, hosting
from pbem.storage import database
from tests.correspondence import Correspondence, correspondence, text

NAMES = ("alice", "bob", "carol")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as found:
        yield found


@pytest.fixture
def personal(letters: Correspondence) -> dict[str, str]:
    """Let three players join, and return their personal addresses."""
    return {name: letters.join(name) for name in NAMES}


def open_(letters: Correspondence, words: str) -> None:
    """Let the operator open a tournament, at the time of the tests."""
    with database.transaction(letters.server.engine) as session:
        entries.open_(session, hosting.read(words, "none"), None, letters.clock())


def write(letters: Correspondence, personal: dict[str, str], name: str, words: str) -> EmailMessage:
    """Write to the personal address of a player; return the answer to it."""
    sent = letters.write(f"{name}@mail.example", words, to=personal[name])
    return next(mail for mail in sent if str(mail["To"]).startswith(name) and mail["Auto-Submitted"] == "auto-replied")


def enter(letters: Correspondence, personal: dict[str, str]) -> None:
    for name in personal:
        write(letters, personal, name, "enter 1")


def resign(letters: Correspondence, personal: dict[str, str], name: str, match: int) -> list[EmailMessage]:
    question = write(letters, personal, name, f"#{match} resign")
    return letters.reply(question, "yes")


def rows(letters: Correspondence, statement: str) -> list[tuple[object, ...]]:
    return letters.execute(statement)


def running(letters: Correspondence) -> list[tuple[int, str]]:
    """Return the matches that go on, and who moves first in them."""
    found = letters.execute(
        "select match.id, player.name from match join player on player.id = challenger"
        " where ended is null and tournament = 1 order by match.id"
    )
    return [(int(str(number)), str(name)) for number, name in found]


def test_all_matches_of_a_round_robin_begin_when_the_last_place_is_taken(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    open_(letters, "round-robin kvadratik time=3d/move places=3 called Little Cup")
    assert "Yours was the last place" not in text(write(letters, personal, "alice", "enter 1"))
    write(letters, personal, "bob", "enter 1")
    assert running(letters) == []

    sent = letters.write("carol@mail.example", "enter 1", to=personal["carol"])

    assert len(running(letters)) == 3
    told = {str(mail["To"]): text(mail) for mail in sent if mail["X-PBeM-Event"] != "answer"}
    assert set(told) == {f"{name}@mail.example" for name in NAMES}
    for words in told.values():
        assert words.count("of 3: Little Cup") == 2
    assert any("Yours was the last place" in text(mail) for mail in letters.received["carol@mail.example"])


@pytest.mark.slow
def test_the_final_report_has_the_crosstable_in_three_forms(letters: Correspondence, personal: dict[str, str]) -> None:
    open_(letters, "round-robin kvadratik time=3d/move places=3 called Little Cup")
    enter(letters, personal)
    reports: list[EmailMessage] = []
    for number, first in running(letters):
        reports = resign(letters, personal, first, number)

    told = [mail for mail in reports if mail["Subject"] == "[pbem] Little Cup: over"]
    assert {str(mail["To"]) for mail in told} == {f"{name}@mail.example" for name in NAMES}
    files = {str(part.get_filename()): part.get_content() for part in told[0].iter_attachments()}
    assert set(files) == {f"pbem-tournament-1.{ending}" for ending in ("txt", "html", "json")}
    report = json.loads(files["pbem-tournament-1.json"])
    assert sum(row["points"] for row in report["standings"]) == 3.0
    assert len([each for round_ in report["rounds"] for each in round_["meetings"]]) == 3
    assert "mail.example" not in "".join(map(str, files.values()))
    assert str(files["pbem-tournament-1.txt"]).startswith("Tournament 1: Little Cup")
    assert '<td class="name">alice</td>' in str(files["pbem-tournament-1.html"])


@pytest.mark.slow
def test_the_name_of_a_player_who_leaves_goes_from_every_report(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    open_(letters, "knock-out kvadratik time=3d/move places=3")
    enter(letters, personal)
    for _ in range(2):
        ((number, first),) = running(letters)
        resign(letters, personal, first, number)
    stored = (
        "select payload, facts from outgoingcontent join outgoing on outgoing.id = outgoing"
        " where template in ('tournament_over', 'round', 'turn')"
    )
    assert "carol" in str(rows(letters, stored))
    ((carol,),) = rows(letters, "select id from player where name = 'carol'")

    letters.reply(write(letters, personal, "carol", "delete me"), "yes")
    letters.wait()

    assert "carol" not in str(rows(letters, stored))
    assert f"deleted-{carol}" in text(write(letters, personal, "bob", "tournament 1"))


@pytest.mark.slow
def test_rounds_follow_each_other_where_they_are_not_played_together(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    open_(letters, "round-robin kvadratik time=3d/move places=3 together=1 called Little Cup")
    enter(letters, personal)
    seen = []
    for _ in range(3):
        ((number, first),) = running(letters)
        seen.append(rows(letters, f"select round from match where id = {number}"))
        resign(letters, personal, first, number)

    assert seen == [[(1,)], [(2,)], [(3,)]]
    assert rows(letters, "select count(*) from tournament where ended is not null") == [(1,)]


@pytest.mark.slow
def test_a_knock_out_goes_on_to_the_final(letters: Correspondence, personal: dict[str, str]) -> None:
    open_(letters, "knock-out kvadratik time=3d/move places=3")
    enter(letters, personal)
    assert "You have a bye" in text(letters.last("alice")), "without ratings, who entered first has the highest seed"
    ((number, first),) = running(letters)

    resign(letters, personal, first, number)

    final = [mail for mail in letters.received["alice@mail.example"] if mail["X-PBeM-Tournament"] == "1"]
    assert "round 2 of 2" in text(final[-1])
    assert "Standings before this round" in text(final[-1])
    ((number, first),) = running(letters)
    resign(letters, personal, first, number)
    assert "won the tournament" in text(letters.last("alice"))


@pytest.mark.slow
def test_a_swiss_goes_on_with_those_who_have_as_many_points(letters: Correspondence, personal: dict[str, str]) -> None:
    personal["dave"] = letters.join("dave")
    open_(letters, "swiss kvadratik time=3d/move places=4 rounds=9 called Little Open")
    enter(letters, personal)
    assert rows(letters, "select rounds from tournament") == [(2,)]
    for _ in range(2):
        for number, first in running(letters):
            resign(letters, personal, first, number)

    assert rows(letters, "select round, count(*) from match group by round order by round") == [(1, 2), (2, 2)]
    second = [mail for mail in letters.received["alice@mail.example"] if "round 2 of 2" in text(mail)]
    assert "  1.  " in text(second[0])
    assert " BH" in text(second[0])
    report = letters.last("alice")
    (told,) = [part for part in report.iter_attachments() if str(part.get_filename()).endswith(".json")]
    assert sorted(row["points"] for row in json.loads(told.get_content())["standings"]) == [0, 1, 1, 2]


@pytest.mark.slow
def test_who_runs_out_of_time_loses_without_a_claim(letters: Correspondence, personal: dict[str, str]) -> None:
    open_(letters, "knock-out kvadratik time=3d/move places=3")
    enter(letters, personal)
    ((number, first),) = running(letters)
    letters.run_for(days=4)

    assert rows(letters, f"select termination from match where id = {number}") == [("timeout",)]
    ((final, _),) = running(letters)
    assert final != number
    (seats,) = rows(letters, f"select seat0, seat1 from match where id = {final}")
    assert rows(letters, f"select id from player where name = '{first}'")[0][0] not in seats


@pytest.mark.slow
def test_too_few_entries_call_it_off(letters: Correspondence, personal: dict[str, str]) -> None:
    open_(letters, "round-robin kvadratik time=3d/move days=5 called Little Cup")
    write(letters, personal, "alice", "enter 1")
    write(letters, personal, "bob", "enter 1")
    sent = letters.wait(days=5, minutes=1)

    assert {str(mail["To"]) for mail in sent} == {"alice@mail.example", "bob@mail.example"}
    assert all("Too few players" in text(mail) for mail in sent)
    assert running(letters) == []
    assert "Nobody can enter" in text(write(letters, personal, "carol", "enter 1"))


@pytest.mark.slow
def test_it_begins_on_the_day_until_which_it_is_open(letters: Correspondence, personal: dict[str, str]) -> None:
    open_(letters, "round-robin kvadratik time=3d/move places=8 days=5")
    enter(letters, personal)
    assert running(letters) == []

    letters.wait(days=5, minutes=1)

    assert len(running(letters)) == 3


@pytest.mark.slow
def test_who_withdraws_before_the_beginning_gives_up_their_place(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    open_(letters, "round-robin kvadratik time=3d/move places=3")
    write(letters, personal, "alice", "enter 1")
    write(letters, personal, "bob", "enter 1")

    assert "You have withdrawn" in text(write(letters, personal, "bob", "withdraw from tournament 1"))
    assert "You aren't in tournament 1" in text(write(letters, personal, "bob", "retire 1"))
    write(letters, personal, "carol", "enter 1")
    assert running(letters) == []


@pytest.mark.slow
def test_who_withdraws_later_plays_on_what_has_begun_and_loses_the_rest(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    open_(letters, "round-robin kvadratik time=3d/move places=3 together=1")
    enter(letters, personal)
    ((number, first),) = running(letters)
    answer = write(letters, personal, first, "withdraw from 1")
    assert f"goes on and counts: #{number}." in text(answer)

    resign(letters, personal, first, number)

    paired = rows(letters, "select round, result from pairing where match is null")
    assert len(paired) == 1
    ((_, other),) = running(letters)
    assert other != first


@pytest.mark.slow
def test_who_is_banned_or_leaves_is_out(letters: Correspondence, personal: dict[str, str]) -> None:
    personal["dave"] = letters.join("dave")
    open_(letters, "round-robin kvadratik time=3d/move places=4 called Little Cup")
    open_(letters, "round-robin kvadratik time=3d/move places=4")
    enter(letters, personal)
    write(letters, personal, "alice", "enter 2")

    letters.operate("player", "ban", "alice", "--yes")
    letters.reply(write(letters, personal, "dave", "delete me"), "yes")
    letters.wait()

    assert rows(letters, "select count(*) from entry where tournament = 2") == [(0,)]
    assert rows(letters, "select count(*) from entry where tournament = 1 and withdrawn is not null") == [(2,)]
    ((number, first),) = running(letters)
    resign(letters, personal, first, number)
    report = text(letters.last("bob"))
    assert "Withdrawn: alice" in report or "deleted-" in report
    assert "Little Cup" in report
    assert rows(letters, "select ended is not null from tournament where id = 1")[0][0]
    assert not [mail for mail in letters.received["alice@mail.example"] if "Little Cup: over" in mail["Subject"]]


@pytest.mark.slow
def test_a_match_of_a_tournament_cannot_be_paused_or_cancelled(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    open_(letters, "knock-out kvadratik time=3d/move places=3")
    enter(letters, personal)
    ((number, first),) = running(letters)

    for words in ("pause", "cancel"):
        answer = text(write(letters, personal, first, f"#{number} {words}"))
        assert "others wait for its end, so that isn't possible" in " ".join(answer.split())


@pytest.mark.slow
def test_only_a_trusted_player_opens_tournaments(letters: Correspondence, personal: dict[str, str]) -> None:
    words = "host round robin kvadratik time=3d/move rated called Alice's Cup"
    assert "opened by the operator" in text(write(letters, personal, "alice", words))

    letters.operate("player", "trust", "alice")
    assert "Tournament 1 is open: Alice's Cup" in text(write(letters, personal, "alice", words))
    letters.operate("player", "trust", "alice", "--end")
    assert "opened by the operator" in text(write(letters, personal, "alice", words))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("round-robin time=3d/move", "one kind"),
        ("kvadratik time=3d/move", "one kind"),
        ("round-robin kvadratik", "needs a time control"),
        ("round-robin kvadratik time=3d/move places=99", "from 3 to 10"),
        ("round-robin kvadratik time=3d/move begin=you", "balanced"),
        ("round-robin kvadratik time=3d/move days=x", "from 1 to 90"),
        ("round-robin kvadratik time=3d/move every=day", '"every=day" is not a choice'),
        ("league kvadratik time=3d/move every=month", "opens by itself"),
        ("ladder kvadratik time=3d/move every=month", "A ladder has no end"),
        ("round-robin kvadratik time=3d/2d/move", "both players have the same time"),
        ("round-robin kvadratik time=3d/move undo=free", "players ask first"),
        ("round-robin kvadratik time=3d/move quickly", "quickly is neither"),
        ("round-robin kvadratik time=3d/move colour=red", "colour"),
        ("round-robin kvadratik time=3d/move called resign\x07", "can't be the title"),
        ("round-robin kvadratik time=3d/move called " + "x" * 41, "can't be the title"),
    ],
)
def test_what_is_no_tournament_is_refused(words: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        hosting.read(words, "none")

    assert told in f"{refused.value.sentence} {refused.value.fits}"


@pytest.mark.slow
def test_the_lists_show_what_is_open_and_how_it_stands(letters: Correspondence, personal: dict[str, str]) -> None:
    open_(letters, "round-robin kvadratik time=3d/move places=3 called Little Cup")
    open_(letters, "knock-out quadrature time=14d+1d rated")
    write(letters, personal, "alice", "enter 1")

    listed = text(write(letters, personal, "bob", "tournaments"))
    assert "* Tournament 2  Quadrature knock-out" in listed
    assert "1 of 3 places taken" in listed
    assert "Entered so far: alice." in text(write(letters, personal, "bob", "tournament 1"))
    for name in ("bob", "carol"):
        write(letters, personal, name, "enter 1")
    assert "running, 3 players" in text(write(letters, personal, "bob", "tournament 1"))
    assert "There is no tournament 9" in text(write(letters, personal, "bob", "tournament 9"))
    assert "You're in tournament 1 already" in text(write(letters, personal, "bob", "enter 1"))
    assert "running" in letters.operate("tournament", "list").output
    assert "alice" in letters.operate("tournament", "show", "1").output


@pytest.mark.slow
def test_the_operator_opens_a_tournament_and_lets_it_begin(letters: Correspondence, personal: dict[str, str]) -> None:
    opened = letters.operate(
        "tournament", "open", *["round-robin", "kvadratik", "time=3d/move", "called", "Little", "Cup"]
    )
    assert "tournament 1, Little Cup, is open" in opened.output
    enter(letters, personal)

    assert "running" in letters.operate("tournament", "begin", "1").output
    assert "is running" in letters.operate("tournament", "begin", "1").output
    letters.wait()

    assert len(running(letters)) == 3
    report = letters.operate("tournament", "trf", "1").output
    assert [line[:3] for line in report.splitlines()][-3:] == ["001"] * 3
    assert letters.operate("tournament", "show", "9").exit_code == 1
    refused = letters.operate("tournament", "open", "round-robin", "chess")
    assert refused.exit_code == 1
    assert "one kind" in refused.output


@pytest.mark.sampled(1)
@pytest.mark.parametrize("line", ["enter 1", "retire 1", "host knock-out kvadratik time=3d/move"])
def test_what_is_written_in_somebody_s_name_is_asked_about(
    letters: Correspondence, personal: dict[str, str], line: str
) -> None:
    letters.operate("player", "trust", "alice")
    open_(letters, "round-robin kvadratik time=3d/move places=3")
    write(letters, personal, "bob", "enter 1")
    before = rows(letters, "select count(*), (select count(*) from tournament) from entry")

    letters.write("bob@mail.example" if line == "retire 1" else "alice@mail.example", line)

    assert rows(letters, "select count(*), (select count(*) from tournament) from entry") == before


@pytest.mark.slow
@pytest.mark.parametrize("words", ["Enter your name here.", "tournament was great fun", "host me?", "I retire now"])
def test_sentences_that_begin_alike_are_no_commands(
    letters: Correspondence, personal: dict[str, str], words: str
) -> None:
    answer = text(write(letters, personal, "alice", f"games\n\n{words}"))

    assert "no tournament" not in answer
    assert "tournament has one kind" not in answer

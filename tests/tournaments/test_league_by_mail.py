"""A league by email: two groups, a report for each, and the next season, which opens by itself."""

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.errors import Refused
from pbem.features.tournaments import entries, hosting
from pbem.storage import database
from tests.correspondence import Correspondence, correspondence, text

NAMES = ("alice", "bob", "carol", "dave", "erin", "fred")
Personal = dict[str, str]


def six(letters: Correspondence) -> Personal:
    """Let six players enter a league with groups of three, and return their personal addresses."""
    personal = {name: letters.join(name) for name in NAMES}
    with database.transaction(letters.server.engine) as session:
        words = "league kvadratik time=3d/move group=5 places=6 called Little League"
        entries.open_(session, hosting.read(words, "none"), None, letters.clock())
    for name in NAMES:
        letters.write(f"{name}@mail.example", "enter 1", to=personal[name])
    return personal


def season(letters: Correspondence) -> Personal:
    """Let them play a season in which whoever entered first wins; return the same."""
    personal = letters.play(six)
    finish(letters, personal, 1)
    return personal


def finish(letters: Correspondence, personal: Personal, number: int) -> list[EmailMessage]:
    """Let whoever joined last resign in all matches of a tournament; return what is sent then."""
    sent: list[EmailMessage] = []
    for match, name in letters.execute(
        "select match.id, player.name from match join player on player.id = max(seat0, seat1)"
        f" where tournament = {number} and ended is null order by match.id"
    ):
        question = write(letters, personal, str(name), f"#{match} resign")
        sent = letters.reply(question, "yes")
    return sent


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as found:
        yield found


def write(letters: Correspondence, personal: Personal, name: str, words: str) -> EmailMessage:
    """Write to the personal address of a player; return the answer to it."""
    sent = letters.write(f"{name}@mail.example", words, to=personal[name])
    return next(mail for mail in sent if str(mail["To"]).startswith(name) and mail["Auto-Submitted"] == "auto-replied")


def said(letters: Correspondence, personal: Personal, name: str, words: str) -> str:
    return " ".join(text(write(letters, personal, name, words)).split())


def met(letters: Correspondence, number: int) -> set[frozenset[object]]:
    """Return who meets whom in a tournament."""
    query = "select one.name, other.name from pairing join player one on one.id = first join player other"
    rows = letters.execute(f"{query} on other.id = second where tournament = {number}")
    return {frozenset(pair) for pair in rows}


def test_each_group_plays_by_itself(letters: Correspondence) -> None:
    letters.play(six)

    groups = (NAMES[:3], NAMES[3:])
    assert met(letters, 1) == {frozenset((a, b)) for group in groups for a in group for b in group if a < b}
    (news,) = [mail for mail in letters.received["dave@mail.example"] if "group 2, round" in text(mail)]
    assert text(news).count("of 3: Little League") == 2


@pytest.mark.slow
def test_the_report_says_who_goes_up_and_the_next_season_follows_from_it(letters: Correspondence) -> None:
    personal = letters.play(season)
    reports = {name: letters.last(name) for name in NAMES}
    told = {name: " ".join(text(mail).split()) for name, mail in reports.items()}

    assert all(mail["Subject"] == "[pbem] Little League: over" for mail in reports.values())
    assert "You have won the tournament!" in told["alice"]
    assert "alice has won the tournament." in told["dave"]
    assert "You came first of 3 in group 2." in told["dave"]
    for name, place in {"alice": "stay in group 1", "carol": "go down to group 2", "dave": "go up to group 1"}.items():
        assert f"You {place} in the next season. It is tournament 2, open until 16 Mar" in told[name]
    assert letters.execute("select previous, season, title, group_size from tournament where id = 2") == [
        (1, 2, "Little League", 5)
    ]

    personal["gina"] = letters.join("gina")
    for name in ("gina", "fred", "dave", "carol", "bob", "alice"):
        write(letters, personal, name, "enter 2")

    groups = (("alice", "bob", "dave"), ("carol", "fred", "gina"))
    assert met(letters, 2) == {frozenset((a, b)) for group in groups for a in group for b in group if a < b}


@pytest.mark.slow
def test_the_report_has_all_groups_in_each_form(letters: Correspondence) -> None:
    letters.play(season)
    report = letters.last("fred")
    files = {str(part.get_filename()): part.get_content() for part in report.iter_attachments()}
    plain, page = str(files["pbem-tournament-1.txt"]), str(files["pbem-tournament-1.html"])
    facts = json.loads(files["pbem-tournament-1.json"])

    assert plain.index("Group 1") < plain.index("alice") < plain.index("Group 2") < plain.index("dave")
    assert page.index("<h2>Group 1</h2>") < page.index("alice") < page.index("<h2>Group 2</h2>") < page.index("dave")
    assert facts["tournament"]["season"] == 1
    assert [(row["group"], row["place"], row["player"]) for row in facts["standings"]] == [
        (1 + at // 3, 1 + at % 3, name) for at, name in enumerate(NAMES)
    ]
    for group, first in ((1, "alice"), (2, "dave")):
        trf = letters.operate("tournament", "trf", "1", "--group", str(group)).output
        assert f"012 Little League, season 1, group {group}" in trf
        assert f"001    1      {first}" in trf
        assert trf.count("\n001 ") == 3
    assert "has 2 groups" in letters.operate("tournament", "trf", "1", "--group", "3").output
    assert "group 2" in letters.operate("tournament", "show", "1").output


@pytest.mark.slow
def test_a_group_is_a_page(letters: Correspondence) -> None:
    personal = letters.play(six)
    own, other = (text(write(letters, personal, "erin", words)) for words in ("tournament 1", "league 1 1"))

    assert "Group 2 of 2:" in own
    assert "The next group" not in own
    assert "dave" in own
    assert "Group 1 of 2:" in other
    assert '* The next group: reply "tournament 1 2"' in other
    assert "dave" not in other
    assert max(map(len, own.splitlines())) <= 72


@pytest.mark.slow
def test_a_season_that_too_few_enter_ends_the_league(letters: Correspondence) -> None:
    personal = letters.play(season)
    write(letters, personal, "alice", "enter 2")

    sent = letters.wait(days=14, minutes=1)

    assert ["called off" in text(mail) for mail in sent] == [True]
    assert letters.execute("select count(*) from tournament") == [(2,)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("league kvadratik", "needs a time control"),
        ("league kvadratik time=3d/move group=4", "from 5 to 10"),
        ("league kvadratik time=3d/move promoted=9", "from 1 to 3"),
        ("round-robin kvadratik time=3d/move promoted=1", "promoted"),
    ],
)
def test_what_is_no_league_is_refused(words: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        hosting.read(words, "none")

    assert told in f"{refused.value.sentence} {refused.value.fits}"

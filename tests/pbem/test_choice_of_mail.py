"""Which news comes how: by match and by kind, and one word that ends one kind of it."""

import re
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin two matches of alice and bob; alice is to move in both."""
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature")
        letters.write(ALICE, "challenge bob quadrature", to=personal(letters, ALICE))
        letters.reply(letters.last("bob"), "accept")
        yield letters


def personal(letters: Correspondence, address: str) -> str:
    return str(letters.received[address][1]["Reply-To"])


def to(mails: list[EmailMessage], address: str) -> list[EmailMessage]:
    return [mail for mail in mails if mail["To"] == address]


def test_news_of_one_match_waits_for_the_day_and_that_of_others_comes_at_once(letters: Correspondence) -> None:
    (saved,) = letters.write(BOB, "set mail daily for 2", to=personal(letters, BOB))
    assert "Saved: mail for 2 daily." in text(saved)

    at_once = to(letters.write(ALICE, "#1 e3f4", to=personal(letters, ALICE)), BOB)
    later = to(letters.write(ALICE, "#2 e3f4", to=personal(letters, ALICE)), BOB)
    next_day = to(letters.run_for(days=1), BOB)

    assert len(at_once) == 1
    assert later == []
    assert [mail["X-PBeM-Match"] for mail in next_day] == ["2"]


def test_several_ways_never_mix_and_lose_nothing(letters: Correspondence) -> None:
    letters.write(BOB, "set mail batch\nset mail daily for 2", to=personal(letters, BOB))

    letters.write(ALICE, "#2 e3f4\n#1 e3f4", to=personal(letters, ALICE))
    soon, next_day = to(letters.run_for(minutes=20), BOB), to(letters.run_for(days=1), BOB)

    assert [mail["X-PBeM-Match"] for mail in soon] == ["1"]
    assert [mail["X-PBeM-Match"] for mail in next_day] == ["2"]
    assert letters.execute("select count(*) from outgoing where state = 'batched'") == [(0,)]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("set mail daily for", "Which match?"),
        ("set mail daily for everything", "Which match?"),
        ("set mail daily for 99", "You don't play in match #99."),
        ("set mail hourly for 1", '"mail" can\'t be "hourly".'),
        ("set spectating hourly", '"spectating" can\'t be "hourly".'),
        ("stop tournaments that bore me", ""),
    ],
)
def test_what_cannot_be_chosen_is_refused_and_changes_nothing(letters: Correspondence, line: str, why: str) -> None:
    (answer,) = to(letters.write(BOB, line, to=personal(letters, BOB)), BOB)

    assert why in " ".join(text(answer).split())
    assert letters.execute("select settings, stopped from player where name = 'bob'") in ([("{}", None)], [({}, None)])


def test_a_choice_for_a_match_is_listed_and_can_be_taken_back(letters: Correspondence) -> None:
    letters.write(BOB, "set mail batch for #1", to=personal(letters, BOB))
    (listed,) = letters.write(BOB, "set", to=personal(letters, BOB))
    letters.write(BOB, "set mail same for 1", to=personal(letters, BOB))

    assert "mail batch for 1" in text(listed)
    assert letters.execute("select settings from player where name = 'bob'") in ([("{}",)], [({},)])


def watched(letters: Correspondence) -> str:
    """Let carol watch match 1, whose players allow it; return her address here."""
    for address in (ALICE, BOB):
        letters.write(address, "set watchers on", to=personal(letters, address))
    to_carol = letters.join("carol")
    letters.write(CAROL, "watch 1", to=to_carol)
    return to_carol


def test_what_a_player_watches_comes_on_mondays_or_not_at_all(letters: Correspondence) -> None:
    hers = watched(letters)
    letters.write(CAROL, "set spectating weekly", to=hers)
    letters.write(ALICE, "#1 e3f4", to=personal(letters, ALICE))
    assert to(letters.run_for(days=5), CAROL) == []
    assert [mail["X-PBeM-Event"] for mail in to(letters.run_for(days=4), CAROL)] == ["watched"]

    letters.write(CAROL, "set spectating off", to=hers)
    letters.write(BOB, "#1 e9f8", to=personal(letters, BOB))
    assert to(letters.run_for(days=9), CAROL) == []


def test_one_tap_ends_one_kind_of_news_and_no_other(letters: Correspondence) -> None:
    watched(letters)
    letters.write(ALICE, "#1 e3f4", to=personal(letters, ALICE))
    letters.run_for(minutes=10)
    mail = letters.last("carol")
    found = re.fullmatch(r"<mailto:(.+)\?subject=stop%20spectating>", str(mail["List-Unsubscribe"]))
    assert found is not None
    assert '"stop spectating"' in text(mail)

    letters.deliver(
        f"From: {CAROL}\nTo: {found[1]}\nSubject: stop spectating\nMessage-ID: <1@mail.example>\n\n".encode()
    )

    ((settings, stopped),) = letters.execute("select settings, stopped from player where name = 'carol'")
    assert "spectating" in str(settings)
    assert "off" in str(settings)
    assert stopped is None


def test_only_who_wants_news_of_tournaments_gets_it(letters: Correspondence) -> None:
    letters.execute("update player set trusted = created where name = 'alice'")
    letters.write(ALICE, "host knock-out kvadratik time=3d/move", to=personal(letters, ALICE))
    letters.write(BOB, "stop tournaments\nenter 1", to=personal(letters, BOB))
    letters.write(ALICE, "enter 1", to=personal(letters, ALICE))

    sent = letters.run_for(days=30)  # too few entered, so it is called off

    assert [mail["To"] for mail in sent if mail["X-PBeM-Event"] == "tournament"] == [ALICE]

"""What a reply token lets its holder do: that of a match serves the match, and everything else is asked about."""

from email.message import EmailMessage

import pytest

from pbem.conversation.core import Reach
from pbem.features.all import FEATURES
from pbem.tokens import Purpose
from tests.correspondence import Correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


def subjects_to(mails: list[EmailMessage], address: str) -> list[str]:
    return [str(mail["Subject"]) for mail in mails if mail["To"] == address]


def other_match(letters: Correspondence) -> None:
    """Begin a second match of alice, who hosts tournaments, and bob; let carol join, and seek a match as alice does."""
    letters.write("carol@mail.example", "seek kvadratik", to=letters.join("carol"))
    personal = str(letters.received[ALICE][1]["Reply-To"])
    letters.write(ALICE, "seek kvadratik", to=personal)
    letters.execute("update player set trusted = created where name = 'alice'")
    for _ in range(2):
        letters.write(ALICE, "host knock-out kvadratik time=3d/move", to=personal)
    letters.write(ALICE, "host ladder kvadratik time=3d/move", to=personal)
    letters.write(BOB, "enter 3", to=str(letters.received[BOB][1]["Reply-To"]))
    letters.write(ALICE, "enter 2\nenter 3", to=personal)
    letters.write(ALICE, "challenge bob quadraphages", to=personal)
    letters.reply(letters.last("bob"), "accept")


BEYOND = {
    "set": "set mail daily",
    "vacation": "vacation 10d",
    "stop": "stop",
    "start": "start",
    "challenge": "challenge carol quadraphages",
    "invite": "challenge stranger@far.example quadraphages",
    "another match": "move 2 1 a7b7 i3i2",
    "say": "say 2 hello",
    "resign": "resign 2",
    "draw": "draw 2",
    "pause": "pause 2",
    "give": "give 2 1d",
    "cancel": "cancel 2",
    "mute": "mute 2",
    "note": "note 2 plan",
    "seek": "seek quadrupel",
    "take": "take 1",
    "unseek": "unseek 2",
    "enter": "enter 1",
    "climb": "climb 3 bob",
    "retire": "retire 2",
    "host": "host knock-out kvadratik time=3d/move",
    "watch": "watch carol",
    "unwatch": "unwatch",
    "block": "block carol",
    "refuse": "reject hexaphages",
    "limit": "limit 10",
    "change": "change address mallory@far.example",
    "revoke": "revoke",
    "replay": "replay 1#1 carol",
    "export": "export me",
    "records": "records mine",
    "delete": "delete me",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("line", BEYOND.values(), ids=BEYOND)
def test_the_token_of_a_match_is_asked_about_beyond_the_match(letters: Correspondence, line: str) -> None:
    letters.play(other_match)
    turn = next(mail for mail in reversed(letters.received[ALICE]) if "#1" in str(mail["Subject"]))
    before = rows(letters)

    (question,) = letters.reply(turn, line)

    assert question["To"] == ALICE
    assert 'reply "yes"' in text(question) or 'Reply "yes"' in text(question)
    assert rows(letters) == before


def rows(letters: Correspondence) -> list[object]:
    """Return what a command could have changed."""
    return [
        *letters.execute("select settings, stopped, address, epoch, deleted from player order by id"),
        *letters.execute("select state, plies, part, ended from match order by id"),
        *letters.execute("select player, repeat, closed from seek order by id"),
        *letters.execute("select player, blocked from block"),
        *letters.execute("select player, whom from watch"),
        *letters.execute("select begins, ends from vacation"),
        *letters.execute("select match, text from note"),
        *letters.execute("select id from tournament"),
        *letters.execute("select tournament, player, withdrawn from entry"),
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "line",
    [
        "b7d7 i2g2 1 d7d6 g2g1",
        "say hello",
        "challenge bob hexaphages",
        "undo",
        "draw",
        "cancel",
        "pause",
        "mute",
        "note plan",
    ],
)
def test_the_token_of_a_match_serves_the_match(letters: Correspondence, line: str) -> None:
    (answer, *_) = letters.reply(letters.last("alice"), line)

    assert "yes" not in text(answer)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "line",
    [
        "show",
        "help",
        "rules quadraphages",
        "games",
        "games bob",
        "record",
        "preview b7d7",
        "seeks",
        "who",
        "history bob",
    ],
)
def test_looking_needs_no_question(letters: Correspondence, line: str) -> None:
    (answer,) = letters.reply(letters.last("alice"), line)

    assert 'reply "yes"' not in text(answer)


@pytest.mark.slow
def test_a_yes_carries_out_what_the_token_did_not_cover(letters: Correspondence) -> None:
    (question,) = letters.reply(letters.last("alice"), "set mail daily")
    assert "the address of match #1" in text(question)

    letters.reply(question, "yes")

    assert "daily" in str(letters.execute("select settings from player where name = 'alice'"))


def test_the_personal_token_does_what_is_not_asked_once_more(letters: Correspondence) -> None:
    letters.reply(letters.received[ALICE][1], "set mail daily\nsay 1 hello")

    assert "daily" in str(letters.execute("select settings from player where name = 'alice'"))


def test_prose_with_the_token_of_a_match_goes_to_no_other_opponent(letters: Correspondence) -> None:
    letters.play(other_match)
    turn = next(mail for mail in reversed(letters.received[ALICE]) if "#1" in str(mail["Subject"]))

    sent = letters.reply(turn, "show 2\n\nThis is for somebody else.")

    assert subjects_to(sent, BOB) == []


def test_the_token_of_a_question_plays_nothing_when_a_budget_is_used_up(letters: Correspondence) -> None:
    (question,) = letters.reply(letters.last("alice"), "resign")
    before = rows(letters)
    object.__setattr__(letters.server.settings.limits, "mails_per_hour", 1)

    letters.reply(question, "#1 b7d7 i2g2 1 d7d6 g2g1")

    assert rows(letters) == before


@pytest.mark.slow
def test_a_guest_needs_only_the_invitation(letters: Correspondence) -> None:
    (invitation, _) = letters.reply(letters.received[ALICE][1], "challenge carol@far.example quadraphages")
    assert invitation["To"] == "carol@far.example"

    letters.reply(invitation, "stop")

    assert letters.execute("select state from match where id = 2") == [("declined",)]


def test_every_command_that_changes_something_has_its_place() -> None:
    changing = {name for name, command in FEATURES.commands.items() if command.changes}

    everything = FEATURES.all_commands
    assert {name for name in changing if everything[name].reach(Purpose.PERSONAL) is Reach.ANYWHERE} == changing
    for purpose in (Purpose.CONFIRM, Purpose.ADDRESS, Purpose.BOUNCE):
        assert {command.reach(purpose) for command in everything.values()} == {Reach.NOWHERE}
    of_match = {name for name, command in FEATURES.commands.items() if command.changes and command.of_match}
    of_match -= {"replay"}  # it only begins at a position of the match, and goes to anybody
    assert {name for name in changing if everything[name].reach(Purpose.PLAY) is Reach.MATCH} == of_match

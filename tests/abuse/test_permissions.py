"""What a reply token lets its holder do: that of a match serves the match, and everything else is asked about."""

from email.message import EmailMessage

from pbem.conversation.command import Reach
from pbem.features.all import FEATURES
from pbem.tokens import Purpose
from tests.correspondence import Correspondence
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


ALICE, BOB = "alice@mail.example", "bob@mail.example"


def subjects_to(mails: list[EmailMessage], address: str) -> list[str]:
    return [str(mail["Subject"]) for mail in mails if mail["To"] == address]


def test_the_personal_token_does_what_is_not_asked_once_more(letters: Correspondence) -> None:
    letters.reply(letters.received[ALICE][1], "set mail daily\nsay 1 hello")

    assert "daily" in str(letters.execute("select settings from player where name = 'alice'"))


def test_prose_with_the_token_of_a_match_goes_to_no_other_opponent(letters: Correspondence) -> None:
    letters.write(ALICE, "challenge bob quadraphages", to=str(letters.received[ALICE][1]["Reply-To"]))
    letters.reply(letters.last("bob"), "accept")
    turn = next(mail for mail in reversed(letters.received[ALICE]) if "#1" in str(mail["Subject"]))

    sent = letters.reply(turn, "show 2\n\nThis is for somebody else.")

    assert subjects_to(sent, BOB) == []


def test_the_token_of_a_question_plays_nothing_when_a_budget_is_used_up(letters: Correspondence) -> None:
    (question,) = letters.reply(letters.last("alice"), "resign")
    object.__setattr__(letters.server.settings.limits, "mails_per_hour", 1)

    letters.reply(question, "#1 b7d7 i2g2 1 d7d6 g2g1")

    assert letters.execute("select state, plies from match") == [("running", 2)]


def test_every_command_that_changes_something_has_its_place() -> None:
    changing = {name for name, command in FEATURES.commands.items() if command.changes}

    everything = FEATURES.all_commands
    assert {name for name in changing if everything[name].reach(Purpose.PERSONAL) is Reach.ANYWHERE} == changing
    for purpose in (Purpose.CONFIRM, Purpose.ADDRESS, Purpose.BOUNCE):
        assert {command.reach(purpose) for command in everything.values()} == {Reach.NOWHERE}
    of_match = {name for name, command in FEATURES.commands.items() if command.changes and command.of_match}
    of_match -= {"replay"}  # it only begins at a position of the match, and goes to anybody
    assert {name for name in changing if everything[name].reach(Purpose.PLAY) is Reach.MATCH} == of_match

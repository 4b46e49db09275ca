"""Words and turns in one message: each goes where it belongs, and nothing gets lost."""

from email.message import EmailMessage

import pytest

from pbem.conversation.syntax.mail import MOST_COMMANDS
from tests import scenes
from tests.correspondence import Correspondence, said

ALICE, BOB, DAVE = (f"{name}@mail.example" for name in ("alice", "bob", "dave"))


def two_matches(letters: Correspondence) -> None:
    """Begin #1 of alice and bob, and #2 of alice and dave; alice is to move in both."""
    letters.join("alice")
    for name in ("bob", "dave"):
        letters.join(name)
        letters.say("alice", f"challenge {name} quadraphages")
        letters.reply(letters.last(name), "accept")


pytestmark = scenes.after(two_matches)


def by_address(mails: list[EmailMessage]) -> dict[str, str]:
    return {str(mail["To"]): said(mail) for mail in mails}


ONE, TWO = "#1 1 a7b7 i3i2", "#2 1 a7b7 i3i2"


@pytest.mark.parametrize(
    ("lines", "to_bob", "to_dave"),
    [
        (f"{ONE}\n{TWO}\nbetween us", False, True),
        (f"{ONE}\nbetween us\n{TWO}", True, False),
        (f"{ONE}\n#2 say good luck\nbetween us", False, True),
        (f"between us\n{ONE}", True, False),
        (f"{ONE}\ngames\nbetween us", True, False),
        (f"{ONE}\n{TWO}\n\nbetween us", False, False),
        (f"{ONE}\n#2 show\nbetween us", False, False),
        (f"{ONE}\n{TWO}\ngames\nbetween us", False, False),
    ],
)
def test_words_belong_to_the_turn_they_stand_under(
    letters: Correspondence, lines: str, to_bob: bool, to_dave: bool
) -> None:
    mails = by_address(letters.say("alice", lines))

    assert ("between us" in mails.get(BOB, "")) is to_bob
    assert ("between us" in mails.get(DAVE, "")) is to_dave
    asked = "Who are these lines for?" in mails[ALICE]
    assert asked is not (to_bob or to_dave)
    assert "between us" in mails[ALICE] or not asked
    assert len(letters.played) == lines.count("a7b7")


def test_words_below_a_refused_turn_are_sent_to_nobody(letters: Correspondence) -> None:
    mails = by_address(letters.say("alice", f"{ONE}\nfor bob\n#2 z1z2\nfor dave"))

    assert "for bob" in mails[BOB]
    assert DAVE not in mails
    assert "for dave" in mails[ALICE]


def test_words_below_both_halves_of_a_turn_go_with_it(letters: Correspondence) -> None:
    mails = by_address(letters.say("alice", f"#1 1\n{TWO}\nfor dave\n#1 a7b7 i3i2\nfor bob"))

    assert "for dave" in mails[DAVE]
    assert "for bob" in mails[BOB]


def test_the_commands_beyond_the_limit_are_reported_and_never_words(letters: Correspondence) -> None:
    many = "\n".join([ONE, *["games"] * (MOST_COMMANDS - 1), TWO, "show 2", "words"])

    mails = by_address(letters.say("alice", many))
    assert TWO in mails[ALICE]
    assert "#2" not in mails[BOB]
    assert DAVE not in mails


def test_words_that_an_invitation_cant_take_along_go_to_nobody(letters: Correspondence) -> None:
    lines = f"{ONE}\nchallenge carol@mail.example kvadratik\nsee https://x.example"
    mails = by_address(letters.say("alice", lines))

    assert "x.example" not in mails[BOB]
    assert "x.example" not in mails["carol@mail.example"]
    assert "see https://x.example" in mails[ALICE]

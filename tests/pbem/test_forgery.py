"""What each token allows, and what a thread doesn't, tested through the whole server."""

import pytest

from pbem.messages.reply_links import address_with
from pbem.tokens import Purpose, Token
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, text, to

ALICE, WORK = "alice@mail.example", "alice@work.example"
TURN = "#1 1 a7b7 i3i2"

pytestmark = [pytest.mark.server(more="[limits]\nanswers_per_hour = 1000"), scenes.after(scenes.match)]


def test_each_purpose_allows_its_own_and_no_more(letters: Correspondence) -> None:
    letters.write(ALICE, TURN)
    (held,) = letters.rows("select id from incoming where state = 'held'")
    (settled,) = letters.rows("select min(id) from incoming where state = 'done'")
    (alice,) = letters.rows("select id from player where name = 'alice'")
    services = letters.server.services
    for purpose, subject, expected in [
        (Purpose.NOTICES, 0, "asked"),
        (Purpose.CONFIRM, held, "asked"),
        (Purpose.CONFIRM, settled, "answered"),
        (Purpose.ADDRESS, 1, "nothing"),
        (Purpose.PLAY, 99, "asked"),
        (Purpose.PERSONAL, 0, "acted"),
    ]:
        address = address_with(services.server, services.keyring, Token(purpose, alice, subject, 0), 0)
        letters.wait(minutes=5)  # a note that was passed on before, or none, keeps this one waiting
        mails = letters.write(ALICE, "#1 say hello", to=address)
        if expected == "acted":
            assert to(mails, "bob"), purpose
        elif expected == "nothing":
            assert mails == []
        else:
            (answer,) = to(mails, "alice")
            assert len(mails) == 1
            assert ('eply "yes" to this message' in text(answer)) is (expected == "asked"), purpose


def test_somebody_who_is_nobody_here_yet_takes_no_address_from_a_player(letters: Correspondence) -> None:
    """A forged `join` from alice's other address doesn't give it to someone else."""
    letters.write(WORK, "join mallory")

    (question,) = letters.write(WORK, TURN, to=letters.last("alice")["Reply-To"].addresses[0].addr_spec)
    letters.reply(question, "yes")

    assert letters.played == ["1 a7b7 i3i2"]


def test_the_thread_of_a_question_gives_nobody_an_address(letters: Correspondence) -> None:
    (asked,) = letters.say("alice", f"change address {WORK}")
    letters.reply(asked, "yes")
    (question,) = letters.received[WORK]

    (again,) = letters.reply(question, "yes", to=ADDRESS)

    assert again["To"] == WORK
    assert again["Reply-To"].addresses[0].addr_spec in text(again)
    assert letters.rows("select address from player where name = 'alice'") == [ALICE]
    letters.reply(again, "yes")
    assert letters.rows("select address from player where name = 'alice'") == [WORK]


def test_a_guest_who_answers_the_invitation_at_our_plain_address_is_asked(letters: Correspondence) -> None:
    letters.say("alice", "challenge nora@mail.example hexaphages")
    (invitation,) = letters.received["nora@mail.example"]

    (question,) = letters.reply(invitation, "accept", to=ADDRESS)
    assert question["To"] == "nora@mail.example"
    letters.reply(question, "yes")

    assert letters.rows("select state from match where id = 2") == ["running"]

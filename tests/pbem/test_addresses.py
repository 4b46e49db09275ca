"""How long reply addresses and questions are valid, and what a new address or a revocation voids."""

from email.message import EmailMessage

from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, said, text, to

pytestmark = scenes.after(scenes.match)

ALICE, BOB, NEW = "alice@mail.example", "bob@mail.example", "alice@new.example"
TURN = "1 a7b7 i3i2"
ASKED = "[pbem] Please confirm"


def addresses(letters: Correspondence) -> list[object]:
    return letters.rows("select address from player order by id")


def asked_to_move(letters: Correspondence, wanted: str = NEW) -> EmailMessage:
    """Return the question sent to the new address after the old one has confirmed."""
    (question,) = letters.say("alice", f"change address {wanted}")
    asked, _ = letters.reply(question, "yes")
    return asked


def revoked(letters: Correspondence) -> None:
    """Let alice revoke her addresses."""
    (question,) = letters.say("alice", "revoke")
    letters.reply(question, "yes")


def test_the_token_of_a_match_and_its_thread_hold_as_long_as_the_match_and_a_month(letters: Correspondence) -> None:
    mail = letters.last("alice")
    letters.wait(days=3_000)
    letters.reply(mail, TURN)
    letters.resign("bob")
    letters.wait(days=29)
    assert to(letters.reply(mail, "challenge bob hexaphages"), "bob")

    letters.wait(days=2)
    for address in (None, ADDRESS):
        (asked,) = letters.reply(mail, "withdraw 2", to=address)
        assert (asked["To"], asked["Subject"]) == (ALICE, ASKED)
        letters.clock.advance(hours=1, minutes=1)  # the same question isn't repeated before
    assert to(letters.reply(asked, "yes"), "bob")


def test_a_question_can_be_answered_for_two_weeks(letters: Correspondence) -> None:
    asked = [letters.write(ALICE, f"challenge bob {game}")[0] for game in ("hexaphages", "quadrature")]
    moving = asked_to_move(letters)
    letters.wait(days=13)
    assert to(letters.reply(asked[0], "yes"), "bob")

    letters.wait(days=2)
    for question in (asked[1], moving):
        assert "more than 14 days" in said(*letters.reply(question, "yes"))
    assert "already dealt with that message" in text(*letters.reply(asked[1], "yes"))
    assert addresses(letters) == [ALICE, BOB]


def test_a_held_mail_is_not_confirmed_by_an_address_revoked_since(letters: Correspondence) -> None:
    (stolen,) = letters.write(ALICE, "#1 resign")
    revoked(letters)

    letters.reply(stolen, "yes")

    assert letters.rows("select state from match") == ["running"]


def test_a_mail_that_goes_out_after_a_revocation_holds_the_new_address(letters: Correspondence) -> None:
    letters.execute(f"update outgoing set state = 'owed', due = '2999-01-01' where match = 1 and address = '{ALICE}'")
    revoked(letters)
    letters.execute("update outgoing set due = '2007-01-01' where state = 'owed'")

    *_, mail = letters.wait()

    assert to(letters.reply(mail, TURN), "bob")


def test_a_change_is_made_once_and_voids_the_others(letters: Correspondence) -> None:
    first, second = asked_to_move(letters), asked_to_move(letters, "alice@newer.example")
    for question in (second, first, second):
        letters.reply(question, "yes")

    assert addresses(letters) == ["alice@newer.example", BOB]


def test_nobody_learns_whether_an_address_is_a_player_s(letters: Correspondence) -> None:
    told = {}
    for address in (BOB, "bub@mail.example"):
        (question,) = letters.say("alice", f"change address {address}")
        asked, answer = letters.reply(question, "yes")
        told[asked] = text(answer).replace(address, NEW)

    assert len({*told.values()}) == 1
    assert "already belongs to bob" in said(*letters.reply(next(iter(told)), "yes"))
    assert addresses(letters) == [ALICE, BOB]


def test_who_was_invited_at_the_new_address_gets_the_invitation(letters: Correspondence) -> None:
    letters.say("bob", f"challenge {NEW} hexaphages")
    invitation = letters.received[NEW][0]

    mails = letters.reply(asked_to_move(letters), "yes")

    challenge = next(mail for mail in mails if "challenges you" in text(mail))
    assert challenge["To"] == NEW
    letters.reply(invitation, "accept")
    assert letters.rows("select state from match where id = 2") == ["offered"]
    letters.reply(challenge, "accept")
    assert letters.rows("select state from match where id = 2") == ["running"]

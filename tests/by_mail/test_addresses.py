"""New reply addresses, and another address of a player, by mail."""

from tests import scenes
from tests.correspondence import Correspondence, said, text, to

pytestmark = scenes.after(scenes.match)

ALICE, NEW = "alice@mail.example", "alice@new.example"
TURN = "#1 1 a7b7 i3i2"


def test_revoke_asks_once_more_and_then_voids_every_address(letters: Correspondence) -> None:
    old, mail = letters.personal("alice"), letters.last("alice")
    letters.clock.advance(days=5_000)  # a personal address holds until it is revoked
    (question,) = letters.write("mallory@evil.example", "revoke", to=old)
    assert (question["To"], question["Subject"]) == (ALICE, "[pbem] Please confirm")

    (told,) = letters.reply(question, "yes")

    assert letters.personal("alice") != old
    assert letters.personal("alice") in text(told)
    for address in (old, mail["Reply-To"].addresses[0].addr_spec, question["Reply-To"].addresses[0].addr_spec):
        letters.clock.advance(hours=1, minutes=1)  # the same question isn't repeated before
        (asked,) = letters.write("mallory@evil.example", TURN, to=address)
        assert (asked["To"], asked["Subject"]) == (ALICE, "[pbem] Please confirm")
    assert letters.played == []
    letters.say("alice", TURN)
    assert letters.played == ["1 a7b7 i3i2"]


def test_an_address_changes_when_the_old_and_the_new_one_have_agreed(letters: Correspondence) -> None:
    old = letters.personal("alice")
    (question,) = letters.say("alice", f"change address {NEW}")
    asked, told = letters.reply(question, "yes")
    assert (question["To"], asked["To"], told["To"]) == (ALICE, NEW, ALICE)
    assert letters.rows("select address from player where name = 'alice'") == [ALICE]

    farewell, told = letters.reply(asked, "yes")

    assert (farewell["To"], told["To"]) == (ALICE, NEW)
    assert NEW not in text(farewell)
    assert letters.rows("select address from player where name = 'alice'") == [NEW]
    (question,) = letters.write(ALICE, TURN, to=old)
    assert (question["To"], question["Subject"]) == (NEW, "[pbem] Please confirm")
    assert letters.played == []
    assert to(letters.write(NEW, TURN, to=letters.personal("alice")), "bob")


def test_the_new_address_can_do_nothing_but_answer(letters: Correspondence) -> None:
    (question,) = letters.say("alice", f"change address {NEW}")
    asked, _ = letters.reply(question, "yes")

    (told,) = letters.reply(asked, "#1 resign")

    assert "can't tell whether that means yes" in said(told)
    assert told["To"] == NEW
    assert "games+" not in text(told)
    assert "nothing was done" in said(*letters.reply(asked, "No, I don't know alice."))
    assert letters.reply(asked, "yes") == []
    assert letters.rows("select state, address from match, player where name = 'alice'") == [("running", ALICE)]

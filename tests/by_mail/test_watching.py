"""Spectators see the board after each turn, nothing else, and end it with one tap."""

import re
from email.message import EmailMessage

import pytest

from pbem import tokens
from pbem.tokens import Purpose
from tests import scenes
from tests.correspondence import Correspondence, said, text, to

pytestmark = scenes.after(scenes.open_match)


def whole(mail: EmailMessage) -> str:
    """Return all of a message: headers, text and HTML."""
    html = mail.get_body(("html",))
    assert html is not None
    return mail.as_string() + text(mail) + str(html.get_content())


@pytest.mark.slow
def test_a_spectator_sees_the_board_after_each_turn_and_the_end(letters: Correspondence) -> None:
    (answer,) = letters.say("carol", "watch 1")
    assert text(answer).startswith("You watch match #1, Quadrature: alice - bob.")
    assert "It's alice's turn." in text(answer)

    sent = letters.say("alice", "#1 e3f4")
    (first,) = to(sent, "carol")
    assert [mail["X-PBeM-Event"] for mail in to(sent, "bob")] == ["turn"]
    (second,) = to(letters.say("bob", "#1 e9f8"), "carol")
    (end,) = to(letters.resign("alice"), "carol")

    assert text(first).startswith("It's bob's turn")
    assert "* alice played e3f4" in text(first)
    assert "* bob played e9f8" in text(second)
    assert second["In-Reply-To"] == first["Message-ID"]
    assert text(end).startswith("bob won.")
    assert "alice resigned" in text(end)
    assert letters.rows("select match from watch") == []


@pytest.mark.slow
def test_a_message_to_a_spectator_has_no_token_that_could_move_and_one_tap_ends_it(letters: Correspondence) -> None:
    letters.say("carol", "watch 1")
    (mail,) = to(letters.say("alice", "#1 e3f4\n\nWhat a lovely day."), "carol")

    found = {tokens.parse(each) for each in re.findall(r"games\+([a-z2-7]{40})@", whole(mail).replace("%2B", "+"))}
    (carol,) = letters.rows("select id from player where name = 'carol'")
    assert {(token.purpose, token.player) for token in found if token is not None} == {(Purpose.NOTICES, carol)}
    assert "lovely" not in whole(mail)
    assert "You don't play in match #1." in said(*letters.reply(mail, "e9f8"))
    assert letters.played == ["e3f4"]

    assert "body=unwatch%201" in whole(mail)
    address, _, subject = str(mail["List-Unsubscribe"]).strip("<>").removeprefix("mailto:").partition("?subject=")
    assert subject == "stop%20spectating"
    (ended,) = letters.write("carol@mail.example", "", "stop spectating", to=address)
    assert text(ended).startswith("Saved: spectating off.")
    assert to(letters.say("bob", "#1 e9f8"), "carol") == []

"""The admin moderates by mail: an act waits for a yes from the admin's address, and players know nothing of it."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, text, to

ADMIN = "postmaster@pbem.example"
pytestmark = [pytest.mark.server(server=f'admin = "{ADMIN}"'), scenes.after(scenes.two_turns)]
BANNED = "select name from player where banned is not null"


@pytest.mark.slow
def test_a_forged_from_does_nothing_and_the_admin_s_yes_carries_it_out(letters: Correspondence) -> None:
    (question,) = letters.write(ADMIN, "ban bob")
    assert question["To"] == ADMIN
    assert 'If you reply "yes"' in text(question)
    letters.reply(question, "yes", to="games@pbem.example")  # anybody can write From and In-Reply-To
    assert letters.rows(BANNED) == []

    done = letters.reply(question, "yes")

    assert any("This is done" in text(mail) for mail in done if mail["To"] == ADMIN)
    assert letters.rows(BANNED) == ["bob"]
    assert letters.rows("select actor from moderationact") == ["the admin, by mail"]


def test_an_admin_is_a_person_whatever_the_address_unless_the_headers_say_otherwise(letters: Correspondence) -> None:
    assert letters.write(ADMIN, "list bans", Auto_Submitted="auto-replied") == []
    assert letters.write("postmaster@mail.example", "ban bob") == []

    (question,) = letters.write(ADMIN, "ban bob")
    assert question["To"] == ADMIN


@pytest.mark.slow
def test_for_players_these_are_no_commands(letters: Correspondence) -> None:
    (answer,) = to(letters.say("alice", "ban bob"), "alice")

    assert "complain about a player" in text(answer)
    assert letters.rows(BANNED) == []

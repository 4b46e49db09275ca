"""News by mail: gathered in a digest, by match and by kind."""

import re

import pytest

from tests import scenes
from tests.correspondence import Correspondence, text, to

CHALLENGE = "challenge bob quadrature time=3d/move"


@pytest.mark.slow
@scenes.after(scenes.match, CHALLENGE)
def test_a_batch_waits_some_minutes_from_the_first_news(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob quadrature")
    letters.reply(letters.last("bob"), "accept")
    letters.say("bob", "set mail batch")
    assert to(letters.say("alice", "#1 e3f4"), "bob") == []
    assert to(letters.wait(minutes=10), "bob") == []
    assert to(letters.say("alice", "#2 b3b4"), "bob") == []

    (news,) = to(letters.wait(minutes=5), "bob")

    assert news["X-PBeM-Event"] == "digest"
    assert "alice played e3f4." in text(news)
    assert "alice played b3b4." in text(news)
    assert letters.wait(days=1) == []


@scenes.after(scenes.match, CHALLENGE)
def test_news_of_one_match_waits_for_the_day(letters: Correspondence) -> None:
    (saved,) = letters.say("bob", "set mail daily for 1")
    assert "Saved: mail for 1 daily." in text(saved)

    assert to(letters.say("alice", "#1 e3f4"), "bob") == []
    (news,) = letters.wait(days=1)

    assert (news["To"], news["X-PBeM-Match"]) == ("bob@mail.example", "1")


@scenes.after(scenes.match, CHALLENGE)
def test_one_tap_ends_one_kind_of_news_and_no_other(letters: Correspondence) -> None:
    for name in ("alice", "bob"):
        letters.say(name, "set watchers on")
    letters.join("carol")
    letters.say("carol", "watch 1")
    letters.say("alice", "#1 e3f4")
    letters.run_for(minutes=10)
    found = re.fullmatch(
        r"<mailto:(.+)\?subject=(stop)%20(spectating)>", str(letters.last("carol")["List-Unsubscribe"])
    )
    assert found is not None

    letters.write("carol@mail.example", "", f"{found[2]} {found[3]}", to=found[1])

    ((settings, stopped),) = letters.execute("select settings, stopped from player where name = 'carol'")
    assert re.search(r'"spectating": ?"off"', str(settings).replace("'", '"'))
    assert stopped is None

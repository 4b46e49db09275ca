"""Which news comes how: by match and by kind."""

from tests import scenes
from tests.correspondence import Correspondence, text, to


def two_matches(letters: Correspondence) -> None:
    """Begin two matches of alice and bob; alice is to move in both."""
    letters.match("challenge bob quadrature")
    letters.say("alice", "challenge bob quadrature")
    letters.reply(letters.last("bob"), "accept")


pytestmark = scenes.after(two_matches)


def test_several_ways_never_mix_and_lose_nothing(letters: Correspondence) -> None:
    letters.say("bob", "set mail batch\nset mail daily for 2")

    letters.say("alice", "#2 e3f4\n#1 e3f4")
    soon, next_day = to(letters.run_for(minutes=20), "bob"), to(letters.run_for(days=1), "bob")

    assert [mail["X-PBeM-Match"] for mail in soon] == ["1"]
    assert [mail["X-PBeM-Match"] for mail in next_day] == ["2"]
    assert letters.rows("select count(*) from outgoing where state = 'batched'") == [0]


def test_what_a_player_watches_comes_on_mondays_or_not_at_all(letters: Correspondence) -> None:
    for name in ("alice", "bob"):
        letters.say(name, "set watchers on")
    letters.join("carol")
    letters.say("carol", "watch 1\nset spectating weekly")
    letters.say("alice", "#1 e3f4")
    assert to(letters.run_for(days=5), "carol") == []
    (news,) = to(letters.run_for(days=4), "carol")
    assert news["X-PBeM-Event"] == "watched"
    assert '"stop spectating"' in text(news)

    letters.say("carol", "set spectating off")
    letters.say("bob", "#1 e9f8")
    assert to(letters.run_for(days=9), "carol") == []

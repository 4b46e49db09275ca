"""Seeks, players and blocks by mail: what goes to nobody, and what everybody is told."""

from tests import scenes
from tests.correspondence import Correspondence, said, text, to


def three(letters: Correspondence) -> None:
    """Let alice, bob and carol join; alice seeks a match."""
    scenes.two_players(letters)
    letters.join("carol")
    letters.say("alice", "seek quadrature time=14d+1d")


pytestmark = scenes.after(three)


def test_words_below_a_block_go_to_nobody(letters: Correspondence) -> None:
    letters.say("bob", "challenge alice kvadratik")
    sent = letters.say("alice", "block bob\n\nThis one only ever complains.")

    (told,), (answer,) = to(sent, "bob"), to(sent, "alice")
    assert "alice has declined challenge #1" in text(told)
    assert "complains" not in text(told)
    assert "You have declined challenge #1" in text(answer)
    assert "This one only ever complains." in text(answer)
    letters.say("carol", "challenge alice kvadratik")
    letters.reply(letters.last("alice"), "accept")
    for words in ("block carol\n\nNot again.", "yes"):
        sent = letters.reply(letters.last("alice"), words)
        assert "Not again." not in "".join(text(mail) for mail in to(sent, "carol"))


def test_an_address_doesn_t_tell_that_its_player_has_blocked_somebody(letters: Correspondence) -> None:
    letters.say("alice", "block bob")
    (hers,) = letters.say("bob", "challenge alice@mail.example kvadratik")
    letters.say("bob", "challenge nora@mail.example kvadratik")
    letters.reply(letters.last("nora"), "stop")
    (refused,) = letters.say("carol", "challenge nora@mail.example kvadratik")

    assert text(hers) == text(refused)


def test_everybody_is_told_how_often_a_player_lost_on_time(letters: Correspondence) -> None:
    letters.execute(
        "insert into match (game, options, seat0, seat1, challenger, state, winner, termination, termination_seat,"
        " created, started, ended) with recursive n(i) as (select 1 union all select i + 1 from n where i < 3)"
        " select 'quadrature', '{\"men\": \"18\"}', player.id, carol.id, carol.id, 'over', 1, 'timeout', 0,"
        " player.created, player.created, player.created from n, player, player carol"
        " where player.name = 'alice' and carol.name = 'carol'"
    )
    letters.say("alice", "challenge bob kvadratik")
    letters.say("carol", "seek kvadratik")

    challenge = letters.last("bob")
    (answer,) = letters.say("bob", "whois alice\nseeks")

    for mail in (challenge, answer):
        assert "alice lost 3 of 3 finished matches on time or by leaving." in said(mail)
    assert "lost 3 of 3 on time" in text(answer)
    assert "lost 0 of 3 on time" in text(answer)

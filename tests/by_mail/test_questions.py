"""Our questions: a yes is the first line and says nothing else, and comes from where its player is known to write."""

import pytest

from tests import scenes
from tests.cases import quick_where
from tests.correspondence import Correspondence, said, text, to

ALICE, WORK, VICTIM = "alice@mail.example", "al@work.example", "vica@host.example"
PROTEST = "Hm? I never wanted to delete my account, please tell me more.\n\nJo Smith"


@scenes.after(scenes.two_players)
def test_a_protest_confirms_nothing(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "delete me")

    for words in (PROTEST, "On Mon, 2 Mar 2026 at 10:00 Alice wrote:\nyes", "Hello Si,\n\nI don't understand."):
        (again,) = letters.reply(question, words, quote=False)
        assert "We can't tell whether your reply means yes" in said(again)
    assert letters.rows("select name from player where address = 'alice@mail.example'") == ["alice"]


@pytest.mark.parametrize("wanted", quick_where(("join vica",).__contains__, ["join vica", "play quadrupel"]))
@scenes.after(scenes.two_players)
def test_a_newcomer_joins_with_a_yes_a_name_or_the_command_and_is_told_so_once(
    letters: Correspondence, wanted: str
) -> None:
    (question,) = letters.write(VICTIM, wanted)

    (told,) = letters.reply(question, "Please don't write to me again.")
    assert "for the last time" in said(told)
    assert letters.reply(told, "Who are you and why do you write to me?") == []
    joined = f"select count(*) from player where confirmed is not null and address = '{VICTIM}'"
    assert letters.rows(joined) == [0]

    assert letters.reply(told, f"{wanted.title()}!")
    assert letters.rows(joined) == [1]


@scenes.after(scenes.match)
def test_an_address_that_is_not_known_is_asked_about_once(letters: Correspondence) -> None:
    turn = letters.last("alice")
    address = turn["Reply-To"].addresses[0].addr_spec

    (question,) = letters.write(WORK, "1 a7b7 i3i2", to=address)
    assert (question["To"], question["Subject"]) == (ALICE, "[pbem] Please confirm")
    assert ", from al@work.example, which we don't know as an address of yours" in said(question)
    assert letters.played == []

    letters.write(WORK, "yes", to=question["Reply-To"].addresses[0].addr_spec)
    assert letters.played == ["1 a7b7 i3i2"]

    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
    letters.write("Al+phone@work.example", "mute 1", to=address)
    assert letters.rows("select muted0 from match") == [True]


@pytest.mark.slow
@scenes.after(scenes.match)
def test_a_yes_from_elsewhere_does_not_count(letters: Correspondence) -> None:
    (question,) = letters.reply(letters.last("alice"), "resign")

    (again,) = letters.write("eve@evil.example", "yes", to=question["Reply-To"].addresses[0].addr_spec)
    assert again["To"] == ALICE
    assert "Your answer came from eve@evil.example" in said(again)
    assert letters.rows("select state from match") == ["running"]

    letters.reply(again, "yes")
    assert letters.rows("select state from match") == ["over"]


@pytest.mark.parametrize("line", quick_where(("draw",).__contains__, ["accept", "draw"]))
@scenes.after(scenes.match)
def test_what_ends_a_match_asks_once_more(letters: Correspondence, line: str) -> None:
    letters.say("bob", "#1 draw")

    (question,) = letters.reply(letters.last("alice"), line)
    assert "in match #1" in said(question) or "the end of match #1" in said(question)
    assert letters.rows("select state from match") == ["running"]

    mails = letters.reply(question, "yes")
    assert letters.rows("select state, termination from match") == [("over", "agreement")]
    assert "draw" in text(to(mails, "bob")[0]).lower()


@pytest.mark.slow
@scenes.after(scenes.two_players)
def test_cancelling_a_match_with_the_house_asks_once_more(letters: Correspondence) -> None:
    letters.say("alice", "play kvadratik")

    (question,) = letters.reply(letters.last("alice"), "cancel")
    assert "agree to cancel match #1" in said(question)
    assert letters.rows("select state from match") == ["running"]


@pytest.mark.slow
@scenes.after(scenes.bobs_turn)
def test_preparing_to_resign_asks_once_more(letters: Correspondence) -> None:
    (question,) = letters.say("alice", "#1 if c1d1 g9h9 2 d1f1 h9h7 then resign")

    assert "prepare to resign match #1" in said(question)
    assert letters.rows("select count(*) from prepared") == [0]

"""Offers in a running match, by mail: what goes with a turn, what was taken back, and what an answer means."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.players.rate_limits import MATCH_PER_DAY
from tests import spent
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> object:
    """Begin a match of Quadrature in which alice is to move."""
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature")
        yield letters


def to(mails: list[EmailMessage], address: str) -> list[EmailMessage]:
    return [mail for mail in mails if mail["To"] == address]


def turns(letters: Correspondence) -> list[object]:
    return [told for (told,) in letters.execute("select text from ply where match = 1 order by number")]


def two_turns(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(letters.last("bob"), "e9f8")


def last_about(letters: Correspondence, address: str, number: str = "1") -> EmailMessage:
    """Return the newest message about a match of which a reply can act in it."""
    kinds = ("turn", "undo", "over", "offer")
    mails = letters.received[address]
    return next(mail for mail in reversed(mails) if mail["X-PBeM-Match"] == number and mail["X-PBeM-Event"] in kinds)


def play_otherwise(letters: Correspondence) -> None:
    """Let alice take the last two turns back, and play others with bob."""
    letters.reply(last_about(letters, ALICE), "undo")
    letters.reply(last_about(letters, BOB), "accept undo")
    letters.reply(last_about(letters, ALICE), "b3b4")
    letters.reply(last_about(letters, BOB), "h9h8")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["draw\ne3f4", "e3f4\ndraw"])
def test_an_offer_goes_in_one_message_with_its_turn(letters: Correspondence, words: str) -> None:
    sent = letters.reply(letters.last("alice"), words)

    (told,) = to(sent, BOB)
    assert "alice played e3f4." in text(told)
    assert "alice has offered a draw." in text(told)
    assert 'Reply "accept draw" or "reject draw"' in text(told)
    assert len(to(sent, ALICE)) == 1


def test_an_offer_with_a_turn_that_is_refused_is_not_made(letters: Correspondence) -> None:
    (refused,) = letters.reply(letters.last("alice"), "draw\ne3f9")

    assert "draw" in text(refused).partition("Not attempted")[2] or "draw" in text(refused)
    assert letters.execute("select offers from match")[0][0] in ("{}", {})


@pytest.mark.slow
def test_a_reply_to_a_position_that_was_taken_back_plays_on_no_other(letters: Correspondence) -> None:
    two_turns(letters)
    undone = letters.last("alice")
    play_otherwise(letters)

    (answer,) = letters.reply(undone, "f3g4")

    assert "the match has moved on" in " ".join(text(answer).split())
    assert turns(letters) == ["b3b4", "h9h8"]
    letters.reply(answer, "f3g4")
    assert turns(letters) == ["b3b4", "h9h8", "f3g4"]


@pytest.mark.slow
def test_a_message_about_several_matches_says_which_version_of_each_it_shows(letters: Correspondence) -> None:
    personal = str(letters.received[ALICE][1]["Reply-To"])
    two_turns(letters)
    letters.write(ALICE, "challenge bob hexaphages begin=me", to=personal)
    letters.reply(letters.last("bob"), "accept")
    (shown,) = letters.write(ALICE, "show 1\nshow 2", to=personal)
    play_otherwise(letters)

    (answer,) = letters.reply(shown, "#1 f3g4")

    assert "the match has moved on" in " ".join(text(answer).split())
    assert turns(letters) == ["b3b4", "h9h8"]


@pytest.mark.slow  # the same version is compared in the two tests before
def test_a_suggestion_on_a_position_that_was_taken_back_is_not_agreed_to(letters: Correspondence) -> None:
    two_turns(letters)
    (suggestion,) = letters.reply(letters.last("alice"), "3f4g")
    assert '"yes"' in text(suggestion)
    play_otherwise(letters)

    (answer,) = letters.reply(suggestion, "yes")

    assert "the match has moved on" in " ".join(text(answer).split())
    assert turns(letters) == ["b3b4", "h9h8"]


@pytest.mark.slow
def test_a_held_turn_for_a_position_that_was_taken_back_is_not_played(letters: Correspondence) -> None:
    """A thread names the position too, although it proves nothing."""
    two_turns(letters)
    seen = letters.last("alice")
    (question,) = letters.reply(seen, "f3g4", to="games@pbem.example")
    play_otherwise(letters)

    letters.reply(question, "yes")

    assert turns(letters) == ["b3b4", "h9h8"]


@pytest.mark.slow
def test_a_held_acceptance_is_not_of_another_offer(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "pause")
    offered = letters.last("bob")
    (question,) = letters.reply(offered, "accept", to="games@pbem.example")
    letters.reply(letters.last("alice"), "withdraw\ncancel")

    (answer,) = letters.reply(question, "yes")

    assert "more than one offer" in text(answer)
    assert letters.execute("select state, paused from match") == [("running", None)]


@pytest.mark.slow
def test_collected_news_tell_what_was_taken_back(letters: Correspondence) -> None:
    letters.write(BOB, "set mail batch", to=str(letters.received[BOB][1]["Reply-To"]))
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(letters.last("alice"), "undo")
    letters.write(BOB, "accept 1", to=str(letters.received[BOB][1]["Reply-To"]))
    letters.reply(letters.last("alice"), "b3b4\npause")

    (digest,) = letters.wait(minutes=16)

    words = text(digest)
    assert "alice played b3b4." in words
    assert "alice played e3f4." not in words
    assert "alice has suggested a pause." in words
    assert digest["X-PBeM-Number"] == "1"


@pytest.mark.slow
def test_news_of_a_position_that_was_taken_back_are_not_sent_alone(letters: Correspondence) -> None:
    """Bob's one waiting message is about a turn that isn't in the record any more; the digest shows the match."""
    letters.write(BOB, "set mail batch", to=str(letters.received[BOB][1]["Reply-To"]))
    letters.reply(letters.last("alice"), "e3f4")
    letters.execute("update match set plies = 0, shift = 2, to_move = 0")
    letters.execute("delete from ply")

    (digest,) = letters.wait(minutes=16)

    assert (digest["X-PBeM-Event"], digest["X-PBeM-Number"]) == ("digest", "0")


@pytest.mark.slow
def test_who_is_muted_is_told_that_their_words_went_nowhere(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "mute")
    sent = letters.reply(letters.last("alice"), "e3f4\n\nYou are so slow.")

    (told,) = to(sent, BOB)
    (answer,) = to(sent, ALICE)
    assert "slow" not in text(told)
    assert "You are so slow." in text(answer)
    assert "we didn't send them to anyone" in " ".join(text(answer).split())
    (refused,) = letters.reply(letters.last("alice"), "say Hurry up!")
    assert "doesn't want offers and notes" in " ".join(text(refused).split())
    letters.reply(letters.last("bob"), "mute off\ne9f8")
    assert to(letters.reply(letters.last("alice"), "say Thank you"), BOB)


@pytest.mark.slow
def test_offers_are_counted_as_notes_are(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature")
        spent.news_of(letters, 1, "alice", MATCH_PER_DAY - 2)
        for words in ("draw", "cancel"):
            letters.reply(letters.last("alice"), words)

        assert "that's the limit" in " ".join(text(letters.last("alice")).split())


@pytest.mark.slow
def test_nothing_is_offered_in_a_match_that_is_over(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "draw")
    letters.reply(letters.last("bob"), "accept")
    before = [letters.execute(f"select * from {table}") for table in ("match", "prepared", "clockevent")]
    for words in (
        *("draw", "undo", "pause", "pause 10d", "cancel", "mute", "resume", "claim", "accept draw", "reject draw"),
        *("withdraw draw", "if e3f4 then e9f8", "queue e9f8", "cancel conditions", "conditions"),
    ):
        letters.clock.advance(days=2)  # the same refusal comes a few times, and then once a day
        (answer,) = letters.reply(letters.last("bob"), words)
        assert "Nothing was done." in text(answer), words
        assert 'You can also reply "rematch"' in text(answer) or '"show 1" shows it.' in text(answer), words
    assert [letters.execute(f"select * from {table}") for table in ("match", "prepared", "clockevent")] == before
    assert letters.execute("select termination from match") == [("agreement",)]


@pytest.mark.slow
def test_a_rematch_offered_by_both_begins_and_one_is_enough(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "cancel")
    letters.reply(letters.last("bob"), "accept")
    over = letters.last("bob")
    letters.reply(over, "rematch")
    (again,) = letters.reply(over, "rematch")
    assert "already offered a rematch: match #2" in " ".join(text(again).split())
    letters.reply(last_about(letters, ALICE), "rematch")
    ((first, second, game, state),) = letters.execute("select seat0, seat1, game, state from match where id = 2")
    assert (game, state) == ("quadrature", "running")
    assert letters.execute("select seat1, seat0 from match where id = 1") == [(first, second)]
    (answer,) = letters.reply(over, "rematch")
    assert "already playing the rematch" in " ".join(text(answer).split())


def test_resume_alone_still_brings_back_the_news(letters: Correspondence) -> None:
    personal = str(letters.received[ALICE][1]["Reply-To"])
    letters.write(ALICE, "stop", to=personal)
    letters.write(ALICE, "resume", to=personal)

    assert letters.execute("select count(*) from player where stopped is not null") == [(0,)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["accept cheese", "withdraw 1 lunch", "reject me", "mute maybe", "record 1 half"])
def test_an_unknown_word_is_refused_with_what_would_work(letters: Correspondence, words: str) -> None:
    before = letters.execute("select * from match")
    (answer,) = letters.reply(letters.last("alice"), words)

    assert 'Write "' in text(answer)
    assert letters.execute("select * from match") == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "offers_left"), [("Yes, gladly!", False), ("No thanks.", False), ("Nice weather", True)]
)
def test_a_plain_yes_or_no_answers_an_offer(letters: Correspondence, words: str, offers_left: bool) -> None:
    letters.reply(letters.last("alice"), "draw")

    letters.reply(letters.last("bob"), words)

    ((state, offers),) = letters.execute("select state, offers from match")
    assert (state == "over") == words.startswith("Yes")
    assert ('"is_open": true' in str(offers)) == offers_left

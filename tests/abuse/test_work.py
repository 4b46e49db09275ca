"""What one message can have looked up, and how many matches a player can play, are bounded."""

import pytest

from pbem.features.playing import viewing
from pbem.players import message_budgets
from tests.correspondence import Correspondence, text
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


ALICE = "alice@mail.example"


def personal(letters: Correspondence, name: str = "alice") -> str:
    return str(letters.received[f"{name}@mail.example"][1]["Reply-To"].addresses[0].addr_spec)


@pytest.mark.slow
def test_a_message_that_asks_for_much_is_told_where_its_answer_ends(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_budgets, "MOST_COST", 1_320)
    asked = ["show 1#1", "record 1", "show 1#2", *["show 1#0"] * 17]
    (answer,) = letters.write(ALICE, "\n".join(asked), to=personal(letters))

    told = " ".join(text(answer).split())
    assert "One message can't hold everything you asked for" in told
    assert "Send this line and those below in another message." in told
    assert told.count("| show 1#0") == 17


TURN = "b7d7 i2g2 1 d7d6 g2g1"


def test_who_has_had_much_looked_up_within_an_hour_is_told_once_and_plays_on(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_budgets, "MOST_COST_PER_HOUR", 4_900)
    to = personal(letters)
    answered = []
    for number in range(8):
        letters.clock.advance(minutes=2)
        answered.append(letters.write(ALICE, f"record 1#{number % 3}\nwhois bob", to=to))

    told = [" ".join(text(answer).split()) for (answer,) in answered[:5]]
    assert [len(sent) for sent in answered] == [1] * 5 + [0] * 3
    assert ["The record of match #1" in each for each in told] == [True] * 4 + [False]
    assert "You've had us look up as much as one player can within an hour" in told[4]
    assert "This works again in 52 minutes." in told[4]
    assert len(letters.reply(letters.last("alice"), f"#1 {TURN}\nrecord 1")) == 2, "turns are played and told"
    assert letters.execute("select plies from match") == [(3,)]

    letters.clock.advance(minutes=47)
    (answer,) = letters.write(ALICE, "record 1", to=to)
    assert "The record of match #1" in text(answer)


@pytest.mark.slow
def test_a_long_list_holds_the_matches_that_matter(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    letters.write(ALICE, "challenge bob quadraphages\nchallenge bob hexaphages", to=personal(letters))
    letters.execute("update match set state = 'over', to_move = null, winner = 0 where id = 2")
    monkeypatch.setattr(viewing, "MOST_LISTED", 2)

    told = text(letters.write(ALICE, "games")[0])

    assert ["#1 " in told, "#2 " in told, "#3 " in told] == [True, False, True]
    assert "And 1 older." in told
    assert 'reply "games alice 2"' in told
    told = text(letters.write(ALICE, "games alice 2")[0])
    assert ["#1 " in told, "#2 " in told, "#3 " in told] == [False, True, False]


@pytest.mark.slow
@pytest.mark.server(more="[limits]\nmatches_per_player = 1")
def test_a_player_plays_so_many_matches_at_a_time(letters: Correspondence) -> None:
    letters.join("carol")
    (refused,) = letters.write(ALICE, "challenge carol quadraphages", to=personal(letters))
    (offer, _) = letters.write("carol@mail.example", "challenge bob hexaphages", to=personal(letters, "carol"))
    (too_many,) = letters.reply(offer, "accept")

    assert "as many matches as a player can (1)" in " ".join(text(refused).split())
    assert "as many matches as a player can (1)" in " ".join(text(too_many).split())

    letters.resign("bob", "resign 1")
    sent = letters.reply(offer, "accept")
    assert len(sent) == 2, [text(mail) for mail in sent]


@pytest.mark.slow
@pytest.mark.parametrize("waiting", ["set mail daily", "stop"])
def test_much_news_goes_out_in_several_messages_of_bounded_size(letters: Correspondence, waiting: str) -> None:
    """An opponent may write a thousand times a day: all of it went into one message, of 56 MB, rendered in memory."""
    bob = "bob@mail.example"
    letters.write(bob, waiting, to=personal(letters, "bob"))
    for number in range(9):
        letters.write(ALICE, f"#1 say Number {number}.\n\n{'words ' * 8_000}", to=personal(letters))
        letters.clock.advance(minutes=70)  # no more in an hour
    if waiting == "stop":
        letters.write(bob, "start", to=personal(letters, "bob"))

    sent = [mail for mail in letters.wait(days=1) + letters.wait(minutes=1) if mail["To"] == bob]
    sent = sent or [mail for mail in letters.received[bob] if "Number " in text(mail)]

    told = [[number for number in range(9) if f"Number {number}." in text(mail)] for mail in sent]
    assert sorted(number for each in told for number in each) == list(range(9)), "all of it, each once"
    assert told == sorted(told)
    assert len(told) > 1, [len(mail.as_bytes()) for mail in sent]
    assert max(len(mail.as_bytes()) for mail in sent) < 1_000_000

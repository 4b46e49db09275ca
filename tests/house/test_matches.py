"""Matches against the house, and what the house is to other commands and to those who would be it."""

import pytest
from sqlmodel import Session

from pbem.features.house.hints_and_analyses import HINTS_PER_DAY
from pbem.messages.contents.message_payloads import OpponentLeft
from pbem.messages.reply_links import address_with
from pbem.storage.mailer import Mailer
from pbem.storage.models import HOUSE, Player, Search
from pbem.tokens import Purpose, Token
from tests import scenes, spent
from tests.correspondence import Correspondence, said, text
from tests.house.scenes import begun, challenged
from tests.scenes import after

MALLORY = "mallory@mail.example"


def lost(letters: Correspondence) -> None:
    """Let alice lose a match against the house, and bob one too."""
    letters.play(begun)
    letters.resign("alice")
    letters.join("bob")
    letters.say("bob", "play quadrupel level=1")
    letters.resign("bob", "resign 2")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("whois house", "Your matches against it: 0 won, 1 lost, 0 drawn."),
        ("history house", "#1"),
        ("games house", "The house plays with everybody, so its matches aren't listed."),
        ("block house", "The house challenges nobody, and writes no notes."),
        ("standings", "Nobody has a rating yet."),
        ("challenge house kvadratik rated", "Matches against the house aren't rated."),
        ("challenge house kvadratik level=7", "The house has no level 7."),
        ("challenge bob kvadratik level=3", "only the house has levels"),
        (f"challenge {HOUSE.replace(' ', '')} kvadratik", "No player is called thehouse."),
    ],
)
@after(lost)
def test_what_is_asked_about_the_house_has_a_sensible_answer(letters: Correspondence, words: str, says: str) -> None:
    letters.say("alice", words)

    answer = said(letters.last("alice"))
    assert says in answer
    assert "#2" not in answer, "what others play against the house is theirs"
    assert letters.rows("select count(*) from block") == [0]
    assert letters.rows("select count(*) from match") == [2]


@after(scenes.two_players)
def test_at_the_level_for_learners_the_house_says_how_it_came_to_its_turn(letters: Correspondence) -> None:
    letters.say("alice", "play quadrupel begin=you level=0")

    answer = said(letters.last("alice"))
    assert "level 0" in answer
    assert "The house has " in answer
    assert letters.rows("select level from match") == [0]


@pytest.mark.server(more="[house]\nenabled = false")
@after(scenes.two_players)
def test_a_server_without_the_house_says_so(letters: Correspondence) -> None:
    (answer,) = letters.say("alice", "play kvadratik")

    assert "The house takes no new matches at the moment." in said(answer)


@pytest.mark.parametrize(("value", "agreed"), [(0.0, True), (0.4, False)])
@after(begun)
def test_the_house_agrees_to_a_draw_where_it_is_no_better_than_even(
    letters: Correspondence, value: float, agreed: bool
) -> None:
    letters.reply(letters.last("alice"), "draw")
    assert letters.rows("select state from match") == ["running"]  # too early

    letters.execute(f"update search set value = {value}")
    letters.execute("update match set plies = 20, offers = '{}'")  # as the house sees it; no turn is replayed here
    letters.reply(letters.last("alice"), "draw")

    assert letters.rows("select state from match") == ["over" if agreed else "running"]


@after(begun)
def test_hints_are_limited(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "hint")
    (search,) = letters.rows("select id from search where kind = 'hint'")
    for number in range(1, HINTS_PER_DAY):
        spent.copies(letters, Search, search, 1, version=-number)
    letters.reply(letters.last("alice"), "a4a3")

    (told,) = letters.reply(letters.last("alice"), "hint")

    assert "You've had 10 hints today" in text(told)


@after(begun)
def test_a_rematch_begins_once_at_the_same_level_with_the_other_side(letters: Correspondence) -> None:
    letters.resign("alice")

    letters.reply(letters.last("alice"), "rematch")
    letters.say("alice", "rematch 1")

    assert letters.rows("select level, seat0 = challenger, plies from match where id > 1") == [(1, False, 1)]
    assert "already playing the rematch of match #1: match #2" in said(letters.last("alice"))


@after(begun)
def test_no_mail_is_ever_queued_for_the_house(letters: Correspondence) -> None:
    (answer,) = letters.reply(letters.last("alice"), "say Good luck!")
    letters.reply(letters.last("alice"), "undo")
    letters.resign("alice")

    assert "The house doesn't read notes" in text(answer)
    assert set(letters.rows("select address from outgoing")) == {"alice@mail.example"}
    with Session(letters.server.engine) as session, pytest.raises(ValueError, match="gets no mail"):
        Mailer(session, letters.server.settings.server, letters.clock()).to_player(
            Player(address=HOUSE, created=letters.clock()), OpponentLeft(), purpose=Purpose.PERSONAL
        )


# Nobody else is the house ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["house", "the-house", "h0use", "housebot"])
def test_nobody_takes_its_name(letters: Correspondence, name: str) -> None:
    letters.reply(letters.write(MALLORY, f"join {name}")[0], "yes")

    assert letters.rows("select count(*) from player where confirmed is not null") == [0]


@after(scenes.two_players)
def test_who_had_the_name_before_keeps_it(letters: Correspondence) -> None:
    letters.execute("update player set name = 'house' where name = 'bob'")

    letters.say("alice", "play kvadratik level=1")
    letters.say("alice", "challenge house kvadratik")

    assert letters.rows(f"select name from player where address = '{HOUSE}'") == ["house-bot"]
    assert letters.rows("select level, state from match order by id") == [(1, "running"), (None, "offered")]


@after(challenged)
def test_a_token_of_the_house_proves_nothing(letters: Correspondence) -> None:
    (number,) = letters.rows(f"select id from player where address = '{HOUSE}'")
    services = letters.server.services
    address = address_with(services.server, services.keyring, Token(Purpose.PERSONAL, number), 0)

    assert letters.write(MALLORY, "#1 resign", to=address) == []
    assert letters.rows("select state from match") == ["running"]


@after(challenged)
def test_the_operator_s_verbs_pass_it_by(letters: Correspondence) -> None:
    for verb in (("player", "delete", "house", "--yes"), ("player", "revoke", "house")):
        assert "No player is called house." in letters.operate(*verb).output

"""Seeks, players and blocks by mail: who may take what, with what proof, and what nobody learns."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from pbem.features.seeks.commands import SEEKS_PER_DAY
from pbem.storage.models import Seek
from tests import spent
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"
HREF = re.compile(r'href="mailto:([^"?]*)\?subject=([^"&]*)&(?:amp;)?body=([^"]*)"')


def three(letters: Correspondence) -> dict[str, str]:
    """Let alice, bob and carol join; alice seeks a match. Return their personal addresses."""
    personal = {name: letters.join(name) for name in ("alice", "bob", "carol")}
    letters.write(ALICE, "seek quadrature time=14d+1d", to=personal["alice"])
    return personal


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        yield letters


@pytest.fixture
def personal(letters: Correspondence) -> dict[str, str]:
    return letters.play(three)


def matches(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select seat0, seat1, state, time from match order by id")


def links(mail: object) -> dict[str, str]:
    """Return the words and addresses of the links in the HTML of a message."""
    html = mail.get_body(("html",)).get_content()  # type: ignore[attr-defined]
    return {unquote(words): unquote(address) for address, _, words in HREF.findall(html)}


def test_a_newcomer_takes_a_seek_by_one_link_of_the_welcome(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.join("dave")
    address = links(letters.last("dave"))["take 1"]

    letters.write("dave@mail.example", "take 1", to=address)

    seats = letters.execute(
        "select one.name, other.name, state, time from match"
        " join player one on one.id = seat0 join player other on other.id = seat1"
    )
    assert [{*row} for row in seats] == [{"alice", "dave", "running", "14d+1d"}]
    assert "dave has taken your seek 1." in text(letters.last("alice"))


@pytest.mark.slow
def test_a_list_is_taken_by_a_link_and_one_s_own_is_closed_by_one(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    (hers,) = letters.write(ALICE, "seeks", to=personal["alice"])
    (his,) = letters.write(BOB, "seeks", to=personal["bob"])

    assert "take 1" in links(his)
    assert "unseek 1" in links(hers)
    assert "@mail.example" not in text(his)


@pytest.mark.slow
def test_a_seek_is_taken_once(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.write(BOB, "take 1", to=personal["bob"])
    (answer,) = letters.write(CAROL, "take 1", to=personal["carol"])

    assert "Seek 1 isn't open" in text(answer)
    assert len(matches(letters)) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("line", ["take 1", "seek kvadratik", "unseek 1", "block carol", "limit 3", "reject kvadratik"])
def test_what_is_written_in_somebody_s_name_is_asked_about(
    letters: Correspondence, personal: dict[str, str], line: str
) -> None:
    rows = "select 's', count(*), count(closed) from seek union all select 'b', count(*), 0 from block"
    before = letters.execute(rows), letters.execute("select settings from player"), matches(letters)

    sent = letters.write(BOB if line == "take 1" else ALICE, line)

    assert [str(mail["Subject"]) for mail in sent] == ["[pbem] Was this you?"]
    assert (letters.execute(rows), letters.execute("select settings from player"), matches(letters)) == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("line", ["seeks", "who", "whois alice", "history alice", "take 1"])
def test_a_stranger_learns_of_nobody(letters: Correspondence, personal: dict[str, str], line: str) -> None:
    sent = letters.write("mallory@mail.example", line)

    assert [mail for mail in sent if str(mail["To"]) != "mallory@mail.example"] == []
    assert not any("alice" in text(mail).replace(line, "") for mail in sent)


def test_a_blocked_player_is_told_what_everybody_may_be_told(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.write(ALICE, "block bob\nlimit 0", to=personal["alice"])
    (blocked,) = letters.write(BOB, "challenge alice kvadratik", to=personal["bob"])
    (busy,) = letters.write(CAROL, "challenge alice kvadratik", to=personal["carol"])
    (gone,) = letters.write(BOB, "take 1", to=personal["bob"])
    (never,) = letters.write(BOB, "take 99", to=personal["bob"])
    (listed,) = letters.write(BOB, "seeks\nwhois alice", to=personal["bob"])

    assert text(blocked) == text(busy)
    assert text(gone).replace("Seek 1 ", "Seek 99 ").split() == text(never).split()
    assert "Quadrature" not in text(listed)
    assert "block" not in text(listed)
    letters.write(ALICE, "limit none", to=personal["alice"])
    assert "is on its way" in text(letters.write(CAROL, "challenge alice kvadratik", to=personal["carol"])[-1])


@pytest.mark.slow
def test_words_below_a_block_go_to_nobody(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.write(BOB, "challenge alice kvadratik", to=personal["bob"])
    sent = letters.write(ALICE, "block bob\n\nThis one only ever complains.", to=personal["alice"])

    (told,) = (mail for mail in sent if str(mail["To"]) == BOB)
    (answer,) = (mail for mail in sent if str(mail["To"]) == ALICE)
    assert "alice has declined challenge #1" in text(told)
    assert "complains" not in text(told)
    assert "You have declined challenge #1" in text(answer)
    assert "This one only ever complains." in text(answer)
    running = letters.write(CAROL, "challenge alice kvadratik", to=personal["carol"])
    letters.reply(next(mail for mail in running if str(mail["To"]) == ALICE), "accept")
    sent = letters.reply(letters.last("alice"), "block carol\n\nNot again.")
    assert "Not again." not in "".join(text(mail) for mail in sent if str(mail["To"]) == CAROL)
    sent = letters.reply(letters.last("alice"), "yes")
    assert "Not again." not in "".join(text(mail) for mail in sent if str(mail["To"]) == CAROL)


@pytest.mark.slow
def test_an_address_doesn_t_tell_that_its_player_has_blocked_somebody(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    letters.write(ALICE, "block bob", to=personal["alice"])
    (hers,) = letters.write(BOB, "challenge alice@mail.example kvadratik", to=personal["bob"])
    letters.write(BOB, "challenge nora@mail.example kvadratik", to=personal["bob"])
    letters.reply(letters.last("nora"), "stop")
    (refused,) = letters.write(CAROL, "challenge nora@mail.example kvadratik", to=personal["carol"])

    assert text(hers) == text(refused)


def test_who_leaves_is_in_no_list_any_more(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.write(ALICE, "set listed on\nblock bob", to=personal["alice"])
    letters.reply(letters.write(ALICE, "delete me", to=personal["alice"])[-1], "yes")
    (answer,) = letters.write(CAROL, "seeks\nwho", to=personal["carol"])
    (unknown,) = letters.write(CAROL, "whois deleted-1", to=personal["carol"])

    assert "alice" not in text(answer)
    assert "No player is called deleted-1" in text(unknown)
    assert letters.execute("select count(*) from block union all select count(*) from presence where player = 1") == [
        (0,),
        (0,),
    ]
    assert letters.execute("select count(*) from seek where closed is null") == [(0,)]


@pytest.mark.slow
def test_a_player_has_a_bounded_number_of_seeks(letters: Correspondence, personal: dict[str, str]) -> None:
    lines = "\n".join(f"seek {game}" for game in ("kvadratik", "quadrupel", "hexaphages", "quadraphages", "quadrature"))
    (answer,) = letters.write(ALICE, lines, to=personal["alice"])
    assert "You have 5 open seeks" in text(answer)

    letters.write(ALICE, "unseek 1\nseek quadrature\nunseek 2", to=personal["alice"])
    spent.copies(letters, Seek, 1, SEEKS_PER_DAY - 6)
    (answer,) = letters.write(ALICE, "seek kvadratik", to=personal["alice"])

    assert "You've put up 20 seeks today" in text(answer)
    assert len(letters.execute("select id from seek")) == SEEKS_PER_DAY


def test_no_seek_begins_more_matches_than_its_player_wants(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.write(ALICE, "seek kvadratik standing\nlimit 1", to=personal["alice"])
    letters.write(BOB, "take 2", to=personal["bob"])
    (answer,) = letters.write(CAROL, "take 2", to=personal["carol"])

    assert "This player can't begin another match" in text(answer)
    assert len(matches(letters)) == 1


@pytest.mark.slow
def test_nobody_takes_the_same_seek_again_and_again(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.write(ALICE, "seek kvadratik standing", to=personal["alice"])
    letters.write(BOB, "take 2", to=personal["bob"])
    (answer,) = letters.write(BOB, "take 2", to=personal["bob"])
    letters.write(CAROL, "take 2", to=personal["carol"])

    assert "You're already playing that with this player: match #1." in " ".join(text(answer).split())
    assert len(matches(letters)) == 2


def test_news_of_seeks_that_ended_come_once_and_to_nobody_who_stopped_them(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    letters.write(BOB, "seek kvadratik\nseek quadrupel", to=personal["bob"])
    letters.write(ALICE, "stop", to=personal["alice"])

    sent = letters.wait(days=28, minutes=1)

    assert [str(mail["To"]) for mail in sent] == [BOB]
    assert "seek kvadratik" in text(sent[0])
    assert "seek quadrupel" in text(sent[0])
    assert "seek quadrupel variant=basic time=5d+1d<=21d" in links(sent[0])
    assert letters.wait(days=1) == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "words",
    [
        "Take your time.",
        "Who knows?",
        "Block that corner!",
        "Limit yourself to two stones.",
        "Seek and find.",
        "Allow me.",
    ],
)
def test_sentences_that_begin_like_these_commands_are_words(letters: Correspondence, words: str) -> None:
    letters.match("challenge bob quadrature")

    letters.reply(letters.last("alice"), f"e3f4\n\n{words}")
    sent = letters.reply(letters.last("bob"), f"{words}\n\ne9f8")

    assert words in text(letters.received[BOB][-2])
    assert any("e9f8" in text(mail) for mail in sent)
    assert letters.execute("select plies from match") == [(2,)]


@pytest.mark.slow
def test_a_challenge_with_an_impossible_time_is_refused_with_any_token(letters: Correspondence) -> None:
    letters.match("challenge bob quadrature")

    (answer,) = letters.reply(letters.last("alice"), "challenge bob kvadratik time=5y")

    assert "is no unit of time" in text(answer) or 'eply "yes"' in text(answer)


def test_a_seek_is_taken_by_a_link_of_a_digest(letters: Correspondence, personal: dict[str, str]) -> None:
    letters.write(BOB, "set mail batch", to=personal["bob"])
    letters.write(CAROL, "challenge bob kvadratik\nchallenge bob quadrupel", to=personal["carol"])
    (digest,) = letters.wait(minutes=15)
    assert digest["X-PBeM-Event"] == "digest"
    address = links(digest)["take 1"]

    letters.write(BOB, "take 1", to=address)

    assert [state for *_, state, _ in matches(letters)] == ["offered", "offered", "running"]


def test_a_seek_for_some_ratings_is_refused_to_others_in_a_sentence(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    (opened,) = letters.write(ALICE, "seek kvadratik rating=1600-1800", to=personal["alice"])
    assert "rating=1600-1800" in text(opened)
    (around,) = letters.write(ALICE, "seek hexaphages rating=+-200", to=personal["alice"])
    assert "rating=1300-1700" in text(around), "who has no rating counts as 1500"

    (answer,) = letters.write(BOB, "take 2", to=personal["bob"])
    told = " ".join(text(answer).split())
    assert "Seek 2 is for ratings of 1600-1800 in Kvadratik, and you have none yet, which counts as 1500." in told
    assert matches(letters) == []
    letters.execute(
        "insert into playerrating (player, game, week, rating, deviation, volatility, wins, draws, losses)"
        " select id, 'kvadratik', '2026-02-23', 1611.9, 71, 0.06, 5, 1, 3 from player where name = 'bob'"
    )
    letters.write(BOB, "take 2", to=personal["bob"])
    assert [state for *_, state, _ in matches(letters)] == ["running"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("seek kvadratik rating=strong", '"rating=strong" is not a range of ratings.'),
        ("seeks rating=1400-1700", "Ratings are those of a game, and the line names none."),
        ("seeks kvadratik rating=9", '"rating=9" is not a range of ratings.'),
    ],
)
def test_a_slip_in_a_range_of_ratings_is_explained(
    letters: Correspondence, personal: dict[str, str], line: str, sentence: str
) -> None:
    (answer,) = letters.write(ALICE, line, to=personal["alice"])

    assert sentence in " ".join(text(answer).split())


def broken_off(letters: Correspondence, name: str, number: int) -> None:
    """Let matches of that player with carol end, which they lost on time."""
    letters.execute(
        "insert into match (game, options, seat0, seat1, challenger, state, winner, termination, termination_seat,"
        " created, started, ended) with recursive n(i) as (select 1 union all select i + 1 from n where i < "
        f"{number}) select 'quadrature', '{{\"men\": \"18\"}}', player.id, carol.id, carol.id, 'over', 1, 'timeout', 0,"
        " player.created, player.created, player.created from n, player, player carol"
        f" where player.name = '{name}' and carol.name = 'carol'"
    )


def test_everybody_is_told_how_often_a_player_lost_on_time(letters: Correspondence, personal: dict[str, str]) -> None:
    broken_off(letters, "alice", 3)
    letters.write(ALICE, "challenge bob kvadratik", to=personal["alice"])
    letters.write(CAROL, "seek kvadratik", to=personal["carol"])

    (whois,) = letters.write(BOB, "whois alice", to=personal["bob"])
    (seeks,) = letters.write(BOB, "seeks", to=personal["bob"])

    for mail in (letters.received[BOB][-3], whois):
        assert "alice lost 3 of 3 finished matches on time or by leaving." in " ".join(text(mail).split())
    assert "lost 3 of 3 on time" in text(seeks)
    assert "lost 0 of 3 on time" in text(seeks)


def test_a_seek_for_reliable_players_is_taken_by_one_of_them_alone(
    letters: Correspondence, personal: dict[str, str]
) -> None:
    (opened,) = letters.write(CAROL, "seek kvadratik reliable", to=personal["carol"])
    broken_off(letters, "bob", 2)

    (listed,) = letters.write(BOB, "seeks kvadratik", to=personal["bob"])
    (refused,) = letters.write(BOB, "take 2", to=personal["bob"])

    assert "Any reliable player can take it" in " ".join(text(opened).split())
    assert "There are no open seeks of that kind." in text(listed)
    assert "You lost 2 of 2." in " ".join(text(refused).split())
    running = "select count(*) from match where state = 'running'"
    assert letters.execute(running) == [(0,)]
    letters.write(ALICE, "take 2", to=personal["alice"])
    assert letters.execute(running) == [(1,)]

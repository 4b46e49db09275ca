"""Team matches: the players of two teams meet, each on a board; by email from the host to the end."""

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.errors import Refused
from pbem.features.tournaments import entries, formats, hosting
from pbem.features.tournaments.field import WAIT, Field, Format, Score
from pbem.features.tournaments.formats import team
from tests.correspondence import Correspondence, correspondence, text
from tests.tournaments.playing import ended

NAMES = ("alice", "bob", "carol", "dave")
HOST = "host team quadrature boards=2 time=3d/move days=5"
CALLED = "called Danube against Rhine Valley"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let alice, whom the operator trusts, and four others join."""
    with correspondence(tmp_path) as letters:
        for name in (*NAMES, "erin"):
            letters.join(name)
        letters.operate("player", "trust", "alice")
        yield letters


def write(letters: Correspondence, name: str, line: str) -> EmailMessage:
    """Write as a player; return the answer."""
    address = f"{name}@mail.example"
    sent = letters.write(address, line, to=str(letters.received[address][1]["Reply-To"]))
    return next(mail for mail in sent if mail["To"] == address and mail["Auto-Submitted"] == "auto-replied")


def said(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def enter_all(letters: Correspondence) -> None:
    """Let alice and carol play for one team, and bob and dave for the other."""
    for name, theirs in zip(NAMES, ("Danube", "Rhine Valley") * 2, strict=True):
        write(letters, name, f"enter 1 for {theirs}")


def resign(letters: Correspondence, *who: str, first: int = 1) -> None:
    """Let these players each resign a match, from the first one on."""
    for number, name in enumerate(who, start=first):
        letters.reply(write(letters, name, f"#{number} resign"), "yes")


def meetings(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return the round and the board of each pairing, and who meets whom."""
    query = "select round, board, one.name, other.name from pairing join player one on one.id = first"
    return letters.execute(f"{query} join player other on other.id = second order by round, board")


def entrants(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return the tournament, the name and the seed of everyone who has entered."""
    query = "select tournament, name, seed from entry join player on player.id = entry.player"
    return letters.execute(f"{query} order by tournament, name")


def test_a_team_match_goes_from_its_host_to_the_end(letters: Correspondence) -> None:
    opened = said(write(letters, "alice", f"{HOST} rated {CALLED}"))
    assert "Tournament 1 is open: Danube - Rhine Valley" in opened
    assert 'Up to 2 players of each team can enter until 7 Mar, with "enter 1 for Danube"' in opened
    listed = said(write(letters, "bob", "tournament 1"))
    assert 'Play for Rhine Valley: reply "enter 1 for Rhine Valley"' in listed

    assert "You play for Danube, so far on board 1." in said(write(letters, "alice", "enter team match 1 for danube"))
    assert "for Rhine Valley, so far on board 1." in said(write(letters, "bob", "enter 1 for the Rhine Valley."))
    assert "alice for Danube and bob for Rhine Valley" in said(write(letters, "carol", "tournament 1"))
    assert "alice for Danube" in " ".join(letters.operate("tournament", "show", "1").output.split())
    write(letters, "carol", "enter 1 for Danube")
    assert "Yours was the last place" in said(write(letters, "dave", "enter 1 for Rhine Valley"))
    assert meetings(letters) == [(1, 1, "alice", "bob"), (1, 2, "dave", "carol")]
    assert "Tournament 1, board 2 for Rhine Valley, round 1 of 1: Danube - Rhine Valley" in said(letters.last("dave"))

    resign(letters, "bob")
    shown = said(write(letters, "erin", "tournament 1"))
    for part in ("Danube (1)", "Rhine Valley (0)", "1. alice +1 1", "1. bob -1 0", "2. dave ?2 0"):
        assert part in shown
    resign(letters, "dave", first=2)

    for name in NAMES:
        report = letters.last(name)
        assert report["Subject"] == "[pbem] Danube - Rhine Valley: over"
        assert "Danube has won the match, 2 to 0." in said(report)
        assert max(map(len, text(report).splitlines())) <= 72
    files = {str(part.get_filename()): part.get_content() for part in letters.last("dave").iter_attachments()}
    facts = json.loads(files["pbem-tournament-1.json"])
    assert facts["score"] == {"Danube": 2.0, "Rhine Valley": 0.0}
    assert [(row["team"], row["number"], row["player"]) for row in facts["standings"]] == [
        ("Danube", 1, "alice"),
        ("Danube", 2, "carol"),
        ("Rhine Valley", 1, "bob"),
        ("Rhine Valley", 2, "dave"),
    ]
    for ending in ("txt", "html"):
        page = str(files[f"pbem-tournament-1.{ending}"])
        assert page.index("Danube (2)") < page.index("carol") < page.index("Rhine Valley (0)") < page.index("bob")
    assert "Rhine Valley (0)" in letters.operate("tournament", "show", "1").output
    refused = letters.operate("tournament", "trf", "1")
    assert refused.exit_code == 1
    assert "a team match" in refused.output
    assert letters.execute("select rated, count(*) from match group by rated") == [(1, 2)]


@pytest.mark.slow
def test_with_two_rounds_everybody_also_moves_first(letters: Correspondence) -> None:
    write(letters, "alice", f"{HOST} rounds=2 {CALLED}")
    enter_all(letters)

    assert meetings(letters) == [
        (1, 1, "alice", "bob"),
        (1, 2, "dave", "carol"),
        (2, 1, "bob", "alice"),
        (2, 2, "carol", "dave"),
    ]
    assert letters.execute("select rounds, at_once from tournament") == [(2, 2)]
    resign(letters, "bob", "carol", "alice", "carol")
    told = said(letters.last("alice"))
    assert "Rhine Valley has won the match, 3 to 1." in told
    assert "1. alice +1 -1 1" in told


@pytest.mark.slow
def test_a_tie_is_told_as_such(letters: Correspondence) -> None:
    write(letters, "alice", f"{HOST} {CALLED}")
    enter_all(letters)
    resign(letters, "bob", "carol")

    assert all("The match is a tie, 1 to 1." in said(letters.last(name)) for name in NAMES)


@pytest.mark.slow
def test_the_matches_of_a_player_who_retires_go_on_and_count(letters: Correspondence) -> None:
    write(letters, "alice", f"{HOST} {CALLED}")
    enter_all(letters)

    left = said(write(letters, "carol", "withdraw from team match 1"))
    assert "What you play there goes on and counts: #2" in left
    assert "Withdrawn: carol." in said(write(letters, "bob", "tournament 1"))
    resign(letters, "bob", "dave")

    assert "Danube has won the match, 2 to 0." in said(letters.last("bob"))


@pytest.mark.slow
def test_who_leaves_before_the_beginning_gives_up_their_board(letters: Correspondence) -> None:
    write(letters, "alice", f"{HOST.replace('boards=2', 'boards=3')} {CALLED}")
    enter_all(letters)
    write(letters, "alice", "retire 1")
    assert "You play for Danube, so far on board 2." in said(write(letters, "erin", "enter 1 for Danube"))

    letters.run_for(days=5, minutes=5)

    assert meetings(letters) == [(1, 1, "carol", "bob"), (1, 2, "dave", "erin")]
    assert entrants(letters) == [(1, "bob", 2), (1, "carol", 1), (1, "dave", 4), (1, "erin", 3)]


@pytest.mark.slow
@pytest.mark.parametrize("sides", ["DR", "DRD", "DDDR", "RRD"])
def test_unequal_or_too_small_teams_are_called_off(letters: Correspondence, sides: str) -> None:
    write(letters, "alice", f"{HOST.replace('boards=2', 'boards=3')} {CALLED}")
    entered = len(sides)
    for name, side in zip(NAMES, sides, strict=False):
        write(letters, name, f"enter 1 for {'Danube' if side == 'D' else 'Rhine Valley'}")

    letters.run_for(days=5, minutes=5)

    for name in NAMES[:entered]:
        told = said(letters.last(name))
        assert "The tournament was called off." in told
        assert "The two teams didn't have the same number of players, at least two." in told
    assert meetings(letters) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "told", "fits"),
    [
        ("enter 1", "Tournament 1 is between Danube and Rhine Valley.", '"enter 1 for Rhine Valley" takes'),
        ("enter 1 for Elbe", "Tournament 1 is between Danube and Rhine Valley, not Elbe.", '"enter 1 for Rhine'),
        ("enter 1 for Danube", "All boards of Danube are taken.", '"enter 1 for Rhine Valley" takes a free board.'),
        ("enter 2 for Danube", "There are no teams in tournament 2.", '"enter 2"'),
        ("enter 3 for Danube", "There are no teams in tournament 3.", '"enter 3"'),
    ],
)
def test_who_cannot_enter_reads_what_would_work(letters: Correspondence, line: str, told: str, fits: str) -> None:
    write(letters, "alice", f"{HOST} {CALLED}")
    write(letters, "alice", "host swiss kvadratik time=3d/move")
    write(letters, "alice", "host ladder kvadratik time=3d/move")
    for name in ("alice", "bob"):
        write(letters, name, "enter 1 for Danube")
    before = entrants(letters)

    answer = said(write(letters, "carol", line))

    assert told in answer
    assert fits in answer
    assert entrants(letters) == before


def test_nobody_plays_for_both_teams(letters: Correspondence) -> None:
    write(letters, "alice", f"{HOST} {CALLED}")
    write(letters, "alice", "enter 1 for Danube")

    assert "You're in tournament 1 already." in said(write(letters, "alice", "enter 1 for Rhine Valley"))
    assert [seed for _, _, seed in entrants(letters)] == [1]


def test_nobody_enters_for_a_team_in_somebody_s_name(letters: Correspondence) -> None:
    write(letters, "alice", f"{HOST} {CALLED}")

    letters.write("bob@mail.example", "enter 1 for Danube")

    assert entrants(letters) == []


@pytest.mark.slow
def test_a_team_match_can_come_again(letters: Correspondence) -> None:
    write(letters, "alice", f"{HOST} rounds=2 every=month {CALLED}")
    letters.run_for(days=31)

    assert (
        letters.execute("select title, places, wanted_rounds from tournament") == [("Danube - Rhine Valley", 4, 2)] * 2
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("", "the names of its two teams"),
        ("called Spring Cup", "the names of its two teams"),
        ("called Danube - Rhine - Po", "the names of its two teams"),
        ("called Danube - danube", "have the same name"),
        ("called Danube - me", '"me" can\'t be the name of a team'),
        ("called Danube - 4ever", '"4ever" can\'t be the name of a team'),
        (f"called Danube v {'x' * 19}", "A name has up to 18 letters"),
        ("boards=1 called Danube - Rhine", "boards is a number from 2 to 5"),
        ("boards=6 called Danube - Rhine", "boards is a number from 2 to 5"),
        ("rounds=3 called Danube - Rhine", "rounds is a number from 1 to 2"),
        ("places=8 called Danube - Rhine", "places"),
    ],
)
def test_what_is_no_team_match_is_refused(words: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        hosting.read(f"team kvadratik time=3d/move {words}", "none")

    assert told in f"{refused.value.sentence} {refused.value.fits}"


@pytest.mark.parametrize("kind", ["team", "Team match", "team-match", "teammatch"])
def test_the_longest_names_are_a_title(kind: str) -> None:
    longest = "a" * hosting.LONGEST_NAME, "b" * hosting.LONGEST_NAME
    wanted = hosting.read(f"{kind} kvadratik time=3d/move called {longest[0]} vs. {longest[1]}", "none")

    assert (wanted.kind, wanted.places) == (Format.TEAM, 8)
    assert team.names(wanted.title) == longest
    assert len(wanted.title) <= entries.LONGEST_TITLE


@pytest.mark.parametrize("boards", range(team.FEWEST_BOARDS, team.MOST_BOARDS + 1))
@pytest.mark.parametrize("rounds", [1, 2])
def test_colours_alternate_over_the_boards_and_change_in_the_second_round(boards: int, rounds: int) -> None:
    entrants = team.seated((100 + seed, seed) for seed in range(1, 2 * boards + 1))
    field = Field(Format.TEAM, entrants, rounds, rounds, teams=("Danube", "Rhine"))
    step = formats.following(field)

    assert [(pair.round, pair.board) for pair in step.pairs] == [
        (number, board) for number in range(1, rounds + 1) for board in range(1, boards + 1)
    ]
    for pair in step.pairs:
        first, second = 99 + 2 * pair.board, 100 + 2 * pair.board
        in_order = (pair.board + pair.round) % 2 == 0
        assert pair.players == ((first, second) if in_order else (second, first))
    assert formats.following(field.with_pairs(step.pairs)) == WAIT
    over = ended(field.with_pairs(step.pairs), dict.fromkeys(step.pairs, Score.DRAW))
    assert formats.following(over).is_over

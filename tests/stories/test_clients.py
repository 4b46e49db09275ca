"""A whole match from each mail program: every turn is played as intended, and no word is lost."""

import textwrap
from collections.abc import Callable
from itertools import product

import pytest
from sqlmodel import col, select

from notation import record
from notation.games import GAMES
from notation.record import Record
from pbem.cli.demo import SAMPLE
from pbem.storage.database import transaction
from pbem.storage.models import Incoming, Match, MatchState, Ply
from tests.cases import quick_where
from tests.clients import CLIENTS
from tests.correspondence import Correspondence, text
from tests.scenes import after

QUICK = ("gmail", "outlook-html-only", "apple-mail", "s-nail", "unmarked")
"""One of each kind: the quote is below, above, in HTML only, wrapped, or unmarked."""
WORDS = ["Nice to play you again.", "", "More tomorrow - I have to catch a train!"]
SAMPLE_MATCH = record.loads(SAMPLE.read_text(encoding="utf-8"))


def first_turns(letters: Correspondence) -> None:
    """Play a match until eight turns are left, without imitating a mail program."""
    letters.match(first="jx", second="bo", challenge="challenge bo quadraphages")
    for number, turn in enumerate(SAMPLE_MATCH.moves[:-8]):
        letters.reply(letters.last(("jx", "bo")[number % 2]), turn)


def beginning(letters: Correspondence) -> None:
    """Begin a match."""
    letters.match(first="jx", second="bo", challenge="challenge bo quadraphages")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("client", "begin"),
    [*product(QUICK, [first_turns]), *quick_where(lambda _: False, product(CLIENTS, [beginning]), "soak")],
)
def test_a_whole_match(client: str, begin: Callable[[Correspondence], None], letters: Correspondence) -> None:
    letters.play(begin)
    for number, turn in [*enumerate(SAMPLE_MATCH.moves)][len(letters.played) :]:
        mover, other = ("jx", "bo")[number % 2], ("bo", "jx")[number % 2]
        had = len(letters.received[f"{other}@mail.example"])
        letters.deliver(CLIENTS[client](letters.last(mover), "\n".join([turn, "", *WORDS])))
        assert len(letters.received[f"{other}@mail.example"]) == had + 1, turn
        assert _told(letters, other) == WORDS
    letters.deliver(CLIENTS[client](letters.last("bo"), "resign"))
    letters.deliver(CLIENTS[client](letters.last("bo"), "yes"))
    _is_played(letters, SAMPLE_MATCH)


@after(beginning)
@pytest.mark.parametrize(
    ("hers", "his"),
    [
        pytest.param("gmail", "s-nail", marks=pytest.mark.slow),
        pytest.param("outlook-html-only", "unmarked", marks=pytest.mark.slow),
        pytest.param("outlook", "apple-mail", marks=pytest.mark.slow),
    ],
)
def test_a_tree_of_conditions(hers: str, his: str, letters: Correspondence) -> None:
    """Two players prepare turns with programs that wrap lines: all of it is played, and one message tells each."""
    hers_, his_ = SAMPLE_MATCH.moves[:9:2], SAMPLE_MATCH.moves[1:9:2]
    prepared = f"if {his_[0]} then {hers_[1]} then if {his_[1]} then {hers_[2]}\nelse {hers_[4]}"
    wrapped = "\n".join(line for whole in prepared.split("\n") for line in textwrap.wrap(whole, 68))
    assert wrapped.count("\n") > 1
    letters.deliver(CLIENTS[hers](letters.last("jx"), f"{hers_[0]}\n{wrapped}\n\nGood luck!"))
    assert _told(letters, "bo") == ["Good luck!"]
    answer = f"{his_[0]}\nif {hers_[1]}\nthen {his_[1]} then if {hers_[2]} then\n{his_[2]}"
    sent = letters.deliver(CLIENTS[his](letters.last("bo"), answer))
    assert len(letters.played) == 6
    assert [str(mail["To"]).partition("@")[0] for mail in sent] == ["jx", "bo"]
    for mail in sent:
        assert f"bo played {his_[0]}" in text(mail) or f"You played {his_[0]}" in text(mail)
    assert "as you had prepared" in " ".join(text(letters.last("jx")).split())
    assert letters.execute("select * from prepared") == []


def _told(letters: Correspondence, name: str) -> list[str]:
    """Return the opponent's words in the newest message."""
    return [line[4:] for line in text(letters.last(name)).splitlines() if line.startswith("  |")]


def _is_played(letters: Correspondence, sample: Record) -> None:
    notation, position, turns = GAMES[sample.game].notation, GAMES[sample.game].game.position(sample.options), []
    for text_ in sample.moves:
        move = notation.parse(text_)
        turns.append(notation.format(move, position))
        position = position.play(move)
    with transaction(letters.server.engine) as session:
        assert list(session.exec(select(Ply.text).order_by(col(Ply.number)))) == turns
        match = session.exec(select(Match)).one()
        assert (match.state, match.winner) == (MatchState.OVER, 0)
        assert not [verdict for verdict in session.exec(select(Incoming.verdict)) if "refused" in (verdict or "")]

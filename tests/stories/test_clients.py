"""A whole match from each mail program: every turn is played as intended, and no word is lost."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from sqlmodel import col, select

from engines import GAMES
from notation import NOTATIONS, record
from notation.record import Record
from pbem.cli.demo import SAMPLE
from pbem.storage.database import transaction
from pbem.storage.models import Incoming, Match, MatchState, Ply
from tests.cases import quick_where
from tests.clients import CLIENTS
from tests.correspondence import Correspondence, correspondence, text

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


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("client", "begin"),
    [*product(QUICK, [first_turns]), *quick_where(lambda _: False, product(CLIENTS, [beginning]))],
)
def test_a_whole_match(client: str, begin: Callable[[Correspondence], None], tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(begin)
        played = len(letters.execute("select id from ply"))
        for number, turn in [*enumerate(SAMPLE_MATCH.moves)][played:]:
            mover, other = ("jx", "bo")[number % 2], ("bo", "jx")[number % 2]
            had = len(letters.received[f"{other}@mail.example"])
            letters.deliver(CLIENTS[client](letters.last(mover), "\n".join([turn, "", *WORDS])))
            assert len(letters.received[f"{other}@mail.example"]) == had + 1, turn
            assert _told(letters, other) == WORDS
        letters.deliver(CLIENTS[client](letters.last("bo"), "resign"))
        letters.deliver(CLIENTS[client](letters.last("bo"), "yes"))
        _is_played(letters, SAMPLE_MATCH)


def _told(letters: Correspondence, name: str) -> list[str]:
    """Return the opponent's words in the newest message."""
    return [line[4:] for line in text(letters.last(name)).splitlines() if line.startswith("  |")]


def _is_played(letters: Correspondence, sample: Record) -> None:
    notation, position, turns = NOTATIONS[sample.game], GAMES[sample.game].position(sample.options), []
    for text_ in sample.moves:
        move = notation.parse(text_)
        turns.append(notation.format(move, position))
        position = position.play(move)
    with transaction(letters.server.engine) as session:
        assert list(session.exec(select(Ply.text).order_by(col(Ply.number)))) == turns
        match = session.exec(select(Match)).one()
        assert (match.state, match.winner) == (MatchState.OVER, 0)
        assert not [verdict for verdict in session.exec(select(Incoming.verdict)) if "refused" in (verdict or "")]

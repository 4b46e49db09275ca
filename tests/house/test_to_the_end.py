"""Every game and variant against the house, from a newcomer's first message to the last board; house against house."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.core import Position
from engines.search import choose
from notation.games import GAMES
from pbem.features.house.protocol import Examination, Findings, Question, SearchAnswer, findings, respond
from pbem.server.daemon import Server
from tests.correspondence import correspondence, text
from tests.playthroughs.test_playthroughs import MATCHES

CAROL = "carol@mail.example"
LONGEST = 10_000
"""More turns than any of these matches has: the longest has 1,765, in Kvadratik without flips, and is a draw."""
APART = 600
"""How far apart the seeds of two matches are."""
ALTOGETHER = 1_000
"""How many matches the house plays against itself, in all variants together."""


class Searching:
    """A searcher that searches as the server's processes do, but in this one."""

    def search(self, question: Question) -> SearchAnswer:
        """Return what a process would."""
        return respond(question)

    def examine(self, asked: Examination) -> Findings:
        """Return what a process would."""
        return findings(asked)

    def close(self) -> None:
        """Do nothing."""


def searching(server: Server) -> Server:
    """Return the server with a house that searches."""
    return replace(server, thinker=replace(server.thinker, searcher=Searching()))


@pytest.mark.slow
@pytest.mark.sampled(1, 3)
@pytest.mark.parametrize("name", MATCHES)
def test_a_newcomer_plays_the_house_to_the_last_board(tmp_path: Path, name: str) -> None:
    game, options = MATCHES[name]
    chosen = "".join(f" {option}={choice}" for option, choice in options.items())
    with correspondence(tmp_path, altered=searching) as letters:
        letters.write(CAROL, f"play {game}{chosen} level=1")
        letters.reply(letters.last("carol"), "yes")
        while letters.execute("select to_move from match where id = 1") != [(None,)]:
            turns = tuple(str(row[0]) for row in letters.execute("select text from ply order by number"))
            assert len(turns) < LONGEST
            letters.clock.advance(minutes=1)
            letters.reply(letters.last("carol"), respond(Question(game, options, turns, 1, len(turns))).turn)
            assert letters.execute("select max(number) from ply") > [(len(turns),)]
            # It is Carol's turn again: the house has answered, or she has another turn in a row.
            assert letters.execute("select to_move from match") in ([(0,)], [(None,)])

        assert letters.execute("select state, termination from match") == [("over", "rules")]
        assert ", over]" in str(letters.last("carol")["Subject"])
        assert "The match is over" in text(letters.last("carol")) or "win" in text(letters.last("carol"))
        assert letters.operate("check").exit_code == 0


@pytest.mark.soak
@pytest.mark.parametrize("name", MATCHES)
def test_the_house_ends_every_match_against_itself(name: str) -> None:
    """The search plays by the engine alone; a thousand matches over all variants, at the two lowest levels."""
    for number in range(-(-ALTOGETHER // len(MATCHES))):
        assert plies_of(name, number) < LONGEST, number


@pytest.mark.slow
@pytest.mark.sampled(1, 3)
@pytest.mark.parametrize("name", MATCHES)
def test_the_house_ends_a_match_against_itself(name: str) -> None:
    assert plies_of(name, 0) < LONGEST


def plies_of(name: str, number: int) -> int:
    """Let the house play a match against itself. Return how many turns it had, LONGEST if it hasn't ended."""
    game, options = MATCHES[name]
    position: Position[Any] = GAMES[game].game.position(options)
    for ply in range(LONGEST):
        if position.turn is None:
            return ply
        turn = choose(position, 1 + (ply + number) % 2, number * APART + ply).turn
        written = GAMES[game].notation.format(turn, position)
        position = position.play(GAMES[game].notation.parse(written))
    return LONGEST

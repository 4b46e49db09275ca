"""Rated matches by mail."""

from tests.correspondence import Correspondence


def first_turn(letters: Correspondence) -> None:
    """Let alice and bob begin a rated match, and alice play."""
    letters.match("challenge bob quadrature rated")
    letters.reply(letters.last("alice"), "e3f4")


def two_turns(letters: Correspondence) -> None:
    """Let bob answer as well."""
    letters.play(first_turn)
    letters.reply(letters.last("bob"), "e9f8")


def over(letters: Correspondence) -> None:
    """Let bob resign then."""
    letters.play(two_turns)
    letters.resign("bob")


def rated(letters: Correspondence) -> None:
    """Let the week pass in which they played."""
    letters.play(over)
    letters.run_for(days=8)


def counted(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return which matches are rated, and which of them count."""
    return letters.rows("select rated, counted is not null from match order by id")

"""The conventions of all rules pages; the content of each page is checked in the tests of its game."""

import re
from pathlib import Path

from markdown_it import MarkdownIt

from notation.games import GAMES

RULES = Path(__file__).parents[2] / "templates" / "rules"


def lines(game: str) -> list[str]:
    """Return the lines of the page."""
    return (RULES / f"{game}.md").read_text(encoding="utf-8").splitlines()


def test_the_page_begins_with_the_title_and_who_made_the_game_when(game: str) -> None:
    title, line, designed = lines(game)[:3]

    assert line == "=" * len(title)
    assert title.startswith(GAMES[game].game.title.upper())
    assert re.fullmatch(r".+, .*[0-9].*", designed)


def test_the_page_names_every_option(game: str) -> None:
    page = "\n".join(lines(game))

    for option in GAMES[game].game.options:
        choices = option.choices[:1] if "..." in option.spelled else option.choices
        assert all(f"{option.name}={choice}" in page for choice in choices), option


def test_the_page_is_ascii_and_fits_into_a_mail(game: str) -> None:
    for line in lines(game):
        assert line.isascii()
        assert line == line.rstrip()
        assert len(line) <= 72


def test_the_page_is_markdown_whose_boards_and_examples_stand_as_they_are(game: str) -> None:
    """Markdown never takes an indented block or a line by itself for a heading, a rule or a paragraph."""
    tokens = MarkdownIt("commonmark").parse("\n".join(lines(game)))

    assert {token.tag for token in tokens if token.tag} <= {"h1", "p", "ol", "ul", "li", "code"}
    shown = "".join(token.content for token in tokens if token.type == "code_block").splitlines()
    assert [line.strip() for line in shown if line] == [line.strip() for line in lines(game) if line[:6] == " " * 6]

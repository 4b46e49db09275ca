"""A game's rules page: Markdown to HTML, with its pictures."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from markupsafe import Markup

from notation import illustrations
from notation.games import GAMES
from notation.illustrations import Illustration

if TYPE_CHECKING:
    from markdown_it.token import Token


Picture: TypeAlias = tuple[Illustration, str]  # what is shown on a page of rules, and its URL


@cache
def illustrated(game: str) -> tuple[tuple[Illustration, bytes], ...]:
    """Return the pictures of a game's rules page as PNG, drawn once in a process; none for a page without pictures."""
    from pbem.messages.boards import board_image  # Pillow and resvg, 12 MB, for a daemon that draws

    return tuple(
        (shown, board_image.png(shown.diagram, scale=board_image.PAGE_SCALE, highlight=shown.highlight))
        for shown in illustrations.of(GAMES[game])
    )


def page(markdown: str, attributes: Mapping[str, Mapping[str, str]], pictures: Sequence[Picture] = ()) -> Markup:
    r"""Return a page in Markdown as HTML, with attributes for each kind of element, and with pictures.

    >>> page("Goal\n====\nBe first.", {"p": {"style": "margin: 0"}})
    Markup('<h1>Goal</h1>\n<p style="margin: 0">Be first.</p>\n')
    """
    from markdown_it import MarkdownIt  # many modules, which a daemon needs when somebody asks for rules

    reader = MarkdownIt("commonmark", {"html": False})
    tokens = reader.parse(markdown)
    for token in tokens:
        if token.nesting >= 0:
            token.attrs |= attributes.get(token.tag, {})
        token.content = textwrap.dedent(token.content) if token.type == "code_block" else token.content
    tokens = list(_illustrated(tokens, attributes, pictures)) if pictures else tokens
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704 - it escapes what it is given


def _illustrated(
    tokens: "Sequence[Token]", attributes: Mapping[str, Mapping[str, str]], pictures: Sequence[Picture]
) -> "Iterator[Token]":
    """Yield the tokens with the pictures of each section: in place of a block of code, or at its end."""
    remaining: list[Picture] = []
    for token, heading in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and heading is not None:
            yield from (_figure(picture, attributes) for picture in remaining)
            remaining = [picture for picture in pictures if picture[0].below == heading.content]
        instead = next((picture for picture in remaining if picture[0].instead), None)
        if token.type == "code_block" and instead is not None:
            remaining.remove(instead)
            yield _figure(instead, attributes)
        else:
            yield token
    yield from (_figure(picture, attributes) for picture in remaining)


def _figure(picture: Picture, attributes: Mapping[str, Mapping[str, str]]) -> "Token":
    from markdown_it.token import Token

    def written(tag: str) -> Markup:
        return Markup().join(Markup(' {}="{}"').format(name, value) for name, value in attributes[tag].items())

    illustration, url = picture
    image = Markup('<img src="{}" width="300" alt="{}"{}>').format(url, illustration.in_words, written("img"))
    caption = Markup("<p{}>{}</p>").format(written("caption"), illustration.caption)
    return Token("html_block", "", 0, content=f"{image}\n{caption}\n")

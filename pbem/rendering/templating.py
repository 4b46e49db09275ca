"""The template environment and its filters: wrapping to 72 columns, quoting people's words, rendering Markdown."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape
from jinja2.environment import TemplateModule
from jinja2.runtime import Context
from markupsafe import Markup

from notation import illustrations
from notation.hints import format_hint, listed
from notation.illustrations import Illustration
from pbem.payloads.templates import templates_folder
from pbem.rendering.boards import board_image, palette

if TYPE_CHECKING:
    from markdown_it.token import Token

WIDTH = 72
SHOWN_TURNS = 10
"""How many of the last turns a message lists; "record" has them all."""
FIRST_COMMANDS = frozenset(
    {
        "join",
        "play",
        "challenge",
        "accept",
        "decline",
        "seeks",
        "take",
        "move",
        "resign",
        "draw",
        "say",
        "games",
        "show",
    }
    | {"record", "tournaments", "enter", "watch", "help", "rules", "set", "vacation", "stop", "delete"}
)
"""The commands that "help" explains to somebody who hasn't joined: an answer to a stranger is short."""
SHOWN_BOARDS, LISTED_MATCHES = 3, 25
"""How many matches of a digest have their boards, and how many are listed; "show" and "games" have the others."""


class _WithSharedGlobals(Template):
    """A template whose macros are the same for all that import it, since all of ours have the same globals."""

    def _get_default_module(self, _context: Context | None = None) -> TemplateModule:
        """Return the macros; jinja would compare the globals of both templates at each import."""
        return super()._get_default_module()


@cache
def templates() -> Environment:
    """Return the environment, made once per process; in HTML templates names and messages are escaped."""
    environment = Environment(
        loader=FileSystemLoader(templates_folder()),
        autoescape=select_autoescape(("html.j2",), default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.template_class = _WithSharedGlobals
    environment.globals |= palette.CSS
    environment.globals |= {
        "FIRST_COMMANDS": FIRST_COMMANDS,
        "SHOWN_TURNS": SHOWN_TURNS,
        "SHOWN_BOARDS": SHOWN_BOARDS,
        "LISTED_MATCHES": LISTED_MATCHES,
    }
    environment.filters |= {
        "quoted": quoted,
        "sentence": sentence,
        "printable": printable,
        "as_text": format_hint,
        "listed": listed_lines,
        "page": page,
    }
    return environment


def printable(line: str) -> str:
    """Return the line with control characters, which could reverse or hide text, replaced by spaces.

    >>> printable("move" + chr(0x202E) + "evom")
    'move evom'
    """
    return "".join(c if c.isprintable() else " " for c in line)


def quoted(lines: Any) -> str:
    """Return a person's words, wrapped and marked so that they can't be mistaken for ours.

    >>> print(quoted(["Good luck!"]))
      | Good luck!
    """
    clean = (printable(line) for line in lines)
    return "\n".join(f"  | {piece}".rstrip() for line in clean for piece in (textwrap.wrap(line, WIDTH - 6) or [""]))


def sentence(text: str) -> str:
    """Return the text with an initial capital, unless it begins with a square.

    >>> sentence("no stone stands on g7"), sentence("b1 can go to e1")
    ('No stone stands on g7', 'b1 can go to e1')
    """
    return text[:1].upper() + text[1:] if text.split(maxsplit=1)[0].isalpha() else text


def listed_lines(texts: Iterable[str]) -> str:
    """Return texts of ours as a list with a line or more for each, none of which can be read as a turn.

    >>> print(listed_lines(["alice: e3f4", "bob: e9e8"]))
    * alice: e3f4
    * bob: e9e8
    """
    return "\n".join(line for text in texts for line in listed([text]))


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture on a page: the heading above it, its URL, what it shows, and the same for those who can't see it."""

    below: str
    url: str
    caption: str
    in_words: str
    instead: bool
    """Whether it takes the place of a board that the page draws with letters."""


@cache
def illustrated(game: str) -> tuple[tuple[Illustration, bytes], ...]:
    """Return the pictures of a game's rules page as PNG, drawn once in a process; none for a page without pictures."""
    source = templates_folder() / "rules" / f"{game}.toml"
    found = illustrations.loads(game, source.read_text(encoding="utf-8")) if source.is_file() else ()
    return tuple(
        (shown, board_image.png(shown.diagram, scale=board_image.PAGE_SCALE, highlight=shown.highlight))
        for shown in found
    )


def page(markdown: str, attributes: Mapping[str, Mapping[str, str]], pictures: Sequence[PagePicture] = ()) -> Markup:
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
    tokens: "Sequence[Token]", attributes: Mapping[str, Mapping[str, str]], pictures: Sequence[PagePicture]
) -> "Iterator[Token]":
    """Yield the tokens of a page, with pictures in place of boards, and the others at the end of their sections."""
    left: list[PagePicture] = []
    for token, heading in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and heading is not None:
            yield from (_shown(picture, attributes) for picture in left)
            left = [picture for picture in pictures if picture.below == heading.content]
        instead = next((picture for picture in left if picture.instead), None)
        if token.type == "code_block" and instead is not None:
            left.remove(instead)
            yield _shown(instead, attributes)
        else:
            yield token
    yield from (_shown(picture, attributes) for picture in left)


def _shown(picture: PagePicture, attributes: Mapping[str, Mapping[str, str]]) -> "Token":
    """Return the picture with its caption as a piece of HTML."""
    image = Markup('<img src="{}" width="300" alt="{}"{}>').format(
        picture.url, picture.in_words, _written(attributes["img"])
    )
    caption = Markup("<p{}>{}</p>").format(_written(attributes["caption"]), picture.caption)
    from markdown_it.token import Token

    return Token("html_block", "", 0, content=f"{image}\n{caption}\n")


def _written(attributes: Mapping[str, str]) -> Markup:
    """Return attributes as they stand in a tag."""
    return Markup().join(Markup(' {}="{}"').format(name, value) for name, value in attributes.items())


def fitted(text: str) -> str:
    """Return the text with lines of at most 72 columns, wrapped under their own indentation."""
    return "".join(f"{piece}\n" for line in text.strip("\n").split("\n") for piece in _wrapped(line.rstrip()))


def _wrapped(line: str) -> Sequence[str]:
    """Return the line, wrapped under its own indentation if it is too long."""
    return (line,) if len(line) <= WIDTH else _pieces(line)


@lru_cache(maxsize=512)
def _pieces(line: str) -> Sequence[str]:
    """Return a line that is too long as several. Remembered: most of them are sent to many readers."""
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line, WIDTH, initial_indent="", subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def tightened(html: str) -> str:
    r"""Return the HTML in ASCII, without indentation and empty lines outside <pre>.

    >>> tightened(" <p>caf" + chr(0xE9) + "</p> <pre>a")
    '<p>caf&#233;</p> <pre>a\n'
    """
    return "".join(f"{line}\n" for line in _stripped(html.splitlines())).encode("ascii", "xmlcharrefreplace").decode()


def _stripped(lines: Iterable[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        bare = line.rstrip() if inside else line.strip()
        if inside or bare:
            yield bare
        inside = bare.rfind("<pre") > bare.rfind("</pre>") or (inside and "</pre>" not in bare)

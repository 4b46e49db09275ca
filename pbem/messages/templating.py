"""The template environment and its filters: wrapping to 72 columns, quoting people's words, tables in text."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from notation import time_control
from notation.games import GAMES
from notation.hints import format_hint, listed
from notation.time_control import in_words, parse
from pbem.messages import palette
from pbem.messages.rules_page import page
from pbem.messages.template_files import template_folders

WIDTH = 72
SHOWN_TURNS = 10  # how many of the last turns a message lists; "record" has them all
FIRST_COMMANDS = frozenset(
    {"join", "play", "challenge", "accept", "decline", "seeks", "take", "move", "resign", "draw", "say", "games"}
    | {"show", "record", "tournaments", "enter", "watch", "help", "rules", "set", "vacation", "stop", "delete"}
)
"""The commands that "help" explains to somebody who hasn't joined: an answer to a stranger is short."""
TEXT, HTML = "txt", "html"  # the faces of a message. Each has a library of shapes; the templates are the same for both.


def _rules_of(game: str, language: str | None) -> str:
    if game not in GAMES:
        return "This server doesn't have that game at present, and so not its rules."
    return GAMES[game].translations[language] if language else GAMES[game].page


@cache
def templates(face: str) -> Environment:
    """Return the environment of a face, made once per process; in HTML, names and messages are escaped."""
    is_html = face == HTML
    environment = Environment(
        loader=FileSystemLoader(template_folders()),
        autoescape=select_autoescape((), default=is_html, default_for_string=is_html),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.globals |= palette.CSS
    environment.globals |= {
        "EXAMPLE_NAME": "anna",  # as a newcomer could choose it
        "FIRST_COMMANDS": FIRST_COMMANDS,
        "SHOWN_TURNS": SHOWN_TURNS,
        "SHOWN_BOARDS": 3,  # in a digest; "show" and "games" have the others
        "LISTED_MATCHES": 25,
        "NO_BOARD": "The board can't be shown while the game isn't there.",
        "GAMES": GAMES,
        "rules_of": _rules_of,
    }
    environment.filters |= {
        "as_text": format_hint,
        "columns": columns,
        "in_rows": in_rows,
        "listed": listed_lines,
        "page": page,
        "printable": printable,
        "quoted": quoted,
        "sentence": sentence,
        "per_turn_instead": per_turn_instead,
        "time_in_words": time_in_words,
        "unbroken": in_whole_words if is_html else unbroken,
        "wrapped": wrapped,
    }
    environment.globals["shapes"] = environment.get_template(f"parts/shapes.{face}.j2").module
    return environment


def text_of(template: str, variables: Mapping[str, Any]) -> str:
    """Return the text of a template: its blocks with one empty line between them."""
    text, stop = templates(TEXT), variables.get("stop")
    shapes: Any = text.globals["shapes"]
    return tidied(text.get_template(template).render(variables) + (shapes.foot(stop) if stop else ""))


def html_of(template: str, variables: Mapping[str, Any], title: str) -> str:
    html = templates(HTML)
    first, end, others = html.get_template(template).render(variables).partition("</h1>")
    others = others.replace("<h1 ", "<h2 ").replace("</h1>", "</h2>")  # a page has one headline
    body = Markup(first + end + others)  # noqa: S704 - templates escape what they are given
    frame: Any = html.get_template("parts/page.html.j2").module
    return tightened(str(frame.page(title, body, variables.get("stop"))))


def printable(line: str) -> str:
    """Return the line with control characters, which could reverse or hide text, replaced by spaces."""
    return "".join(c if c.isprintable() else " " for c in line)


def quoted(lines: Any) -> str:
    """Return a person's words, wrapped and marked so that they can't be mistaken for ours."""
    clean = (printable(line) for line in lines)
    return "\n".join(f"  | {piece}".rstrip() for line in clean for piece in (textwrap.wrap(line, WIDTH - 6) or [""]))


def sentence(text: str) -> str:
    """Return the text with an initial capital, unless it begins with a square.

    >>> sentence("no stone stands on g7"), sentence("b1 can go to e1")
    ('No stone stands on g7', 'b1 can go to e1')
    """
    return text[:1].upper() + text[1:] if text.split(maxsplit=1)[0].isalpha() else text


def time_in_words(written: str) -> str:
    return in_words(parse(written)) if written[:1].isdigit() else written


def per_turn_instead(written: str) -> str:
    return time_control.per_turn_instead(parse(written)) if written[:1].isdigit() else ""


def listed_lines(texts: Iterable[str]) -> str:
    """Return texts of ours as a list with a line or more for each, none of which can be read as a turn."""
    return "\n".join(line for text in texts for line in listed([text]))


def in_rows(links: Iterable[Any]) -> list[list[Any]]:
    """Return the links in rows that are no broader than a phone, or have one link."""
    rows: list[list[Any]] = []
    room = 0
    for link in links:
        room -= len(link.label) + 4  # the last are a button's margins
        if room < 0:
            rows.append([])
            room = 34 - len(link.label)
        rows[-1].append(link)
    return rows


_BLANK = "\N{NO-BREAK SPACE}"
_QUOTED = re.compile(r'(?:[^\s"]+ )?[^\s"]*"[^"\n]{1,50}"')
"""Something to write and the word before it, with which it stays in one line: a line that begins with a command and is
quoted without a mark could be taken for the person's own."""


def unbroken(text: str) -> str:
    """Return a turn, which is never broken between two lines unless it is longer than one."""
    return text.replace(" ", _BLANK) if len(text) <= WIDTH // 2 else text


def in_whole_words(text: str) -> Markup:
    """Return a turn for HTML, which is broken between its words only, and not behind a hyphen.

    >>> in_whole_words("c1c9 ---- 1")
    Markup('c1c9 <span style="white-space: nowrap;">----</span> 1')
    """
    words = str(escape(text)).split()
    spans = (f'<span style="white-space: nowrap;">{word}</span>' if "-" in word else word for word in words)
    return Markup(" ".join(spans))  # noqa: S704 - escaped


def wrapped(text: str, indent: int = 0) -> str:
    """Return sentences in lines of at most 72 columns.

    What stands in quotation marks is something to write, so it stays in one line, behind another word.

    >>> print(wrapped('You can see whether your opponent is still thinking about it with "show 4711".'))
    You can see whether your opponent is still thinking about it
    with "show 4711".
    """
    text = re.sub(r"[ \n]+", " ", text).strip()
    text = re.sub(r" (\S{1,4})$", rf"{_BLANK}\1", text)  # no short word stands alone in the last line
    margin = " " * indent
    lines = textwrap.wrap(
        _QUOTED.sub(lambda match: match[0].replace(" ", _BLANK), text),
        WIDTH,
        initial_indent=margin,
        subsequent_indent=margin + "  " * text.startswith(("* ", "- ")),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_BLANK, " ")


def columns(table: str) -> str:
    r"""Return rows, whose cells are separated by tabs, in columns; what doesn't fit stands below its row.

    Each begins with a mark, so that it can't act; a row that has one for its HTML gets no second one.

    >>> print(columns("#3\tQuadrature\tyour turn\n#12\tKvadratik\tover\n"))
    * #3   Quadrature  your turn
    * #12  Kvadratik   over
    """
    rows = [line.removeprefix("-\u00a0").split("\t") for line in table.splitlines() if line.strip()]
    widths = [max(map(len, cells)) for cells in zip_longest(*rows, fillvalue="")]
    return "\n".join(line for row in rows for line in _row(row, widths))


def _row(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a row: as many cells as fit, and the others below them."""
    line, left = "*", list(cells)
    while left:
        shown = left[0] if len(left) == 1 else left[0].ljust(widths[len(cells) - len(left)] + 1)
        if len(line) + 1 + len(shown.rstrip()) > WIDTH and line != "*":
            break
        line, left = f"{line} {shown}", left[1:]
    yield line.rstrip()
    yield from (wrapped(cell, 4) for cell in left if cell)


def tidied(text: str) -> str:
    r"""Return the text of a message without trailing blanks, and with one empty line where there are several.

    >>> tidied("\n\nHello!  \n\n\nYour turn.")
    'Hello!\n\nYour turn.\n'
    """
    lines = []
    for line in map(str.rstrip, text.split("\n")):
        if len(line) > WIDTH:  # no block has wrapped it, such as one of a page
            indent = line[: len(line) - len(line.lstrip())]
            line = textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        lines.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def tightened(html: str) -> str:
    r"""Return the HTML in ASCII, without indentation and empty lines outside <pre>.

    >>> tightened(" <p>caf" + chr(0xE9) + "</p> <pre>a")
    '<p>caf&#233;</p> <pre>a\n'
    """
    lines, inside = [], False
    for line in html.splitlines():
        bare = line.rstrip() if inside else line.strip()
        if inside or bare:
            lines.append(f"{bare}\n")
        if inside or "<pre" in bare:
            inside = bare.rfind("<pre") > bare.rfind("</pre>") or (inside and "</pre>" not in bare)
    return "".join(lines).encode("ascii", "xmlcharrefreplace").decode()

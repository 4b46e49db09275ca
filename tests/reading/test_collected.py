"""What mail programs write around a reply, collected from their translations and from other parsers' tests.

Each was labelled before any code was run on it: what a program announces a quote with, or adds below the words, and
what a person could have written that looks like it. `PBeM <games@pbem.example>` stands for us.
"""

import html
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.config import ServerSettings
from pbem.mail.reading.text import reply_text
from pbem.mail.reading.text.kept_and_cut_lines import WrittenText
from pbem.messages import render
from tests.cases import quick_where

PHRASES = Path(__file__).parent.parent / "phrases"
OURS = render.ours(ServerSettings(address="games@pbem.example"))
TURN, PERSON = "1 a7b7 i3i2", "anna@mail.example"
WORDS = "Good luck!"
QUOTE = "On Mon, 2 Mar 2026 at 09:59, PBeM <games@pbem.example> wrote:\n> alice played"
HTML = quick_where(lambda is_html: is_html, [False, True])


def collected(name: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a file: whether a program or a person wrote it, and its text."""
    text = PHRASES.joinpath(f"collected_{name}.txt").read_text(encoding="utf-8")
    for block in text.removesuffix("%\n").split("\n%\n"):
        label, _, body = block.strip("\n").partition("\n")
        yield label.removeprefix("# ").partition(":")[0], body


ANNOUNCEMENTS = [text for label, text in collected("announcements") if label == "quote"]
LOOK_LIKE_ANNOUNCEMENTS = [text for label, text in collected("announcements") if label == "words"]
TAGLINES = [text for label, text in collected("taglines") if label == "tagline"]
LOOK_LIKE_TAGLINES = [text for label, text in collected("taglines") if label == "words"]


def read(text: str, *, is_html: bool) -> WrittenText:
    page = "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in text.split("\n")) if is_html else text
    return reply_text.read(page, is_html, PERSON, OURS)


def sure(written: WrittenText) -> tuple[str, ...]:
    return written.lines[: written.sure]


def shown(written: WrittenText) -> list[str]:
    return lines("\n".join(written.lines))


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("is_html", HTML)
@pytest.mark.parametrize(
    "above", [f"{TURN}\n\n{WORDS}", *(pytest.param(w, marks=pytest.mark.slow) for w in (WORDS, f"{WORDS}\nBye, Anna"))]
)
def test_no_turn_below_an_announcement_is_played(above: str, is_html: bool) -> None:
    for announcement in ANNOUNCEMENTS:
        found = sure(read(f"{above}\n\n{announcement}\n\n2 b7b6 i2i1\n\nalice played\n", is_html=is_html))
        assert "2 b7b6 i2i1" not in found, announcement
        assert found[: len(lines(above))] != (), announcement
        assert (TURN in found) == (TURN in above), announcement


@pytest.mark.parametrize("is_html", HTML)
def test_nearly_no_announcement_goes_to_the_opponent(is_html: bool) -> None:
    texts = (f"{WORDS}\n\n{announcement}\n\n> alice played" for announcement in ANNOUNCEMENTS)
    leaks = [kept for text in texts if (kept := shown(read(text, is_html=is_html))) != [WORDS]]

    assert len(leaks) <= 4, leaks  # of 529


@pytest.mark.parametrize("is_html", HTML)
def test_a_sentence_that_looks_like_an_announcement_stays_and_so_does_what_is_below(is_html: bool) -> None:
    asked = 0
    for words in LOOK_LIKE_ANNOUNCEMENTS:
        written = read(f"Hi\n\n{words}\n\n{TURN}\n", is_html=is_html)
        assert shown(written) == ["Hi", *lines(words), TURN]
        asked += TURN not in sure(written)

    assert asked <= 6  # of 128


@pytest.mark.parametrize("is_html", HTML)
def test_few_taglines_go_to_the_opponent(is_html: bool) -> None:
    texts = (f"{TURN}\n\n{WORDS}\n\n{tagline}\n\n{QUOTE}" for tagline in TAGLINES)
    leaks = [kept for text in texts if (kept := shown(read(text, is_html=is_html))) != [TURN, WORDS]]

    assert len(leaks) <= 16, leaks  # of 420


@pytest.mark.parametrize("is_html", HTML)
def test_a_sentence_that_looks_like_a_tagline_stays(is_html: bool) -> None:
    for words in LOOK_LIKE_TAGLINES:
        written = read(f"{TURN}\n\n{WORDS}\n\n{words}\n\n{QUOTE}", is_html=is_html)

        assert shown(written) == [TURN, WORDS, *lines(words)]

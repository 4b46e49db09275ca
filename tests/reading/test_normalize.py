"""The characters that phones and input methods produce: plain for commands, as written for people."""

import pytest

from notation.games import GAMES
from notation.phages import QUADRAPHAGES
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.text import normalize


def read(*lines: str) -> ParsedMessage:
    return Reader(FEATURES.commands, lambda number: GAMES["quadraphages"], 1).read("", lines)


@pytest.mark.parametrize(
    "typed",
    [
        "C1B1 G9H9 3.",
        "c1\u2013b1 g9\u2014h9 3",
        "c1 b1 g9 h9 3",
        "\uff43\uff11\uff42\uff11\u3000\uff47\uff19\uff48\uff19\u3000\uff13",
        "c1b1 g9h9 \uff13\u3002",
        "c1b1, g9h9\uff0c 3",
        "c\u0661b\u0661 g\u0669h\u0669 \u0663",
        "\U0001d41c\U0001d7cf\U0001d41b\U0001d7cf g9h9 3",
    ],
)
def test_a_turn_is_read_in_any_characters_that_a_phone_produces(typed: str) -> None:
    (line,) = read(normalize.clean(typed)).commands

    assert line.command.name == "move"
    assert QUADRAPHAGES.parse(line.words) == QUADRAPHAGES.parse("c1b1 g9h9 3")


def test_words_to_be_passed_on_stay_as_they_were_written() -> None:
    (line,) = read("Say \u201cWell\u201d \u2013 it\u2019s \uff21\u2026").commands

    assert line.command.name == "say"
    assert line.words == "\u201cWell\u201d \u2013 it\u2019s \uff21\u2026"
    assert line.text == "Say \u201cWell\u201d \u2013 it\u2019s \uff21\u2026"


def test_to_ascii_keeps_the_length_and_clean_removes_invisible_characters() -> None:
    text = "".join(map(chr, range(0x20000)))

    assert len(normalize.to_ascii(text)) == len(text)
    assert not set(normalize.clean(text)) & set("\u200b\ufeff\u00ad\u00a0\r\u202e\x00")

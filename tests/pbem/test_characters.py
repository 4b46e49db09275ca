"""Characters that phones and input methods make of what is typed: plain for commands, as written for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.phages import QUADRAPHAGES
from pbem.commands import COMMANDS
from pbem.commands.syntax.mail import Reader, Reading
from pbem.reading.text import normalize


def read(*lines: str) -> Reading:
    return Reader(COMMANDS, lambda number: "quadraphages", 1).read("", lines)


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
def test_a_turn_is_read_whatever_a_phone_made_of_it(typed: str) -> None:
    (line,) = read(normalize.clean(typed)).commands

    assert line.command.name == "move"
    assert QUADRAPHAGES.parse(line.words) == QUADRAPHAGES.parse("c1b1 g9h9 3")


def test_words_to_be_passed_on_stay_as_written() -> None:
    (line,) = read("Say \u201cWell\u201d \u2013 it\u2019s \uff21\u2026").commands

    assert line.command.name == "say"
    assert line.words == "\u201cWell\u201d \u2013 it\u2019s \uff21\u2026"
    assert line.text == "Say \u201cWell\u201d \u2013 it\u2019s \uff21\u2026"


@given(st.text(max_size=300))
def test_smoothed_text_has_the_same_length_and_tidied_text_nothing_unseen(text: str) -> None:
    assert len(normalize.to_ascii(text)) == len(text)
    assert not set(normalize.clean(text)) & set("\u200b\ufeff\u00ad\u00a0\r\u202e\x00")

"""How much computation a message can cause, counted in calls, which are the same on any machine."""

import pytest

from pbem.mail.reading.text import reply_text
from pbem.mail.reading.text.attributions import MOST_CANDIDATES, AttributionFinder
from tests.effort import calls
from tests.hostile import filled

SIZE = 1_000
MOST_CALLS_FOR_A_BYTE = 250
"""Three times the cost of a text of one-letter lines."""
MOST_CALLS_FOR_CANDIDATES = 750_000
"""The maximum cost of all candidates for attributions in a message of any length."""

WORDS = ("On wrote: ", "wrote:", "<a@b.example>:", "12:30 ", "From: a", "---", "On 2 Mar 2026 ", "Sent from my ")
PATTERNS = ("{0}\n", "{0}{0}{0}{0}{0}{0}{0}{0}\n", "a: {0}\n--\n")


@pytest.mark.parametrize("word", WORDS)
def test_no_text_costs_more_than_its_length_allows(word: str) -> None:
    for pattern in PATTERNS:
        text = filled(pattern.format(word).encode(), SIZE).decode()
        assert (
            calls(lambda text=text: reply_text.read(text)) < MOST_CALLS_FOR_A_BYTE * SIZE + MOST_CALLS_FOR_CANDIDATES
        ), pattern


@pytest.mark.parametrize(
    "line", ["On wrote: " * 8, "wrote:", "On Mon, 2 Mar 2026, bob wrote: x" * 3, "<a@b.example>: " * 9]
)
def test_the_attributions_examined_in_a_message_are_bounded(line: str) -> None:
    page = [line] * 5_000
    finder = AttributionFinder(page)
    for number in range(len(page)):
        finder.attribution_at(number)
    assert MOST_CANDIDATES <= finder.candidates < MOST_CANDIDATES + 200  # the last line is finished

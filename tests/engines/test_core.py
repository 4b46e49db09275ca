"""Where illegal moves locate the wrong word, which options there are, and how seats and histories behave."""

import pickle

import pytest

from engines.core import IllegalMove, Over
from engines.repetition import History


@pytest.mark.parametrize(
    ("text", "token", "late", "span"),
    [
        ("a3b3 ---- 3", "3", False, (10, 11)),
        ("a7b7 i3i2 3 a7b7 i2f2", "a7b7", False, (0, 4)),
        ("a7b7 i3i2 3 a7b7 i2f2", "a7b7", True, (12, 16)),
        ("a7b7 i3i2 3", "4", False, None),
        ("a7b7 i3i2 3", "", False, None),
    ],
)
def test_the_wrong_word_is_found_as_a_whole_word(
    text: str, token: str, late: bool, span: tuple[int, int] | None
) -> None:
    refusal = IllegalMove(Over.GAME_OVER, outcome="", token=token, late=late)

    assert refusal.span_in(text) == span


def test_a_history_counts_every_occurrence_and_leaves_the_old_one_as_it_was() -> None:
    empty: History[int] = History()
    history, counts = empty, dict.fromkeys(range(7), 0)
    for number in range(100):
        key = number * number % 7
        counts[key] += 1
        before, history = history, history.with_(key)
        assert before.count(key) == counts[key] - 1

    assert {key: history.count(key) for key in counts} == counts
    assert (len(history), len(empty), empty.count(0)) == (100, 0, 0)
    assert history == History.of(number * number % 7 for number in range(100))
    assert hash(history) == hash(History.of(number * number % 7 for number in reversed(range(100))))
    assert pickle.loads(pickle.dumps(history)) == history != empty
    assert repr(history) == "<History of 100 positions>"

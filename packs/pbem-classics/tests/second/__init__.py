"""The games once more, plainly and from their rules: nothing here knows OpenSpiel, or our engine."""

from collections.abc import Callable, Mapping

from .breakthrough import Breakthrough
from .connectfour import ConnectFour
from .othello import Othello
from .source import Source

SOURCES: Mapping[str, Callable[[Mapping[str, str]], Source]] = {
    "breakthrough": Breakthrough.start,
    "connectfour": ConnectFour.start,
    "othello": Othello.start,
}
"""The second source of each game."""

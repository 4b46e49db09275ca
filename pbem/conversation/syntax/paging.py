"""Pages of long lists: the number of one in a line, and how to ask for the next."""

from collections.abc import Sequence

SIZE = 25
"""How many lines a page has."""
LAST = 400


def numbered(words: Sequence[str]) -> tuple[int, list[str]]:
    """Return the number of the page among the words, and the other words.

    >>> numbered(["quadrature", "2"]), numbered([]), numbered(["0"])
    ((2, ['quadrature']), (1, []), (1, []))
    """
    numbers = [word for word in words if word.isascii() and word.isdecimal()]
    page = int(numbers[0][:9]) if numbers else 1
    return min(max(page, 1), LAST), [word for word in words if word not in numbers]


def following(command: str, words: Sequence[str], page: int, *, more: bool) -> str | None:
    """Return how to ask for the page after this one, if there is one.

    >>> following("seeks", ["quadrature"], 1, more=True)
    'seeks quadrature 2'
    """
    return " ".join((command, *words, str(page + 1))) if more and page < LAST else None

"""Cases that every run looks at, and those that only the long one does."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

SEEDS = int(os.environ.get("PBEM_TEST_SEEDS", "1"))
"""How often what goes by chance is tried at length: `make soak` asks for more than `make test-all`."""


def quick_where(is_quick: Callable[[Any], bool], cases: Iterable[Any]) -> list[Any]:
    """Mark as slow those of the cases that `make test` leaves to `make test-all`; an id is what it would be."""
    return [case if is_quick(case) else _slow(case) for case in cases]


def _slow(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)

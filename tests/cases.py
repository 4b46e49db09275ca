"""The division of test cases into those of every run and those of the long run."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

SEEDS = int(os.environ.get("PBEM_TEST_SEEDS", "1"))
"""The number of seeds for slow randomised tests: `make soak` uses more than `make test-all`."""

MANY = 30 if SEEDS > 1 else 10
"""How often a daemon is killed or stopped at random in each of these."""


def quick_where(is_quick: Callable[[Any], bool], cases: Iterable[Any], others: str = "slow") -> list[Any]:
    """Return the cases with those that aren't quick marked slow (`make test-all`) or soak; their ids stay."""
    return [case if is_quick(case) else _marked(case, others) for case in cases]


def _marked(case: Any, mark: str) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=getattr(pytest.mark, mark))

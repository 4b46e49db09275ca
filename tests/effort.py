"""The effort of a computation, measured independently of the machine."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(compute: Callable[[], object]) -> int:
    """Return how many functions are called meanwhile, including those of the interpreter."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        compute()
    finally:
        sys.setprofile(before)
    return count

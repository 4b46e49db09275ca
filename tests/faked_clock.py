"""A replacement for `time.sleep` under libfaketime, which breaks the system call that Python uses for it."""

import os
import select
import time


def mend() -> None:
    """Replace `time.sleep` in this process if its clock is faked."""
    if os.environ.get("FAKETIME"):
        time.sleep = _sleep


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)

"""Let Python sleep where libfaketime tells another time: it spoils the one system call by which `time.sleep` does."""

import os
import select
import time


def mend() -> None:
    """Sleep by another system call in this process, if its clock is faked."""
    if os.environ.get("FAKETIME"):
        time.sleep = _sleep


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)

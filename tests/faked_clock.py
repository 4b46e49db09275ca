"""A replacement for `time.sleep` under libfaketime, which breaks the system call that Python uses for it."""

import os
import select
import time

IS_FAKED = bool(os.environ.get("FAKETIME"))
"""Whether this process is told another time than PostgreSQL and Dovecot are (see .ci/at)."""


def mend() -> None:
    """Replace `time.sleep` in this process if its clock is faked."""
    if IS_FAKED:
        time.sleep = _sleep


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)

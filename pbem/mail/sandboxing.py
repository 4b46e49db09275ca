"""What processes of ours that may be killed at any time have in common: environment, memory, who minds Ctrl-C."""

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pbem

KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "PYTHONHOME", "TZ")
"""The environment variables that such a process gets; the others may hold passwords."""
MOST_FILES = 32
MEGABYTE = 1 << 20
MEMORY = Path("/proc/self/statm")


def environment() -> dict[str, str]:
    """Return the environment of such a process: where Python and pbem are, and nothing else."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return kept | {"PYTHONPATH": str(Path(pbem.__file__).parent.parent)}


def limit_resources(megabytes: int) -> None:
    """Allow this process only that much memory beyond what it uses now, few open files, and no core dump."""
    if MEMORY.exists():  # a system without it doesn't enforce the limit either
        pages = int(MEMORY.read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + megabytes * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES, MOST_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Let processes that start meanwhile never notice Ctrl-C, which a terminal sends to all; this one does later."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

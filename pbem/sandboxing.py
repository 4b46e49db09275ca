"""What processes of ours that may be killed at any time have in common: their environment, and little memory."""

import os
import resource
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

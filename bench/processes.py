"""What a process and all that it started have cost so far, as Linux counts it."""

import os
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def cpu_seconds(root: int) -> float:
    """Return the CPU time, user's and system's, of a process and its descendants, with those that have ended."""
    return sum(map(_ticks, _family(root))) / TICKS_A_SECOND


def cpu_milliseconds(root: int) -> float:
    """Return the same of a process and its living descendants, as exactly as the scheduler knows it."""
    found = 0
    for each in _family(root):
        for thread in Path(f"/proc/{each}/task").glob("*/schedstat"):
            with suppress(OSError):  # it has ended
                found += int(thread.read_text(encoding="ascii").split()[0])
    return found / 1e6


def memory(root: int) -> float:
    """Return the memory in MB that a process and its descendants share or have for themselves now (PSS)."""
    return sum(each_memory(root))


def each_memory(root: int) -> list[float]:
    """Return that for each of them, the process itself first."""
    return [_kilobytes(pid, "smaps_rollup", "Pss:") / 1024 for pid in _family(root)]


def _family(root: int) -> list[int]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(folder.name))
        if fields:
            children[int(fields[1])].append(int(folder.name))
    found = [root]
    for pid in found:  # it grows while it is walked
        found += children[pid]
    return found


def _ticks(pid: int) -> int:
    return sum(map(int, _fields(pid)[11:15]))


def _fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the third on; none if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _kilobytes(pid: int, name: str, field: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)

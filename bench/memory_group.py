"""A group of processes with limited memory, as systemd makes it for MemoryMax: a cgroup of version 1 or 2."""

import contextlib
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

MEMBERSHIP = Path("/proc/self/cgroup")
MOUNTS = Path("/proc/self/mounts")
REMOVAL_SECONDS = 10.0


class Unavailable(Exception):
    """No group can be made here, and why."""


@dataclass(frozen=True, slots=True)
class MemoryGroup:
    """A group and its files."""

    path: Path
    is_unified: bool
    """Whether it is of version 2."""

    def command(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs those words inside the group."""
        members = shlex.quote(str(self.path / "cgroup.procs"))
        return ["sh", "-c", f"echo $$ > {members} && exec {shlex.join(words)}"]

    def peak(self) -> int:
        """Return the maximum of bytes in use, with cached files, which the kernel drops when it needs room."""
        return int(self._read("memory.peak" if self.is_unified else "memory.max_usage_in_bytes") or 0)

    def anonymous(self) -> int:
        """Return the bytes in use now, without cached files."""
        return self._fields("memory.stat").get("anon" if self.is_unified else "total_rss", 0)

    def kills(self) -> int:
        """Return how many processes the kernel killed because the group needed more memory."""
        return self._fields("memory.events" if self.is_unified else "memory.oom_control").get("oom_kill", 0)

    def limit(self, most: int) -> None:
        """Limit the memory; raises OSError if that isn't allowed."""
        names = ("memory.max",) if self.is_unified else ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        for number, name in enumerate(names):
            with contextlib.suppress(OSError) if number else contextlib.nullcontext():  # not every kernel counts swap
                (self.path / name).write_text(str(most), encoding="ascii")

    def remove(self) -> None:
        """Remove it, once the last process in it is gone."""
        until = time.monotonic() + REMOVAL_SECONDS
        while self.path.exists() and time.monotonic() < until:
            with contextlib.suppress(OSError):
                self.path.rmdir()
            time.sleep(0.05)

    def _fields(self, name: str) -> dict[str, int]:
        pairs = (line.split() for line in self._read(name).splitlines())
        return {words[0]: int(words[1]) for words in pairs if len(words) == 2}

    def _read(self, name: str) -> str:
        with contextlib.suppress(OSError):
            return (self.path / name).read_text(encoding="ascii")
        return ""


@contextlib.contextmanager
def memory_group(most: int) -> Iterator[MemoryGroup]:
    """Provide a group that may use that many bytes, below the one of this process or beside it. Raises Unavailable."""
    mine, is_unified = _own_group()
    problem = "the memory controller isn't mounted"
    for parent in (mine, mine.parent):
        group = MemoryGroup(parent / f"siege-{os.getpid()}", is_unified)
        try:
            group.path.mkdir()
        except OSError as error:
            problem = f"{parent} can't be written to ({error.strerror})"
            continue
        try:
            group.limit(most)
        except OSError as error:
            problem = f"{parent} doesn't let groups below it have limits ({error.strerror})"
            group.remove()
            continue
        try:
            yield group
        finally:
            group.remove()
        return
    raise Unavailable(problem)


def _own_group() -> tuple[Path, bool]:
    """Return the folder of the group in which this process is, and whether it is of version 2. Raises Unavailable."""
    mounts = [line.split() for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    groups = [line.split(":", 2) for line in MEMBERSHIP.read_text(encoding="utf-8").splitlines()]
    for _, controllers, path in groups:
        for mount in mounts:
            if mount[2] == "cgroup" and "memory" in controllers.split(",") and "memory" in mount[3].split(","):
                return Path(mount[1]) / path.lstrip("/"), False
    for _, controllers, path in groups:
        for mount in mounts:
            if mount[2] == "cgroup2" and not controllers:
                return Path(mount[1]) / path.lstrip("/"), True
    raise Unavailable("no cgroups are mounted")

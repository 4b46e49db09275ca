"""A message is acknowledged only after it is synced to disk, as the daemon's system calls show."""

import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.reliability.conftest import Stage
from tests.reliability.processes import Process
from tests.reliability.scene import Scene
from tests.servers import GENEROUS, missing, until

SYNCED = r"\b(?:fdatasync|fsync)\(\d+\) += 0|<\.\.\. (?:fdatasync|fsync) resumed>\) += 0"


class Trace:
    """A trace of a process by strace: its syncs, and what it writes to sockets."""

    def __init__(self, process: Process, path: Path) -> None:
        self._path = path
        self._strace = subprocess.Popen(
            ["strace", "-fs4000", "-e", "trace=fsync,fdatasync,sendto", "-p", str(process.pid), "-o", str(path)],
            stderr=subprocess.PIPE,
        )
        assert self._strace.stderr is not None
        said = self._strace.stderr.readline().decode()
        if "attached" not in said:
            pytest.skip(f"strace may not watch other processes here: {said}")

    def order(self, told: str) -> str:
        """Return "synced" for each sync and "told" for each line that matches `told`, in order."""
        lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        seen = ("synced" if re.search(SYNCED, line) else "told" if re.search(told, line) else "" for line in lines)
        return " ".join(filter(None, seen))

    def end(self) -> None:
        """Detach from the process."""
        self._strace.send_signal(signal.SIGINT)
        self._strace.communicate(timeout=GENEROUS)


def synced_before(scene: Scene, told: str, path: Path) -> None:
    """Send messages one by one, and assert that each is synced before the words `told` go out."""
    if shutil.which("strace") is None:
        missing("strace", "strace")
    letters = scene.seed(3)
    daemon = scene.start().ready()
    trace = Trace(daemon, path)
    try:
        for number, letter in enumerate(letters, start=1):
            scene.write(letter)
            scene.door.deliver(daemon)
            until(lambda number=number: trace.order(told).count("told") == number, "strace has seen it told")
            scene.quiet()
        assert re.match("((synced )+told ?){3}", trace.order(told)), trace.order(told)
    finally:
        trace.end()


def test_a_mail_is_synced_before_it_is_answered_with_250(stage: Stage, tmp_path: Path) -> None:
    synced_before(stage("lmtp", "sqlite"), r'sendto\(.*"250 2\.0\.0 Stored', tmp_path / "trace")


@pytest.mark.dovecot
def test_a_mail_is_synced_before_it_is_moved_away(stage: Stage, tmp_path: Path) -> None:
    synced_before(stage("imap", "sqlite"), r"sendto\(.*UID MOVE", tmp_path / "trace")

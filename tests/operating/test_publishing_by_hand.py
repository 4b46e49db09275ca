"""`pbem publish` as the operator has it: its progress at a terminal, and its processes, which all end together."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.publishing.folder import SiteFolder
from tests.operating.site import Site, environment
from tests.publishing.site import store_many
from tests.servers import until

pytestmark = pytest.mark.slow

MANY = 400
PROGRAM = str(Path(sys.executable).with_name("pbem"))


def filled(site: Site, number: int) -> Site:
    """Store matches that can be shown."""
    with site.server() as server:
        store_many(server.engine, number)
    return site


def _started(site: Site) -> subprocess.Popen[bytes]:
    """Start to publish many matches, and return once some are written, by more than one process."""
    words = [PROGRAM, "publish", "web"]
    process = subprocess.Popen(
        words, cwd=site.folder, env=environment(), stderr=subprocess.PIPE, start_new_session=True
    )
    until(lambda: (site.folder / "web" / "matches" / "0" / "1.html").exists(), "a page is written")
    return process


def _group(leader: int) -> list[int]:
    """Return the processes of a group but its leader; those that are dead don't count."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(group) == leader and int(stat.parent.name) != leader and state != "Z":
            found.append(int(stat.parent.name))
    return found


@pytest.fixture
def crowded(site: Site) -> Site:
    """Provide a server with many matches that aren't published yet."""
    return filled(site, MANY)


needs_processors = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor, so one process")


@needs_processors
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "terminated"])
def test_when_pbem_publish_ends_so_do_its_processes(crowded: Site, end: signal.Signals) -> None:
    process = _started(crowded)
    assert _group(process.pid)
    process.send_signal(end)
    process.communicate()
    assert process.returncode == -end
    until(lambda: not _group(process.pid), "its processes have ended")
    with SiteFolder.opened(crowded.folder / "web") as folder:
        assert folder.matches.count() == MANY

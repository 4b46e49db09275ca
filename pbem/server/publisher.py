"""Brings the site for web browsers up to date every few minutes, where it is configured."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable

import structlog

from pbem.config import PublishSettings, ServerSettings

log = structlog.get_logger()

POLL_SECONDS = 0.2
"""How often to look whether the process has ended, or is to."""


def publish_again_and_again(server: ServerSettings, wanted: PublishSettings, stop: threading.Event) -> None:
    """Publish at once, and then after every pause, until `stop` is set; a failure is logged, and tried again."""
    while not stop.is_set():
        publish_once(server, wanted, stop.is_set, stop.wait)
        stop.wait(wanted.every_minutes * 60)


def publish_once(
    server: ServerSettings,
    wanted: PublishSettings,
    stopped: Callable[[], bool],
    wait: Callable[[float], object],
) -> bool:
    """Publish in a process of its own, which is killed once that is wanted. Return whether it has succeeded."""
    asked = {
        "database": server.database,
        "folder": str(wanted.folder),
        "name": server.name,
        "address": server.address,
        "url": wanted.url,
    }
    words = [sys.executable, "-m", "pbem.publishing.worker"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:  # noqa: S603 - our own module
        assert process.stdin  # noqa: S101 - it is a pipe
        json.dump(asked, process.stdin)
        process.stdin.close()
        while process.poll() is None:
            if stopped():
                process.kill()  # the next publication mends what this one has left
                return False
            wait(POLL_SECONDS)
        assert process.stdout  # noqa: S101 - they are pipes
        assert process.stderr  # noqa: S101
        if process.returncode != 0:
            said = process.stderr.read().strip()
            log.error("publishing failed", folder=str(wanted.folder), error=said.rpartition("\n")[2])
            return False
        log.info("published", folder=str(wanted.folder), **json.loads(process.stdout.read()))
        return True

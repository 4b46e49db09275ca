"""A real PgBouncer before the PostgreSQL of the tests, in the pool mode that a test chooses."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

from tests.postgres import Postgres
from tests.servers import GENEROUS, HOST, REAL_CLOCK, SBIN, free_port, give_away, listens, missing, unprivileged, until

CONF = """
[databases]
* = host={host} port={server}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {root}/users
pool_mode = {mode}
default_pool_size = {size}
logfile = {root}/log
"""


class PgBouncer:
    """The pooler, in front of a new and empty database."""

    def __init__(self, postgres: Postgres, mode: str, *, size: int = 20) -> None:
        program = shutil.which("pgbouncer", path=SBIN)
        if program is None:
            missing("PgBouncer", "pgbouncer")
        self.direct = postgres.elsewhere(postgres.database()).partition("?")[0]
        self.root, self.port = Path(tempfile.mkdtemp(prefix="pgb")), free_port()
        server = re.search(r":(\d+)/", self.direct)
        assert server
        conf = CONF.format(host=HOST, server=server[1], port=self.port, root=self.root, mode=mode, size=size)
        (self.root / "conf").write_text(conf, encoding="utf-8")
        (self.root / "users").write_text('"pbem" ""\n', encoding="utf-8")
        give_away(self.root)
        self._program = str(program)
        self._process = self._started()
        self.url = re.sub(r":\d+/", f":{self.port}/", self.direct)
        """Where the database is reached through it."""

    def _started(self) -> subprocess.Popen[bytes]:
        quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        process = subprocess.Popen([self._program, str(self.root / "conf")], env=REAL_CLOCK, **quiet, **unprivileged())
        until(lambda: listens(self.port), f"PgBouncer, see {self.root}/log")
        return process

    def restart(self) -> None:
        """Kill it, which ends all connections, and start it again."""
        self._process.kill()
        self._process.wait(GENEROUS)
        self._process = self._started()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(GENEROUS)
        shutil.rmtree(self.root, ignore_errors=True)

"""The operator's commands: init, run, feed, check, show, shunted, retry, revoke, bounced, export, delete and more.

Exit codes: 0 success · 1 the command found a problem and printed it · 2 it could not run, and why.
"""

import os

from pbem.cli import server, mails, players, games  # isort: skip - `pbem --help` lists their commands in this order
from pbem.cli.core import app
from pbem.cli.server import example

__all__ = ["app", "example", "games", "mails", "main", "players", "server"]


def main() -> None:
    """Run the command line. Files it creates (mail, tokens, the key) are readable by its user only."""
    os.umask(0o077)
    app()

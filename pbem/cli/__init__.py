"""The operator's verbs: init, run, feed, check, show, shunted, retry, revoke, bounced, export, delete, demo and more.

Exit codes: 0 all is well · 1 something was found wrong, and said · 2 it could not be done, and why.
"""

import os

from pbem.cli.verbs import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line. What it writes (mails, tokens in them, the key) is for its user alone."""
    os.umask(0o077)
    app()

"""The operator's commands: init, run, feed, check, config, doctor, show, shunted, retry, revoke, bounced and more.

Exit codes: 0 success · 1 the command found a problem and printed it · 2 it could not run, and why.
"""

import os

from pbem.cli.index import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line. Files it creates (mail, tokens, the key) are readable by its user only."""
    os.umask(0o077)
    app()

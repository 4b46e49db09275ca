"""One publication as a process of its own, so that it takes no time from a daemon; it is told what to do on its input.

It prints what it did as JSON, or a sentence to standard error, and then its exit code is 1.
"""

import json
import os
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from notation.games import GAMES
from pbem.publishing import publication
from pbem.publishing.folder import NotASite
from pbem.publishing.pages import Site
from pbem.storage import database

NICENESS = 10


def main() -> int:
    """Publish once. The input is JSON: database, folder, name, address, url, house, and games."""
    os.nice(NICENESS)
    asked = json.load(sys.stdin)
    GAMES.adopt(*asked["games"])
    engine = database.connect(asked["database"])
    site = Site(asked["name"], asked["address"], asked["url"], asked["house"])
    try:
        done = publication.publish(engine, site, Path(asked["folder"]), datetime.now(UTC))
    except DBAPIError as error:
        sys.stderr.write(f"{error.orig}\n")
        return 1
    except (NotASite, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        engine.dispose()
    sys.stdout.write(json.dumps(asdict(done)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

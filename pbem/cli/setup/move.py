"""The command `move`: a database that has outgrown one file goes to PostgreSQL."""

from typing import Annotated

import typer

from pbem.cli import core, logs
from pbem.cli.core import app, out
from pbem.config import LogSettings
from pbem.config.veiled import veiled_url
from pbem.secret import BadConfig
from pbem.server.backups import moving
from pbem.storage import database


@app.command()
def move(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The URL of the SQLite database, as configured.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The URL of an empty PostgreSQL database.")],
) -> None:
    logs.configure(LogSettings(level="error"))
    old, new = database.connect(source), database.connect(target)
    try:
        with core.progress() as progress:
            rows = moving.move(old, new, progress)
    except moving.NotMoved as error:
        raise BadConfig(f"{veiled_url(target)}: {error}; nothing was moved") from error
    finally:
        old.dispose()
        new.dispose()
    out.print(f"{rows:,} rows are in {veiled_url(target)} now")
    out.print("next: set database in [server] to that; move the SQLite file away, so that no server starts with it")

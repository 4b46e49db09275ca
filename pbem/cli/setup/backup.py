"""The commands `backup` and `restore`, for all that a server has in one file."""

from pathlib import Path
from typing import Annotated

import typer

from notation.games import GAMES
from pbem import config, failpoints
from pbem.cli import log_format, shared
from pbem.cli.doctor import status_and_replay_check
from pbem.cli.shared import CONFIG, ConfigOption, app, out
from pbem.config import LogSettings
from pbem.config.dump import veiled_url
from pbem.secret_setting import BadConfig
from pbem.server import backups
from pbem.server.backups import BackupError
from pbem.storage import database


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to make; one that exists is never overwritten.")],
    config_file: ConfigOption = CONFIG,
) -> None:
    settings = config.load(config_file)
    failpoints.prepare()
    with shared.who_is_in_the_way(settings), database.opened(settings.server.database) as engine:
        manifest = backups.make(engine, settings, file, shared.now())
    out.print(f"{file}: {file.stat().st_size:,} bytes, {manifest}")
    out.print("who has this file can move for every player; keep it where only you can read it")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup, as `pbem backup` or the server made it.")],
    only_check: Annotated[bool, typer.Option("--check", help="Try it in a temporary place; nothing changes.")] = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    log_format.configure(LogSettings(level="error"))
    failpoints.prepare()
    try:
        if only_check:
            with backups.tried(file, config_file) as (manifest, settings, engine):
                out.print(f"{file}: {manifest}")
                if engine is None:
                    out.print("its dump can be read; to replay its matches, restore it into an empty database")
                else:
                    GAMES.enable(settings.games.enabled, shared.can_be_offered)
                    status_and_replay_check.replay(engine)
            return
        with shared.progress() as progress:
            manifest, written = backups.restore(file, config_file, progress)
    except BackupError as error:
        raise BadConfig(f"{file} can't be restored: {error}") from error
    except OSError as error:
        where = error.filename or "where the database goes"
        raise BadConfig(f"{file} can't be restored: {where}: {error.strerror}") from error
    server = config.load(config_file).server
    out.print(f"{file}: {manifest}")
    for path in written:
        out.print(f"wrote {path}")
    out.print(f"restored the database {veiled_url(server.database)}")
    if server.address != manifest.address:
        unless = f"unless {server.address} is meant: players' replies to {manifest.address} prove nothing there"
        out.print(f"to do: correct address in [server], {unless}")
    status_and_replay_check.check(config_file)

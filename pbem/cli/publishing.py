"""Publishing matches as a site for web browsers."""

import sqlite3
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pbem import config
from pbem.cli import core
from pbem.cli.core import CONFIG, ConfigOption, app, out, stored
from pbem.publishing import publication
from pbem.publishing.folder import LIST, NotASite
from pbem.publishing.pages import Site
from pbem.secret import BadConfig


@app.command()
def publish(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="Where the site is or will be; an empty folder or none yet; by default that of the configuration."
        ),
    ] = None,
    url: Annotated[
        str,
        typer.Option(
            help="The URL of that folder, for links in feeds and previews; by default that of the configuration."
        ),
    ] = "",
    config_file: ConfigOption = CONFIG,
) -> None:
    if url and not url.startswith(("https://", "http://")):
        raise core.ended("write a URL that begins with https:// or http:// as --url")
    with stored(config_file) as server, core.progress() as progress:
        configured = server.settings.publish
        if folder is None:
            folder, url = configured.folder, url or configured.url
        if folder is None:
            raise BadConfig("name a folder, or write one in [publish]")
        config.require_private_backups(server.settings, folder)
        settings = server.settings.server
        try:
            done = publication.publish(
                server.engine,
                Site(settings.name, settings.address, url, server.settings.house.enabled),
                folder,
                core.now(),
                partial(progress, "matches"),
            )
        except NotASite as error:
            raise core.ended(str(error)) from error
        except sqlite3.Error as error:
            raise core.ended(f"{folder / LIST}: {error}; if there is room, remove it: all is made again") from error
    out.print(
        f"{done.matches} matches in {folder / 'index.html'}: {done.written} files written, {done.removed} removed"
    )

"""Freezing the site into a folder, and the site of a configured server."""

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pbem import config
from pbem.cli import core
from pbem.cli.core import CONFIG, ConfigOption, Stored, app, out, stored
from pbem.publishing import crawl
from pbem.publishing.board_pages import Boards
from pbem.publishing.pages import Site
from pbem.publishing.routes import Pages


@app.command()
def publish(
    folder: Annotated[
        Path, typer.Argument(help="Where the site is or will be; an empty folder or none yet.", show_default=False)
    ],
    url: Annotated[
        str,
        typer.Option(help="The URL of that folder, for links in feeds and previews; by default url in [serve]."),
    ] = "",
    config_file: ConfigOption = CONFIG,
) -> None:
    if url and not url.startswith(("https://", "http://")):
        raise core.ended("write a URL that begins with https:// or http:// as --url")
    os.umask(0o022)
    with stored(config_file) as server, core.progress() as progress:
        config.require_private_backups(server.settings, folder)
        try:
            done = crawl.publish(site_of(server, url or server.settings.serve.url), folder, partial(progress, "pages"))
        except crawl.NotASite as error:
            raise core.ended(str(error)) from error
    out.print(
        f"{done.matches} matches in {folder / 'index.html'}: {done.written} files written, {done.removed} removed"
    )


def site_of(server: Stored, url: str, boards: Boards | None = None) -> Pages:
    settings = server.settings.server
    site = Site(settings.name, settings.address, url, server.settings.house.enabled)
    return Pages(server.engine, site, core.now, boards)

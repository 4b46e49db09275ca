"""The site of a configured server: frozen into a folder, or served to web browsers."""

import asyncio
import os
import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pbem import config
from pbem.cli import shared
from pbem.cli.shared import CONFIG, ConfigOption, Stored, app, out, stored
from pbem.mail.transports.protocols import Arrival
from pbem.publishing import freeze, web_server
from pbem.publishing.board_form import Boards
from pbem.publishing.cached_pages import Pages
from pbem.publishing.html_pages import Site
from pbem.secret_setting import BadConfig
from pbem.server import intake

LISTEN = "127.0.0.1:8080"  # where to listen by default: only this machine can connect


@app.command()
def publish(
    folder: Annotated[
        Path, typer.Argument(help="Where the site is or will be; an empty folder or none yet.", show_default=False)
    ],
    url: Annotated[
        str, typer.Option(help="The URL of that folder, for links in feeds and previews; by default url in [serve].")
    ] = "",
    config_file: ConfigOption = CONFIG,
) -> None:
    if url and not url.startswith(("https://", "http://")):
        raise shared.ended("write a URL that begins with https:// or http:// as --url")
    os.umask(0o022)
    with stored(config_file) as server, shared.progress() as progress:
        config.require_private_backups(server.settings, folder)
        try:
            done = freeze.publish(site_of(server, url or server.settings.serve.url), folder, partial(progress, "pages"))
        except freeze.NotASite as error:
            raise shared.ended(str(error)) from error
    files = f"{done.written} files written, {done.removed} removed"
    out.print(f"{done.matches} matches in {folder / 'index.html'}: {files}")


def site_of(server: Stored, url: str, boards: Boards | None = None) -> Pages:
    settings = server.settings.server
    site = Site(settings.name, settings.address, url, server.settings.house.enabled)
    return Pages(server.engine, site, shared.now, boards)


@app.command()
def serve(
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen; only this machine can connect to 127.0.0.1.")
    ] = LISTEN,
    config_file: ConfigOption = CONFIG,
) -> None:
    host, port = place(listen)
    with stored(config_file) as server:
        settings, boards = server.settings.serve, None
        if settings.boards:
            keyring = server.settings.server.keyring()

            def store(arrivals: tuple[Arrival, ...]) -> None:
                intake.take(server.engine, keyring, arrivals, shared.now())

            boards = Boards(server.settings.server, keyring, store if settings.post else None)
        site = web_server.application(site_of(server, settings.url, boards))
        sockets = web_server.bind(host, port)
        out.print(f"the site is at {web_server.url(sockets)}; Ctrl-C ends it")
        asyncio.run(web_server.run(site, sockets))


def place(listen: str) -> tuple[str, int]:
    """Return the host and the port to listen at, as in 127.0.0.1:8080 or [::1]:80; raise BadConfig."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:\[\]]+)):([0-9]{1,5})", listen)
    if found is None or int(found[3]) > 65_535:
        raise BadConfig(f"--listen {listen}: write a host and a port, such as {LISTEN} or [::1]:8080")
    return found[1] or found[2], int(found[3])

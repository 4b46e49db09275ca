"""Serving the site to web browsers."""

import asyncio
import re
from typing import Annotated

import typer

from pbem import failpoints
from pbem.cli import core
from pbem.cli.core import CONFIG, ConfigOption, Stored, app, out, stored
from pbem.cli.publishing import site_of
from pbem.failpoints import Step
from pbem.mail.transports.protocols import Arrival
from pbem.publishing import web_server
from pbem.publishing.board_pages import Boards
from pbem.secret import BadConfig
from pbem.server import intake

LISTEN = "127.0.0.1:8080"
"""Where to listen by default: only this machine can connect."""


@app.command()
def serve(
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen; only this machine can connect to 127.0.0.1.")
    ] = LISTEN,
    config_file: ConfigOption = CONFIG,
) -> None:
    host, port = place(listen)
    with stored(config_file) as server:
        wanted = server.settings.serve
        site = web_server.application(site_of(server, wanted.url, _boards(server) if wanted.boards else None))
        sockets = web_server.bind(host, port)
        out.print(f"the site is at {web_server.url(sockets)}; Ctrl-C ends it")
        asyncio.run(web_server.run(site, sockets))


def _boards(server: Stored) -> Boards:
    """Return the boards, which need the server's key, and store what is sent from them if that is wanted."""
    told = server.settings.server
    keyring = told.keyring()

    def store(arrivals: tuple[Arrival, ...]) -> None:
        failpoints.reach(Step.RECEIVED)
        intake.take(server.engine, keyring, arrivals, core.now())
        failpoints.reach(Step.STORED)

    return Boards(told, keyring, store if server.settings.serve.post else None)


def place(listen: str) -> tuple[str, int]:
    """Return the host and the port to listen at; raise BadConfig.

    >>> place("127.0.0.1:8080"), place("[::1]:80")
    (('127.0.0.1', 8080), ('::1', 80))
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:\[\]]+)):([0-9]{1,5})", listen)
    if found is None or int(found[3]) > 65_535:
        raise BadConfig(f"--listen {listen}: write a host and a port, such as {LISTEN} or [::1]:8080")
    return found[1] or found[2], int(found[3])

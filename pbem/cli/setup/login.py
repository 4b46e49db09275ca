"""The command `login`: gets the tokens with which the server logs in at mail servers that take OAuth2."""

import sys
from typing import Annotated

import typer

from pbem import config
from pbem.cli.core import CONFIG, ConfigOption, app, out
from pbem.config import OAuth2Settings
from pbem.mail.oauth2 import login as flows
from pbem.mail.oauth2 import providers
from pbem.secret import BadConfig


@app.command()
def login(
    config_file: ConfigOption = CONFIG,
    browser: Annotated[
        bool | None,
        typer.Option("--browser/--device", help="With a browser on this machine, or a code on any device."),
    ] = None,
    paste: Annotated[
        bool, typer.Option("--paste", help="The browser is on another machine: give the URL that it ends at.")
    ] = False,
    port: Annotated[int, typer.Option("--port", help="The port that the browser comes back to; any by default.")] = 0,
) -> None:
    settings = config.load(config_file).oauth2
    if settings is None:
        raise BadConfig(f"{config_file} has no [oauth2]; docs/operating.md says how to log in with OAuth2")
    with_browser = paste or (providers.provider(settings).device_url is None if browser is None else browser)
    try:
        tokens = _by_browser(settings, port, paste=paste) if with_browser else flows.by_device(settings, _show_code)
    except flows.NotLoggedIn as error:
        raise BadConfig(str(error)) from error
    settings.token_file.parent.mkdir(parents=True, exist_ok=True)
    providers.save(settings.token_file, tokens)
    out.print(f"logged in; wrote {settings.token_file}")
    out.print('a running server uses it from now on; "pbem doctor" tries it')


def _by_browser(settings: OAuth2Settings, port: int, *, paste: bool) -> providers.Tokens:
    def show(url: str) -> None:
        out.print("open this in a browser, and log in as the server's account:")
        typer.echo(url)  # in one piece, for copying
        if paste:
            out.print("the browser ends at a page that it can't show; copy its address here:")

    return flows.by_browser(settings, show, port, sys.stdin.readline if paste else None)


def _show_code(url: str, code: str) -> None:
    out.print(f"open {url} in a browser, on any device, and enter {code}")
    out.print("waiting …")

"""The command `login`: gets the tokens with which the server logs in at mail servers that take OAuth2."""

import sys

import typer

from pbem import config
from pbem.cli.core import CONFIG, ConfigOption, app, out
from pbem.mail.oauth2 import login as flows
from pbem.mail.oauth2 import providers
from pbem.secret import BadConfig


@app.command()
def login(config_file: ConfigOption = CONFIG) -> None:
    settings = config.load(config_file).oauth2
    if settings is None:
        raise BadConfig(f"{config_file} has no [oauth2]; docs/operating.md says how to log in with OAuth2")
    try:
        if providers.provider(settings).device_url is None:
            tokens = flows.by_browser(settings, _show_url, sys.stdin.readline)
        else:
            tokens = flows.by_device(settings, _show_code)
    except flows.NotLoggedIn as error:
        raise BadConfig(str(error)) from error
    settings.token_file.parent.mkdir(parents=True, exist_ok=True)
    providers.save(settings.token_file, tokens)
    out.print(f"logged in; wrote {settings.token_file}")
    out.print('a running server uses it from now on; "pbem doctor" tries it')


def _show_url(url: str) -> None:
    out.print("open this in a browser, on any device, and log in as the server's account:")
    typer.echo(url)  # in one piece, for copying
    out.print("the browser ends at a page that it can't show; copy its address here:")


def _show_code(url: str, code: str) -> None:
    out.print(f"open {url} in a browser, on any device, and enter {code}")
    out.print("waiting …")

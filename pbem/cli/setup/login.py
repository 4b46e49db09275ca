"""The command login: permission of an OAuth2 account, given in a browser."""

import sys

import typer

from pbem import config
from pbem.cli.shared import CONFIG, ConfigOption, app, out
from pbem.secret_setting import BadConfig


@app.command()
def login(config_file: ConfigOption = CONFIG) -> None:
    from pbem.mail.oauth2 import providers_and_tokens  # what it loads is for this command alone

    settings = config.load(config_file).oauth2
    if settings is None:
        raise BadConfig(f"{config_file} has no [oauth2]; docs/operating.md says how to log in with OAuth2")
    try:
        tokens = providers_and_tokens.by_browser(settings, _visit)
    except providers_and_tokens.NotLoggedIn as error:
        raise BadConfig(str(error)) from error
    settings.token_file.parent.mkdir(parents=True, exist_ok=True)
    providers_and_tokens.save(settings.token_file, tokens)
    out.print(f"logged in; wrote {settings.token_file}")
    out.print('a running server uses it from now on; "pbem doctor" tries it')


def _visit(url: str) -> str:
    out.print("open this in a browser, on any device, and log in as the server's account:")
    typer.echo(url)  # in one piece, for copying
    out.print("the browser ends at a page that it can't show; copy its address here:")
    return sys.stdin.readline()

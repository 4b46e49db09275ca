"""The command `config show`: the configuration in force, with secrets veiled."""

import json
from typing import Annotated

import typer

from pbem import config
from pbem.cli.core import CONFIG, ConfigOption, app, out
from pbem.config.veiled import lines, veiled

configuration = typer.Typer(no_args_is_help=True)
app.add_typer(configuration, name="config")


@configuration.command()
def show(
    config_file: ConfigOption = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Print the configuration in force: file, environment and defaults, without secrets."""
    settings = config.load(config_file)
    text = json.dumps(veiled(settings), indent=2, ensure_ascii=False) if as_json else "\n".join(lines(settings))
    out.print(text, markup=False, highlight=False)

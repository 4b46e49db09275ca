"""Commands for ratings: ratings rebuild."""

import typer
from rich.progress import track

from engines import GAMES
from pbem.cli.core import CONFIG, ConfigOption, app, errors, opened, out
from pbem.ratings import derivation

ratings = typer.Typer(help="Work with the ratings of players.", no_args_is_help=True)
app.add_typer(ratings, name="ratings")


@ratings.callback()
def group() -> None:
    """Work with the ratings of players."""


@ratings.command()
def rebuild(config_file: ConfigOption = CONFIG) -> None:
    """Derive all ratings from the matches again, which give the same ratings each time."""
    with opened(config_file) as server:
        derived = sum(
            derivation.rebuild(server.engine, game)
            for game in track(GAMES, "rebuilding", console=errors, transient=True)
        )
    out.print(f"{derived} ratings derived from the matches")

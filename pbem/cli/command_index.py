"""The index of the commands, which command_index.toml describes: a command's module is loaded when it is called."""

import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from pbem.cli import endings

ABOUT = "A play-by-email server for small abstract board games."
_INDEX = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
COMMANDS: dict[str, tuple[str, str, str]] = _INDEX["commands"]
"""The module of each command, what it does, and an example."""
GROUPS, HEADINGS = _INDEX["groups"], _INDEX["headings"]


class LazyGroup(TyperGroup):
    """Commands of the index; listing them loads none."""

    def __init__(self, *, within: str = "", commands: Any = None, **more: Any) -> None:
        super().__init__(commands=commands or _listed(within), **more)
        self._within = within

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        is_group = isinstance(command, LazyGroup)
        return name, load(f"{self._within}{name}") if name and not is_group else command, rest

    def make_context(self, *words: Any, **more: Any) -> Any:
        """Read the words of the command line, which may already print something."""
        with endings():
            return super().make_context(*words, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is called. Whatever it can't go on for becomes a sentence and an exit code."""
        with endings():
            from pbem.cli.shared import sentences  # loaded here, as by every command; `pbem --help` does without

            with sentences():
                return super().invoke(ctx)


def _listed(within: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    panel = None
    for path, (_, about, _) in COMMANDS.items():
        name, _, below = path.removeprefix(within).partition(" ")
        if name in found or not path.startswith(within):
            continue
        panel = HEADINGS.get(path, panel)
        how: dict[str, Any] = {"name": name, "rich_markup_mode": "rich", "rich_help_panel": panel}
        if below:
            found[name] = LazyGroup(within=f"{name} ", help=GROUPS[name], no_args_is_help=True, **how)
        else:
            found[name] = TyperCommand(help=about, short_help=f"{about.partition('. ')[0].rstrip('.')}.", **how)
    return found


def load(path: str) -> Any:
    """Return a command with its parameters."""
    module, about, example = COMMANDS[path]
    command = _group(module).commands[path]
    command.help, command.epilog = about, f"For example: {example}"
    for each in command.params:
        if each.param_type_name == "argument":
            each.metavar = each.metavar or each.name.rstrip("_").upper()
    return command


@cache
def _group(module: str) -> Any:
    """Return the commands of a module; to read all their parameters takes a while."""
    return typer.main.get_group(import_module(f"pbem.cli.{module}").app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # takes as long to load as all the rest of this module

        typer.echo(f"pbem {version('pbem')}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    help=ABOUT,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _take_a_command(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take what stands before a command; and let typer make a group of commands, though none is registered."""

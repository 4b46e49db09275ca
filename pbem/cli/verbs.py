"""The verbs of the command line: a module with what a verb imports is read only when the verb is called."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

ABOUT = "A play-by-email server for small abstract board games."
VERBS = {
    "init": ("server", "Write a configuration and a key where there are none, and bring the database up to date."),
    "run": ("server", "Run the server until SIGTERM or Ctrl-C; it ends after the mail in hand."),
    "feed": ("server", "Handle a raw mail as if it had been received, and print what is owed for it."),
    "check": (
        "server",
        "Replay every stored match, and look at files, templates and DNS; exit code 1 when something is wrong.",
    ),
    "show": ("mails", "Show a match with all its turns and mails, or a mail and what became of it."),
    "shunted": (
        "mails",
        "List the mails that met a bug, and the owed ones that nobody would take; exit code 1 when there are any.",
    ),
    "retry": ("mails", "Let the daemon try shunted or failed mails again."),
    "revoke": (
        "players",
        "Make all reply addresses of a player worthless, because one got out, and mail him a new personal address.",
    ),
    "bounced": (
        "players",
        "List the players from whose addresses mail comes back; exit code 1 when nothing is sent to one any more.",
    ),
    "export": ("players", "Write all that is held on a player into a folder, without the limit that one mail has."),
    "delete": (
        "players",
        'Remove all that is held on a player, as "delete me" does; the matches stay, without a name.',
    ),
    "games": ("games", "List the games that can be played, with their options."),
    "play": (
        "games",
        "Try a game at the terminal, two people at one keyboard, with the boards and texts of the mails.",
    ),
    "demo": ("games", "Play a whole match by mail between two scripted players, with nothing but this machine."),
    "record": ("games", "Work with record files."),
}


class Verbs(TyperGroup):
    """The verbs by name; those that are only listed are not read."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order in which `pbem --help` lists them."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return what `pbem --help` needs of a verb."""
        return TyperCommand(cmd_name, help=VERBS[cmd_name][1], rich_markup_mode="rich") if cmd_name in VERBS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the verb that is called, ready to run."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, loaded(command.name) if command and command.name else command, rest


def loaded(name: str) -> Any:
    """Return a verb with its parameters."""
    group: Any = typer.main.get_command(import_module(f"pbem.cli.{VERBS[name][0]}").app)
    return group.commands[name]


app = typer.Typer(
    cls=Verbs,
    help=ABOUT,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _verbs() -> None:
    """Take a verb."""

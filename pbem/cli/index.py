"""The index of the commands: a command's module, and all that it imports, is loaded when the command is called.

What a command does is said here and nowhere else, so that `pbem --help` loads none.
"""

from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from pbem.cli import endings

ABOUT = "A play-by-email server for small abstract board games."
COMMANDS = {
    "init": ("setup.init", "Create the configuration, key and database if they don't exist, and upgrade the database."),
    "run": ("server", "Run the server until SIGTERM or Ctrl-C. It finishes the current message first."),
    "feed": ("server", "Process a raw message as if it had just arrived, and print what would be sent."),
    "check": (
        "doctor.replaying",
        "Replay all stored matches; check ratings, ladders, files, templates, DNS. Exit code 1 if there is a problem.",
    ),
    "login": ("setup.login", "Log in where [oauth2] says, once; the server renews the login by itself."),
    "config": ("setup.init", "Look at the configuration."),
    "doctor": (
        "doctor.examination",
        "Try everything that is configured, and say what works and what to do. Exit code 1 if there is a problem.",
    ),
    "status": (
        "doctor.status",
        "Tell whether the server is well and what waits. Exit code 1 if something is wrong, 2 if that can't be told.",
    ),
    "backup": ("setup.backup", "Put all that the server has into one file, while it runs."),
    "restore": (
        "setup.backup",
        "Restore a backup into an empty place, and check what is stored. Exit code 1 if there is a problem.",
    ),
    "show": ("mails", "Show a match with its turns and messages, or a message and what became of it."),
    "shunted": (
        "mails",
        "List messages that hit a bug, ended the server, or that no server accepts. Exit code 1 if there are any.",
    ),
    "retry": ("mails", "Make the daemon retry shunted or failed messages."),
    "revoke": (
        "players",
        "Invalidate all reply addresses of a player, because one has leaked, and send them a new personal address.",
    ),
    "bounced": ("players", "List players whose mail bounces. Exit code 1 if sending to any of them has stopped."),
    "publish": (
        "publishing",
        "Write what players allow to be seen as a site for web browsers, or bring it up to date.",
    ),
    "export": ("players", "Write all data on a player into a folder, without the size limit of a message."),
    "delete": ("players", 'Delete all data on a player, like "delete me". Their matches are kept without a name.'),
    "players": (
        "moderation",
        "List the players: when they joined and last wrote, how many matches they play, and who is banned.",
    ),
    "close": ("moderation", "End a match without a result, or withdraw a challenge; both players are told."),
    "adjudicate": (
        "moderation",
        "Decide a match: a player has won, or it is a draw. It counts like any other result; both players are told.",
    ),
    "ban": (
        "moderation",
        "Close a player's account: their matches end, and they can't play any more. Their ratings stay.",
    ),
    "unban": ("moderation", "Open the account of a banned player again; their matches stay over."),
    "rename": (
        "moderation",
        "Give a player another name; they and those who play with them are told, and nobody else gets the old one.",
    ),
    "merge": (
        "moderation",
        "Make one account part of another one, of the same person; matches between the two don't count any more.",
    ),
    "announce": (
        "moderation",
        "Write to all players who get news, some of them each minute; shows the message and their number first.",
    ),
    "acts": (
        "moderation",
        "List what was done to players and matches with these commands, by whom and why; the newest first.",
    ),
    "ratings": ("contests", "Work with the ratings of players."),
    "tournament": ("contests", "Open tournaments, and look at them."),
    "trust": ("contests", "Let a player open tournaments by email."),
    "import": (
        "records",
        "Store matches that were played elsewhere, from records. Exit code 1 if a file is refused.",
    ),
    "salvage": (
        "records",
        "Restore matches from messages about them, without a backup. Exit code 1 if one can't be restored.",
    ),
    "games": ("games", "List the games with their options."),
    "play": (
        "games",
        "Try a game at the terminal: two people, one keyboard, and the boards and texts of the messages.",
    ),
    "demo": ("games", "Play a match by email between two scripted players on this machine, and show what they saw."),
    "record": ("games", "Work with record files."),
}


class LazyGroup(TyperGroup):
    """The commands of the index; listing them loads none."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order in which `pbem --help` lists them."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | None:
        """Return what `pbem --help` needs of a command."""
        return (
            TyperCommand(cmd_name, help=COMMANDS[cmd_name][1], rich_markup_mode="rich")
            if cmd_name in COMMANDS
            else None
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command that is called, ready to run."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, load(command.name) if command and command.name else command, rest

    def make_context(self, *words: Any, **more: Any) -> Any:
        """Read the words of the command line, which may already print something."""
        with endings():
            return super().make_context(*words, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that is called. Whatever it can't go on for becomes a sentence and an exit code."""
        with endings():
            from pbem.cli.core import sentences  # loaded here, as by every command; `pbem --help` does without

            with sentences():
                return super().invoke(ctx)


def load(name: str) -> Any:
    """Return a command with its parameters."""
    module, about = COMMANDS[name]
    command = _group(module).commands[name]
    command.help = about
    return command


@cache
def _group(module: str) -> Any:
    """Return the commands of a module; to read all their parameters takes a while."""
    return typer.main.get_group(import_module(f"pbem.cli.{module}").app)


def _print_version(wanted: bool) -> None:
    """Print the version, and end there."""
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
)


@app.callback()
def _take_a_command(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take what stands before a command; and let typer make a group of commands, though none is registered."""

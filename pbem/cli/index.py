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
    "init": (
        "setup.init",
        "Create the configuration, the key and the database. Upgrades an older database, and overwrites nothing else.",
    ),
    "run": ("server", "Run the server until SIGTERM or Ctrl-C. It finishes the current message first."),
    "feed": (
        "server",
        "Process a raw message, and print what would be sent. It is stored as if it had just arrived.",
    ),
    "status": (
        "doctor.status",
        "Tell whether the server is well, and what waits. Exit code 1 if something is wrong, 2 if that can't be told.",
    ),
    "doctor": (
        "doctor.examination",
        "Try everything that is configured, and say what to do. Exit code 1 if there is a problem.",
    ),
    "check": (
        "doctor.replaying",
        "Replay all matches, and compare ratings and ladders. Exit code 1 if there is a problem.",
    ),
    "config show": (
        "setup.init",
        "Print the configuration in force. It comes from file, environment and defaults; secrets are left out.",
    ),
    "login": ("setup.login", "Log in with OAuth2, once. The server renews the login by itself."),
    "backup": ("setup.backup", "Put all that the server has into one file. It can run meanwhile."),
    "restore": (
        "setup.backup",
        "Restore a backup into an empty place, and check it. Exit code 1 if there is a problem.",
    ),
    "move": ("setup.move", "Move an SQLite database to an empty PostgreSQL database. The server must be stopped."),
    "publish": (
        "publishing",
        "Write a site for web browsers, or bring it up to date. It shows what players allow to be seen.",
    ),
    "serve": (
        "serving",
        "Show the published site to web browsers. Until SIGTERM or Ctrl-C; for those who have no web server.",
    ),
    "show": (
        "show",
        "Show a player, a match or a message, and what became of it and why. Exit code 1 if a match doesn't replay.",
    ),
    "mail list": (
        "mails",
        "List messages that need you. They hit a bug, or no server accepts them. Exit code 1 if there are any.",
    ),
    "mail retry": ("mails", "Try shunted or failed messages again. The server does so within ten seconds."),
    "player list": (
        "moderation",
        "List the players. Tells when they joined and last wrote, how many matches they play, and who is banned.",
    ),
    "player ban": (
        "moderation",
        "Close a player's account. Their matches end, and they can't play any more. Their ratings stay.",
    ),
    "player unban": ("moderation", "Open the account of a banned player again. Their matches stay over."),
    "player rename": (
        "moderation",
        "Give a player another name. They and those who play with them are told, and nobody else gets the old one.",
    ),
    "player trust": ("contests", "Let a player open tournaments by email."),
    "player revoke": (
        "players",
        "Invalidate all reply addresses of a player. For when one has leaked; they are sent a new personal address.",
    ),
    "player bounced": (
        "players",
        "List players whose mail bounces. Exit code 1 if sending to any of them has stopped.",
    ),
    "player export": ("players", "Write all data on a player into a folder. Unlike a message, it has no size limit."),
    "player delete": ("players", 'Delete all data on a player, like "delete me". Their matches stay, without a name.'),
    "match close": (
        "moderation",
        "End a match without a result; withdraw a challenge. Both players are told.",
    ),
    "match adjudicate": (
        "moderation",
        "Decide who has won a match, or that it is a draw. It counts like any other result; both players are told.",
    ),
    "match import": (
        "records",
        "Store matches that were played elsewhere, from records. Exit code 1 if a file is refused.",
    ),
    "tournament open": ("contests", "Open a tournament to everybody."),
    "tournament list": ("contests", "List the tournaments."),
    "tournament show": (
        "contests",
        "Show who is in a tournament, and how it stands. As a crosstable once it has begun, or the rungs of a ladder.",
    ),
    "tournament begin": (
        "contests",
        "Let nobody else enter a tournament. It begins with those who have, or is called off if they are too few.",
    ),
    "tournament end": (
        "contests",
        "End a ladder, or that a tournament comes again. All on a ladder are told; what is played goes on.",
    ),
    "ratings rebuild": (
        "contests",
        "Derive all ratings from the matches again. They give the same ratings each time.",
    ),
    "ratings pairs": (
        "contests",
        "List pairs of whom one wins nearly all rated matches. Perhaps they are one person with two accounts.",
    ),
    "announce": (
        "moderation",
        "Write to all players who get news. Shows the message and their number first; some get it each minute.",
    ),
    "acts": (
        "moderation",
        "List what was done to players and matches. By whom with these commands, and why; the newest first.",
    ),
    "games": ("games", "List the games with their options."),
    "play": (
        "hotseat",
        "Try a game at the terminal. Two people, one keyboard, and the boards and texts of the messages.",
    ),
    "demo": (
        "demo.playing",
        "Let two scripted players play by email. On this machine; their messages and a site stay in a folder.",
    ),
    "record check": (
        "games",
        "Replay a record file, and name each slip in it. Exit code 1 if there are any.",
    ),
    "game check": (
        "packs",
        "Check what every game promises, enabled or not. With what a reviewer would ask; exit code 1 if one is broken.",
    ),
    "game new": (
        "packs",
        "Write a package for a new game. It plays Noughts at first, and passes all checks.",
    ),
}
"""The module of each command, and what it does: the first sentence fits into a line of `pbem --help`."""
GROUPS = {
    "config": "Look at the configuration.",
    "mail": "Show messages, and try again what failed.",
    "player": "Show, moderate, export and delete players.",
    "match": "Show and end matches, or bring them in.",
    "tournament": "Open tournaments, and look at them.",
    "ratings": "Work with the ratings of players.",
    "record": "Work with record files.",
    "game": "Work with games of other packages, and make one.",
}
PANELS = {"init": "The server", "show": "Players, matches and messages", "games": "Without a server"}
"""The headings in `pbem --help`, each with the command that it begins at."""


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
            from pbem.cli.core import sentences  # loaded here, as by every command; `pbem --help` does without

            with sentences():
                return super().invoke(ctx)


def _listed(within: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    panel = None
    for path, (_, about) in COMMANDS.items():
        name, _, below = path.removeprefix(within).partition(" ")
        if name in found or not path.startswith(within):
            continue
        panel = PANELS.get(path, panel)
        how: dict[str, Any] = {"name": name, "rich_markup_mode": "rich", "rich_help_panel": panel}
        if below:
            found[name] = LazyGroup(within=f"{name} ", help=GROUPS[name], no_args_is_help=True, **how)
        else:
            found[name] = TyperCommand(help=about, short_help=f"{about.partition('. ')[0].rstrip('.')}.", **how)
    return found


def load(path: str) -> Any:
    """Return a command with its parameters."""
    module, about = COMMANDS[path]
    command = _group(module).commands[path]
    command.help = about
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
)


@app.callback()
def _take_a_command(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take what stands before a command; and let typer make a group of commands, though none is registered."""

"""The man page, docs/pbem.1, made from the commands and their options; `make docs` regenerates it."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from pbem.cli import command_index

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = PROJECT["tool"]["hatch"]["version"]["vcs"]["default-tag"].removeprefix("v")
DESCRIPTION = """
pbem lets people play board games by email. It reads its mail from a mailbox (IMAP), from a mail server that delivers
to it (LMTP or SMTP) or from a folder, and sends by SMTP. Players write commands and turns, and get boards.

"pbem init" writes a configuration and a key, "pbem doctor" tries all of it, and "pbem run" serves until it gets
SIGTERM or Ctrl-C.
"""
EXIT_STATUS = {
    "0": "success",
    "1": "the command found a problem and printed it",
    "2": "it could not run, and why: invalid settings, an unusable database or file, another daemon at work",
}
FILES = {
    "pbem.toml": "The configuration, in the current folder unless --config or PBEM_CONFIG says otherwise. It explains "
    "every setting.",
    "pbem.key": "The key that signs reply addresses, where the configuration says. Keep a backup of it.",
    "PREFIX/share/doc/pbem": "The documentation, where PREFIX is the environment that pbem is installed in, such as "
    "/opt/pbem; begin with docs/operating.md.",
}
ENVIRONMENT = {
    "PBEM_CONFIG": "The configuration file.",
    "PBEM_TABLE__KEY": "The setting KEY of [TABLE], instead of the one in the file: PBEM_SERVER__ADDRESS, "
    "PBEM_INBOX__IMAP__PORT.",
}


def escape(text: str) -> str:
    r"""Return a line of text for roff.

    >>> print(escape(".x --to 'a\\b'"))
    \&.x \-\-to 'a\eb'
    """
    line = " ".join(text.split())
    for plain, written in (("\\", r"\e"), ("-", r"\-"), ("`", r"\(ga"), ('"', r"\(dq"), ("^", r"\(ha"), ("~", r"\(ti")):
        line = line.replace(plain, written)
    return rf"\&{line}" if line.startswith((".", "'")) else line


def page() -> str:
    """Return the page, as roff."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    app = typer.main.get_command(command_index.app)
    yield f'.TH PBEM 1 "" "pbem {escape(VERSION)}" "User Commands"'
    yield from (".SH NAME", rf"pbem \- {escape(command_index.ABOUT[0].lower() + command_index.ABOUT[1:].rstrip('.'))}")
    yield from (".SH SYNOPSIS", r".B pbem", r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGS\fR] ...")
    yield ".SH DESCRIPTION"
    yield "\n.PP\n".join(escape(paragraph) for paragraph in DESCRIPTION.split("\n\n"))
    yield ".SH OPTIONS"
    yield from _options(app, "pbem")
    yield ".SH COMMANDS"
    for name in command_index.COMMANDS:
        yield from _command(command_index.load(name), f"pbem {name}")
    for title, rows in (("EXIT STATUS", EXIT_STATUS), ("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT)):
        yield f".SH {title}"
        for term, meaning in rows.items():
            yield from (".TP", rf"\fB{escape(term)}\fR", escape(meaning))


def _command(command: Any, path: str) -> Iterator[str]:
    """Yield the part about a command."""
    arguments = [_argument(each) for each in command.params if each.param_type_name == "argument"]
    yield " ".join((rf".SS \fB{escape(path)}\fR", r"[\fIOPTIONS\fR]", *arguments))
    yield escape(command.help)
    yield from _options(command, path)


def _argument(argument: Any) -> str:
    many = " ..." if argument.nargs < 0 else ""
    written = rf"\fI{escape(argument.metavar)}\fR{many}"
    return written if argument.required else f"[{written}]"


def _options(command: Any, path: str) -> Iterator[str]:
    context = typer.Context(command, info_name=path)
    for each in command.params:
        help_record = None if each.hidden else each.get_help_record(context)
        if help_record is None:
            continue
        spelling, about = help_record
        if each.param_type_name == "argument":
            spelling = _argument(each)
        else:  # -c, --config <path>: the names are bold
            spelling = re.sub(r"(?<!\S)(?:\\-)+\w\S*?(?=,|\s|$)", r"\\fB\g<0>\\fR", escape(spelling))
        yield from (".TP", spelling, escape(about))

"""The generated parts of README.md and docs/*.md, which cog inserts; `make docs` regenerates them."""

import ast
import csv
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from textwrap import dedent
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from engines.core import Game, Played
from engines.diagram import Diagram
from notation.board import format_board
from notation.games import GAMES
from notation.hints import format_hint
from pbem.cli import command_index, log_format
from pbem.config import LogSettings, Settings, Tls
from pbem.conversation.command import Command, Group, Reach
from pbem.features.all import FEATURES
from pbem.messages.template_files import template_folders
from pbem.secret_setting import Secret
from pbem.tokens import Purpose
from tests.correspondence import correspondence, text

EXAMPLE = ROOT / "config.example.toml"

# Tables in general


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *cells])


# docs/commands.md


def commands() -> str:
    """Return every command with its usage, help and aliases, under the heading of its group."""
    groups = []
    for group in Group:
        listed = [_command(command, "####") for command in FEATURES.groups[group] if not command.of_admin]
        if listed:
            groups.append("\n\n".join([f"### {group.value}", *listed]))
    return "\n\n".join(groups)


def moderation() -> str:
    """Return the same for what only the admin can write."""
    return "\n\n".join(_command(command) for command in FEATURES.all_commands.values() if command.of_admin)


def _command(command: Command, level: str = "###") -> str:
    also = f" Aliases: {', '.join(f'`{alias}`' for alias in command.aliases)}." if command.aliases else ""
    place = " It applies to one match: the one you are replying about, or the one you name." if command.of_match else ""
    return f"{level} {command.name}\n\n`{command.usage}`\n\n{_capital(command.help)}.{place}{also}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def options() -> str:
    """Return a table of the options of all games."""
    rows = [
        [game.title, f"`{option.name}`", _choices(option.choices), option.help]
        for game in GAMES.games()
        for option in game.options
    ]
    return table(["game", "option", "choices (the first is the default)", "meaning"], rows)


def _choices(choices: tuple[str, ...]) -> str:
    return ", ".join(f"`{choice}`" for choice in choices)


def permitted() -> str:
    """Return a table of what takes effect without a question, with each kind of token."""
    looking = [command for command in FEATURES.commands.values() if not command.changes]
    small = _listed(command.name for command in looking if not command.is_large)
    rows = [
        ["any, or none", "at once, as a short text without one", small],
        ["match, personal", "at once", _listed(c.name for c in looking if c.is_large)],
    ]
    for token, purpose in (("match", Purpose.PLAY), ("personal", Purpose.PERSONAL), ("news", Purpose.NOTICES)):
        by_phrase: dict[str, list[str]] = {}
        for name, command in FEATURES.commands.items():
            if command.changes and not command.asks:
                by_phrase.setdefault(command.reach(purpose).value, []).append(name)
        by_phrase.pop(Reach.NOWHERE.value, None)
        rows += [[token, phrase, _listed(names)] for phrase, names in by_phrase.items()]
    asking = _listed(name for name, command in FEATURES.commands.items() if command.asks)
    rows.append(["any, or none", "after a `yes`", f"all other commands, among them {asking}"])
    return table(["token", "takes effect", "commands"], rows)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


# docs/notation.md


def notations() -> str:
    """Return how each game writes its turns."""
    parts = []
    for pack in GAMES.values():
        hint = format_hint(pack.notation.hint(pack.game.position({})))
        told = "\n".join(f"    {line}" for line in hint.splitlines())
        parts.append(f"### {pack.title}\n\nA turn is {pack.notation.help}.\n\nWhat the first player is told:\n\n{told}")
    return "\n\n".join(parts)


# docs/games.md and README.md


def games() -> str:
    """Return the games as a list: title, designer and year."""
    return "\n".join(f"- **{game.title}** ({GAMES[game.key].designed}): `rules {game.key}`" for game in GAMES.games())


def gallery() -> str:
    """Return each game with its designer, source, initial board, options, an example turn and perft counts."""
    return "\n\n".join(_exhibit(game.key, game) for game in GAMES.games())


def solved() -> str:
    """Return for each game how many turns before the end the levels of the house knew the outcome, on average."""
    found: dict[tuple[str, str], list[int]] = {}
    with (ROOT / "docs" / "arena.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sums = found.setdefault((row["game"], row["player"]), [0, 0])
            sums[:] = sums[0] + int(row["solved"]), sums[1] + int(row["matches"])
    games, levels = (sorted(set(names)) for names in zip(*found, strict=True))
    of_all = {pair: f"{solved / matches:.1f}" for pair, (solved, matches) in found.items()}
    rows = [[game, *(of_all.get((game, level), "-") for level in levels)] for game in games if (game, "5") in of_all]
    return table(["game", *(f"level {level}" for level in levels)], rows)


def _exhibit(key: str, game: Game) -> str:
    start = game.position({})
    opening = list(_opening(key))
    turn, after = opening[-1]
    before = " ".join(f"`{text}`" for text, _ in opening[:-1])
    options = table(
        ["option", "choices", ""],
        [[f"`{option.name}`", f"`{option.spelled}`", option.help] for option in game.options],
    )
    return (
        f"## {game.title}\n\n{GAMES[key].designed}. Source: the designer's rule sheet. "
        f"The rules as played here: [templates/rules/{key}.md](../templates/rules/{key}.md).\n\n"
        f"{_drawn(start.diagram())}\n\n"
        f"{options if game.options else 'This game has no options.'}\n\n"
        f"{'After ' + before + ': ' if before else 'A turn: '}`{turn}`\n\n{_drawn(after)}\n\n"
        f"Number of distinct sequences of turns by depth: {_perft(key)}."
    )


def _drawn(diagram: Diagram) -> str:
    board = format_board(diagram, lit=True, notes=True)
    return "\n".join(f"    {line}".rstrip() for line in board.splitlines())


def _opening(key: str) -> Iterator[tuple[str, Diagram]]:
    """Yield the first turns of the playthrough, up to one after the setup."""
    position = GAMES[key].game.position({})
    path = ROOT / "tests" / "playthroughs" / f"{key}.txt"
    moves = re.findall(r"^played: (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for move in moves[:3]:
        last = Played(position, GAMES[key].notation.parse(move))
        position = position.play(last.move)
        yield move, position.diagram(last)


def _perft(key: str) -> str:
    """Return the perft counts of the first position in the perft file."""
    blocks = (ROOT / "tests" / "perft" / f"{key}.perft").read_text(encoding="utf-8").split("\n\n")
    first = next(block for block in blocks if "\nposition" in f"\n{block}")
    return ", ".join(f"{int(nodes):,}" for nodes in re.findall(r"^perft \d+ (\d+)", first, flags=re.MULTILINE))


# docs/game-api.md


def gamekit() -> str:
    """Return what the authors of games import: each name with the first sentence about it, by group."""
    source = (ROOT / "pbem" / "gamekit.py").read_text(encoding="utf-8")
    imports = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom)]
    modules = {alias.name: str(node.module) for node in imports for alias in node.names}
    groups = re.findall(r"^# ([^\n]+)\n((?:__all__ [^\n]+\n)+)", source, flags=re.MULTILINE)
    return "\n\n".join(
        f"### {heading}\n\n"
        + table(
            ["name", "what it is"],
            [[f"`{name}`", _about(modules[name], name)] for name in re.findall(r'"(\w+)"', names)],
        )
        for heading, names in groups
    )


def _about(module: str, name: str) -> str:
    """Return the first sentence of what a module says about one of its names."""
    path = (ROOT / module.replace(".", "/")).with_suffix(".py")
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for node, below in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            said = ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign) and name in {
            each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }:
            is_said = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            said = str(below.value.value) if is_said else ""  # type: ignore[attr-defined]  # it was looked at
        else:
            continue
        first = said.partition("\n\n")[0].replace("\n", " ")
        return re.split(r"(?<=\.) (?=[A-Z`])", first)[0]
    raise KeyError(f"{module} has no {name}")


# docs/new-game.md


def example_sizes() -> str:
    """Return the sizes of the files that `pbem game new` writes."""
    folder = ROOT / "pbem" / "conformance" / "template"
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".md", ".perft", ".toml"))
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths if path.stat().st_size}
    rows = [[f"[{path.relative_to(folder)}](../{path.relative_to(ROOT)})", str(count)] for path, count in lines.items()]
    return table(["file", "lines"], [*rows, ["**together**", f"**{sum(lines.values())}**"]])


# docs/configuration.md


def configuration() -> str:
    """Return every table of the configuration with its keys."""
    meanings = example_meanings()
    parts = []
    for section, model in sections():
        rows = [
            [f"`{name}`", _kind(field), _default(field), meanings.get((section, name), "")]
            for name, field in model.model_fields.items()
            if not _is_section(field)
        ]
        about = _capital((model.__doc__ or "").partition(": ")[2])
        parts.append(f"### [{section}]\n\n{about}\n\n{table(['key', 'type', 'default', 'meaning'], rows)}")
    return "\n\n".join(parts)


def sections(model: type[BaseModel] = Settings, path: str = "") -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield every table of config.toml: its name and its model."""
    for name, field in model.model_fields.items():
        inner = _model(field)
        if inner is None or inner in (Secret, Tls):
            continue
        own = f"{path}.{name}".lstrip(".")
        if any(not _is_section(each) for each in inner.model_fields.values()):
            yield own, inner
        yield from sections(inner, own)


def keys() -> list[tuple[str, str]]:
    """Return every key of config.toml with its table."""
    return [
        (section, name) for section, model in sections() for name, f in model.model_fields.items() if not _is_section(f)
    ]


def _model(field: FieldInfo) -> type[BaseModel] | None:
    inner = _bare(field.annotation)
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def _is_section(field: FieldInfo) -> bool:
    return _model(field) not in (None, Secret, Tls)


def _bare(annotation: Any) -> Any:
    """Return the annotation without Annotated and None."""
    if get_origin(annotation) is Annotated:
        return _bare(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return next(_bare(arg) for arg in get_args(annotation) if arg is not NoneType)
    return annotation


def _kind(field: FieldInfo) -> str:
    bare = _bare(field.annotation)
    if get_origin(bare) is Literal:
        return " or ".join(f'`"{choice}"`' for choice in get_args(bare))
    if bare is Secret:
        return "secret"
    if bare is Tls:
        return "table with `ca_file`"
    bounds = {type(rule).__name__: getattr(rule, type(rule).__name__.lower(), None) for rule in field.metadata}
    if "Ge" in bounds and "Le" in bounds:
        return f"whole number, {bounds['Ge']} to {bounds['Le']}"
    if "Ge" in bounds:
        return f"whole number, at least {bounds['Ge']}"
    return {bool: "true or false", int: "whole number", float: "number", Path: "path"}.get(bare, "text")


def _default(field: FieldInfo) -> str:
    if field.default is PydanticUndefined:
        return "required"
    default = field.default
    if default is None or isinstance(default, Tls):
        return "none"
    if isinstance(default, Secret):
        return f'`{{ file = "{default.file}" }}`'
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, tuple):
        return f"{len(default)} of them" if default else "none"
    return (
        f'`"{default}"`'
        if isinstance(default, str)
        else f"`{default:g}`"
        if isinstance(default, float)
        else f"`{default}`"
    )


def example_meanings() -> dict[tuple[str, str], str]:
    """Return the comment on each key in config.example.toml, from its line or the lines above."""
    meanings: dict[tuple[str, str], str] = {}
    section, above, is_commented = "", [], False
    for raw in EXAMPLE.read_text(encoding="utf-8").splitlines():
        line = raw.removeprefix("# ") if is_commented else raw
        if header := re.match(r"(# )?\[([a-z0-9.]+)\]$", raw):
            section, above, is_commented = header[2], [], bool(header[1])
        elif key := re.match(r"(?:# )?([a-z_]+) = (?:[^#\"]|\"[^\"]*\")*(?:#\s*(.*))?$", line):
            meanings[section, key[1]] = " ".join([*above, key[2] or ""]).strip()
            above = []
        elif line.startswith("# ") and not is_commented:
            above.append(line.removeprefix("# ").strip())
        else:
            above, is_commented = [], is_commented and bool(raw.strip())
    return meanings


# docs/decisions/README.md


def decisions() -> str:
    """Return the decisions with their titles and status lines."""
    rows = []
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        if path.name != "README.md":
            title, _, status, *_ = path.read_text(encoding="utf-8").splitlines()
            rows.append([f"[{title.removeprefix('# ')}]({path.name})", status.removeprefix("Status: ")])
    return table(["decision", "status"], rows)


# docs/architecture.md


def performance() -> str:
    """Return what the benchmarks have measured."""
    from bench.performance import table as measured

    return measured()


def capacity() -> str:
    """Return what one machine carries, as far as the benchmarks tell."""
    from bench.performance import stored

    rows = {(row.bench, row.what): row for row in stored()}
    full, text = (rows["mail", f"a turn {how}: a second, from Dovecot"].figure for how in ("in full dress", "as text"))
    a_day = float(full) * 3600 * 10
    return (
        f"On the machine of [performance](performance.md), one daemon plays {full} turns a second from a full inbox,"
        f" with two messages in full dress each, and {text} with messages as text. If the busiest hour has a tenth of"
        f" the day's messages, that is {a_day:,.0f} turns a day without a queue: {a_day / 2:,.0f} matches in which both"
        " play a turn a day. What a message costs hardly depends on how many matches are stored (rows `growth`)."
    )


def layers() -> str:
    """Return the packages of pbem and its single modules with their purposes, from the top layer down."""
    linted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(contract for contract in linted["contracts"] if contract.get("containers") == ["pbem"])
    rows = []
    for above, layer in enumerate(contract["layers"]):
        for name in re.split(r"\s*[|:]\s*", layer):
            place = ROOT / "pbem" / name
            number = len(contract["layers"]) - above
            rows.append([str(number), f"`{name}`", _purpose(place / "__init__.py" if place.is_dir() else place)])
    return table(["layer", "package", "purpose"], rows)


def _purpose(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.with_suffix(".py").read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ")


def templates() -> str:
    """Return the names of all message and section templates."""
    mails, parts = (
        sorted(path.name.partition(".")[0] for folder in template_folders() for path in folder.glob(kind))
        for kind in ("*.j2", "sections/*.j2")
    )
    return f"- Messages: {_listed(mails)}.\n- Sections: {_listed(parts)}."


# README.md


def verbs() -> str:
    """Return a table of the operator's commands with their help."""
    rows = [
        [f"`{' '.join([f'pbem {name}', *_words(command_index.load(name))])}`", command_index.COMMANDS[name][1]]
        for name in command_index.COMMANDS
    ]
    return table(["command", "what it does"], rows)


def _words(command: Any) -> Iterator[str]:
    """Yield what is written after a command of the operator's, without its options."""
    for each in command.params:
        if each.param_type_name == "argument" and not each.hidden:
            word = f"{each.metavar}{' ...' if each.nargs < 0 else ''}"
            yield word if each.required else f"[{word}]"


def conversation() -> str:
    """Return a turn by email: what a player writes, and what their opponent gets."""
    with tempfile.TemporaryDirectory() as folder, correspondence(Path(folder)) as letters:
        log_format.configure(LogSettings(level="error"), sys.stderr)
        letters.match()
        begun = letters.last("alice")
        letters.reply(begun, "1 a7b7 i3i2\n\nGood luck, Bob!")
        return f"{_shown(_answer(letters.log), 6)}\n\nBob gets:\n\n{_shown(letters.last('bob'), 40)}"


@cache
def _first_match() -> dict[str, EmailMessage]:
    """Return the messages of a newcomer, carol, from the first to the first turn in a match with a friend, dave."""
    with tempfile.TemporaryDirectory() as folder, correspondence(Path(folder)) as letters:
        log_format.configure(LogSettings(level="error"), sys.stderr)
        carol, dave = "carol@mail.example", "dave@mail.example"
        told = {}
        (told["introduction"],) = letters.write(carol, "Hello, how does this work?")
        letters.reply(
            told["introduction"], f"join carol\nchallenge {dave} quadrupel\n\nHi Dave, shall we try this?", quote=False
        )
        told["joins"] = _answer(letters.log)
        told["welcome"], told["invitation"] = letters.received[carol][-1], letters.received[dave][-1]
        letters.reply(told["invitation"], "Yes, gladly!", quote=False)
        told["begun"] = letters.received[carol][-1]
        letters.reply(told["begun"], "preview d2b4", quote=False)
        told["preview"] = letters.received[carol][-1]
        letters.reply(told["begun"], "d2b4\n\nYour turn, Dave!", quote=False)
        told["plays"], told["played"] = _answer(letters.log), letters.received[dave][-1]
        return told


def first_match(moment: str, most: int = 60) -> str:
    """Return a message of the page for new players."""
    return f"```\n{dedent(_shown(_first_match()[moment], most))}\n```"


def _answer(log: list[tuple[str, EmailMessage]]) -> EmailMessage:
    return next(mail for way, mail in reversed(log) if way == "in")


def _shown(mail: EmailMessage, most: int) -> str:
    """Return the message as a mail program shows it, cut to `most` lines."""
    head = [f"{name}: {mail[name]}" for name in ("From", "To", "Reply-To", "Subject") if mail[name]]
    body = text(mail).rstrip().splitlines()
    cut = [*body[:most], "> ..."] if len(body) > most else body
    return "\n".join(f"    {line}".rstrip() for line in [*head, "", *cut])

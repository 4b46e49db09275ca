"""The commands `init`, for the configuration, the key and the tables, and `config show`, for what is configured."""

import json
import os
import secrets
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from pbem import config
from pbem.cli import core
from pbem.cli.core import CONFIG, ConfigOption, app, out, who_is_in_the_way
from pbem.cli.setup import presets
from pbem.cli.setup.presets import PRESETS, PresetPlace
from pbem.config import Settings
from pbem.config.veiled import lines, veiled, veiled_url
from pbem.secret import BadConfig
from pbem.storage import database


@dataclass(frozen=True)
class WantedSetup:
    """What the operator has said about the server."""

    place: PresetPlace
    server: dict[str, str]
    username: str
    client_id: str = ""
    password: str = field(default="", repr=False)


@app.command()
def init(
    config_file: ConfigOption = CONFIG,
    place: Annotated[
        PresetPlace | None, typer.Option("--preset", help="Where your mail is; writes a configuration for it.")
    ] = None,
    address: Annotated[str, typer.Option("--address", help="The server's email address.")] = "",
    username: Annotated[str, typer.Option("--username", help="The login there, if it isn't the address.")] = "",
    admin: Annotated[str, typer.Option("--admin", help="Your own address, for messages to the operator.")] = "",
    name: Annotated[str, typer.Option("--name", help="The name shown in From.")] = "",
    client_id: Annotated[
        str, typer.Option("--client-id", help="What the provider knows the server by, where it logs in with OAuth2.")
    ] = "",
    ask: Annotated[
        bool | None,
        typer.Option("--ask/--no-ask", help="Ask for all that; by default at a terminal.", show_default=False),
    ] = None,
) -> None:
    given = {"address": address, "admin": admin, "name": name}
    server = {key: value for key, value in given.items() if value}
    wanted = _wanted(config_file, place, server, username, client_id, ask=ask)
    if wanted is not None:
        _write(config_file, wanted)
    elif not config_file.exists():
        config_file.parent.mkdir(parents=True, exist_ok=True)
        config_file.write_bytes(presets.example().read_bytes())
        out.print(f"wrote {config_file}; read through it: it explains every setting")
    settings = config.load(config_file)
    _make_key(settings)
    with database.alone(settings.server.database), who_is_in_the_way(settings):
        engine = database.connect(settings.server.database)
        try:
            with core.progress() as progress:
                database.upgrade(engine, progress)
        finally:
            engine.dispose()
    out.print(f"the database {veiled_url(settings.server.database)} is up to date", markup=False)
    out.print(f"next: [bold]pbem doctor --config {config_file}[/] tries all of it; then [bold]pbem run[/]")


@app.command("config show")
def show(
    config_file: ConfigOption = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    settings = config.load(config_file)
    text = json.dumps(veiled(settings), indent=2, ensure_ascii=False) if as_json else "\n".join(lines(settings))
    out.print(text, markup=False, highlight=False)


def _wanted(
    path: Path, place: PresetPlace | None, server: dict[str, str], username: str, client_id: str, *, ask: bool | None
) -> WantedSetup | None:
    """Return what to write; None if there is a configuration, or the example is to be copied."""
    told = place is not None or bool(server) or bool(username) or bool(client_id)
    if path.exists():
        if told or ask:
            raise BadConfig(f"{path} exists, and is never overwritten; edit it, or choose another file with --config")
        return None
    if ask or (ask is None and not told and sys.stdin.isatty() and sys.stdout.isatty()):
        return _asked(place, server, username, client_id)
    if not told:
        return None
    if place is None or "address" not in server:
        raise BadConfig("give --preset and --address together, or --ask to be asked")
    if PRESETS[place].oauth2 and not client_id:
        raise BadConfig(f"give --client-id too: {PRESETS[place].todo[0]}")
    return WantedSetup(place, server, username or server["address"], client_id)


def _asked(place: PresetPlace | None, server: dict[str, str], username: str, client_id: str) -> WantedSetup:
    """Ask for what wasn't given."""
    if place is None:
        for each, preset in PRESETS.items():
            out.print(f"  [bold]{each.value}[/]: {preset.title}", highlight=False)
        place = _place(typer.prompt("Where is your mail"))
    address = server.get("address") or typer.prompt("The server's email address")
    presets.check({"address": address})
    admin = server.get("admin") or typer.prompt("Your own address (may be empty)", default="", show_default=False)
    answers = {"address": address, "admin": admin, "name": server.get("name", "")}
    password = ""
    if PRESETS[place].logins:
        username = username or typer.prompt("The login there", default=address)
    if PRESETS[place].oauth2:
        out.print(PRESETS[place].todo[0], markup=False, highlight=False)
        client_id = client_id or typer.prompt("The client id of that app")
    elif PRESETS[place].logins:
        password = typer.prompt("Its password (empty: later)", default="", show_default=False, hide_input=True)
    return WantedSetup(
        place, {key: value for key, value in answers.items() if value}, username or address, client_id, password
    )


def _place(chosen: str) -> PresetPlace:
    try:
        return PresetPlace(chosen.strip().lower())
    except ValueError:
        raise BadConfig(f"there is no preset of that name; there are {', '.join(PresetPlace)}") from None


def _write(path: Path, wanted: WantedSetup) -> None:
    """Write the configuration, and the password if it was given; say what is left to do."""
    preset = PRESETS[wanted.place]
    presets.check(wanted.server)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(presets.written(preset, wanted.server, wanted.username, wanted.client_id), encoding="utf-8")
    out.print(f"wrote {path} for {preset.title}; it explains every setting", markup=False)
    for table in () if preset.oauth2 else preset.logins:
        file = path.parent / presets.PASSWORDS[table]
        if wanted.password and not file.exists():
            _write_secret(file, wanted.password)
            out.print(f"wrote the password to {file}", markup=False)
        elif not file.exists():
            out.print(f"to do: write the password into {file} (install -m 600 /dev/null {file})", markup=False)
    for sentence in preset.todo:
        out.print(f"to do: {sentence}", markup=False, highlight=False)


def _make_key(settings: Settings) -> None:
    path = settings.server.key.file
    if path is None or path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_secret(path, secrets.token_hex(32))
    out.print(f"wrote the server's key to {path}; back it up: without it, all reply addresses stop working")


def _write_secret(path: Path, secret: str) -> None:
    """Write a new file that only we may read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{secret}\n")

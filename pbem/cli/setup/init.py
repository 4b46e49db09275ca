"""The command `init`, for the configuration, the key and the tables."""

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from pbem import config
from pbem.cli import shared
from pbem.cli.setup import presets
from pbem.cli.setup.presets import PRESETS, PresetPlace
from pbem.cli.shared import CONFIG, ConfigOption, app, out, who_is_in_the_way
from pbem.config import ServerSettings, faults
from pbem.config.dump import veiled_url
from pbem.secret_setting import BadConfig
from pbem.server import key_of_database
from pbem.storage import database


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
    url: Annotated[str, typer.Option("--database", help="The URL of the database.")] = "",
    client_id: Annotated[
        str, typer.Option("--client-id", help="What the provider knows the server by, where it logs in with OAuth2.")
    ] = "",
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Use another key than before; all reply addresses stop working.")
    ] = False,
) -> None:
    options = {"address": address, "admin": admin, "name": name, "database": url}
    server = {key: value for key, value in options.items() if value}
    if not config_file.exists():
        _write(config_file, place, server, username, client_id)
    elif place or server or username or client_id:
        why = "exists, and is never overwritten; edit it, or choose another file with --config"
        raise BadConfig(f"{config_file} {why}")
    settings = config.load(config_file)
    url, key = settings.server.database, settings.server.key.file
    with database.alone(url), who_is_in_the_way(settings), database.opened(url) as engine:
        if key is not None and not key.exists():
            if not new_key:
                key_of_database.require_no_players(engine, settings.server)
            key.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(f"{secrets.token_hex(32)}\n")
            out.print(f"wrote the server's key to {key}; back it up: without it, all reply addresses stop working")
        with shared.progress() as progress:
            database.upgrade(engine, progress)
        key_of_database.adopt(engine, settings.server, anyway=new_key)
    out.print(f"the database {veiled_url(url)} is up to date")
    out.print(f'next: "pbem doctor --config {config_file}" tries all of it; then "pbem run"')


def _write(path: Path, place: PresetPlace | None, server: dict[str, str], username: str, client_id: str) -> None:
    if not (place or server or username or client_id):
        place, server = "folders", {"address": presets.EXAMPLE}
    if not place or "address" not in server:
        raise BadConfig(f"give --preset and --address together; the presets are {', '.join(PRESETS)}")
    preset = PRESETS[place]
    if preset.oauth2 and not client_id:
        raise BadConfig(f"give --client-id too: {preset.todo[0]}")
    try:
        ServerSettings.model_validate(server)
    except ValidationError as error:
        raise BadConfig("; ".join(faults.sentences(ServerSettings, error))) from None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(presets.written(preset, server, username or server["address"], client_id), encoding="utf-8")
    path.chmod(0o644)  # it has no secrets, and the server runs as another user
    out.print(f"wrote {path} for {preset.title}")
    for table in () if preset.oauth2 else preset.logins:
        file = path.parent / presets.PASSWORDS[table]
        if not file.exists():
            out.print(f"to do: write the password into {file} (install -m 600 /dev/null {file})")
    for sentence in preset.todo:
        out.print(f"to do: {sentence}")

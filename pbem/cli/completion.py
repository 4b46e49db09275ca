"""What a shell offers for a game or a player: quickly, and silently nothing where no database can be read."""

from contextlib import suppress
from pathlib import Path

import typer

MOST = 100
"""How many names are offered."""
PATIENCE = {"connect_timeout": 2}
"""How many seconds somebody waits who has pressed the tab key, while PostgreSQL doesn't answer."""


def games(incomplete: str) -> list[str]:
    from notation.games import installed

    return [key for key in installed() if key.startswith(incomplete)]


def players(ctx: typer.Context, incomplete: str) -> list[str]:
    from pbem.cli.core import CONFIG  # which imports this module

    with suppress(Exception):  # of whatever kind: somebody is typing
        return _names(Path(ctx.params.get("config_file") or CONFIG), incomplete)
    return []


def _names(config_file: Path, beginning: str) -> list[str]:
    from sqlalchemy import event

    from pbem import config
    from pbem.features.moderation import roster
    from pbem.storage import database

    engine = database.connect(config.load(config_file).server.database)
    if engine.dialect.name == "postgresql":
        event.listen(engine, "do_connect", lambda _dialect, _record, _words, how: how.update(PATIENCE))
    try:
        database.require_current(engine)
        with database.read_only(engine) as session:
            found, _ = roster.players(session, MOST, beginning=beginning.lower())
            return [player.name for player in found if player.name]
    finally:
        engine.dispose()

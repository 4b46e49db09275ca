"""Commands for authors of games: game check, game new."""

import traceback
from pathlib import Path
from typing import Annotated

import typer

from notation.games import GAMES, GameMissing, GamePack, installed, load
from pbem.cli import core
from pbem.cli.core import FOUND, app, out
from pbem.conformance import new_game
from pbem.conformance.checks import CHECKS, Check, notes
from pbem.conformance.pages import require_free
from pbem.conformance.samples import Nonconforming


@app.command("game check")
def game_check(game: Annotated[str, typer.Argument(metavar="KEY", help="The key of an installed game.")]) -> None:
    try:
        pack = load(game.lower())
    except GameMissing as missing:
        raise core.ended(str(missing)) from missing
    faults: list[str] = []
    with core.progress() as show:
        for number, check in enumerate(CHECKS):
            show(check.name, number, len(CHECKS))
            if fault := _fault(check, pack):
                if fault not in faults:  # one mistake can break several promises
                    out.print(f"{check.name}: {fault}")
                faults.append(fault)
    held = f"{pack.title}: {len(CHECKS) - len(faults)} of {len(CHECKS)} checks hold"
    if faults:
        out.print(held)
        raise typer.Exit(FOUND)
    for note in notes(pack):
        out.print(f"note: {note}")
    out.print(f"{held}; the notes are no failures")


def _fault(check: Check, pack: GamePack) -> str:
    try:
        check.run(pack)
    except Nonconforming as fault:
        return str(fault)
    except Exception as error:  # noqa: BLE001 - a game can raise anything
        at = traceback.extract_tb(error.__traceback__)[-1]
        said = " ".join(str(error).split())
        return f"It stopped with {type(error).__name__}: {said} ({Path(at.filename).name}, line {at.lineno})."
    return ""


@app.command("game new")
def game_new(
    key: Annotated[str, typer.Argument(help="The key of the game: one word that players write, such as hex.")],
    folder: Annotated[Path | None, typer.Argument(help="Where to write it, instead of pbem-KEY here.")] = None,
) -> None:
    try:
        require_free(key, besides=(*GAMES, *installed()))
    except Nonconforming as taken:
        raise core.ended(str(taken)) from taken
    folder = folder or Path(f"pbem-{key}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise core.ended(f"{folder} is there already; name another folder")
    for path in new_game.write(key, folder):
        out.print(str(path))
    out.print(
        f"It plays Noughts so far. To try it: cd {folder}, pip install -e '.[dev]', pytest, pbem game check {key}"
    )

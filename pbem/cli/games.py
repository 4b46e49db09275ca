"""Commands about the games themselves: games, record check, and game check and game new for authors."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from engines.core import BadOption
from notation import record
from notation.board import format_board
from notation.ending import in_words
from notation.games import GAMES, GameMissing, GamePack, installed, load
from pbem import config
from pbem.cli import shared
from pbem.cli.printing import TerminalListing
from pbem.cli.shared import CONFIG, FOUND, ConfigOption, GameOption, JsonOption, app, out

DIFFICULTY = {1: "easy", 2: "usual", 3: "hard"}


@app.command()
def games(config_file: ConfigOption = CONFIG, as_json: JsonOption = False) -> None:
    if config_file != CONFIG or config_file.exists():
        GAMES.enable(config.load(config_file).games.enabled, shared.can_be_offered)
    listing = TerminalListing("game title difficulty options", turn="a turn")
    for key, pack in GAMES.items():
        choices = [f"{option.name}={'|'.join(option.choices)}" for option in pack.game.options]
        options = choices if as_json else "\n".join(choices)
        turn = pack.notation.help if as_json else pack.notation.help.rpartition(": ")[2].strip('"')
        listing.add(key, pack.title, DIFFICULTY[pack.game.difficulty], options, turn)
    listing.show(out, as_json=as_json)
    if as_json:
        return
    if waiting := [key for key in installed() if key not in GAMES]:
        out.print(f"installed, and offered once enabled in [games]: {', '.join(sorted(waiting))}")
    for why in GAMES.missing.values():
        out.print(f"missing: {why}")
    out.print('"pbem demo GAME" plays one; by email, "rules GAME" explains it')


@app.command("record check")
def record_check(
    file: Annotated[Path, typer.Argument(help="A record file; - reads standard input.")],
    tolerant: Annotated[bool, typer.Option("--tolerant", help="List every slip, as an arbiter would.")] = False,
    game: GameOption = "",
) -> None:
    text = shared.text_in(file)
    GAMES.enable(installed())
    try:
        loaded = record.loads(text, game or None)
        positions, slips = record.replay_tolerantly(loaded) if tolerant else (record.replay(loaded), ())
    except (record.BadRecord, BadOption) as error:
        out.print(str(error))
        raise typer.Exit(FOUND) from error
    for slip in slips:
        out.print(f"turn {slip.turn}, {slip.player}, {slip.token}: {slip.why}")
    last = positions[-1]
    difference = record.board_difference(loaded, last)
    if difference:
        out.print(difference)
    out.print(f"{GAMES.title(loaded.game)}, {len(loaded.moves)} turns: {len(slips)} slips")
    out.print(f"\n{format_board(last.diagram())}")
    if last.outcome is not None:
        winner = "a draw" if last.outcome.winner is None else f"{loaded.players[last.outcome.winner]} won"
        out.print(f"\n{winner}: {last.outcome.reason}")
    elif loaded.ending is not None:
        out.print(f"\n{in_words(loaded.ending, loaded.players)}")
    if slips or difference:
        raise typer.Exit(FOUND)


@app.command("game check")
def game_check(game: Annotated[str, typer.Argument(metavar="KEY", help="The key of an installed game.")]) -> None:
    from pbem.conformance import Nonconforming
    from pbem.conformance.checks import CHECKS, notes  # these load a whole server, which the lists do without

    try:
        pack = load(game.lower())
    except GameMissing as missing:
        raise shared.ended(str(missing)) from missing
    faults: list[str] = []
    with shared.progress() as show:
        for number, check in enumerate(CHECKS):
            show(check.name, number, len(CHECKS))
            if fault := _fault(check.run, pack, Nonconforming):
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


def _fault(check: Callable[[GamePack], object], pack: GamePack, nonconforming: type[Exception]) -> str:
    try:
        check(pack)
    except nonconforming as fault:
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
    from pbem.conformance import Nonconforming, new_game, rules_page

    try:
        rules_page.require_free(key, besides=(*GAMES, *installed()))
    except Nonconforming as taken:
        raise shared.ended(str(taken)) from taken
    folder = folder or Path(f"pbem-{key}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise shared.ended(f"{folder} is there already; name another folder")
    for path in new_game.write(key, folder):
        out.print(str(path))
    out.print(f"It plays Noughts. To try it: cd {folder}, pip install -e '.[dev]', pytest, pbem game check {key}")

"""Commands about the games themselves: games, record check."""

from pathlib import Path
from typing import Annotated

import typer

from engines.core import BadOption
from notation import record
from notation.board import format_board
from notation.ending import in_words
from notation.games import GAMES, installed
from pbem.cli import core
from pbem.cli.core import FOUND, GameOption, JsonOption, app, out
from pbem.cli.terminal import TerminalListing


@app.command()
def games(as_json: JsonOption = False) -> None:
    listed = TerminalListing("game title options", turn="a turn")
    for key, pack in GAMES.items():
        choices = [f"{option.name}={'|'.join(option.choices)}" for option in pack.game.options]
        listed.add(key, pack.title, choices if as_json else "\n".join(choices), pack.notation.help)
    listed.show(out, as_json=as_json)
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
    raise typer.Exit(_check_record(core.text_in(file), game or None, tolerant=tolerant))


def _check_record(text: str, game: str | None, *, tolerant: bool) -> int:
    GAMES.enable(installed())
    try:
        loaded = record.loads(text, game)
        positions, slips = record.replay_tolerantly(loaded) if tolerant else (record.replay(loaded), ())
    except (record.BadRecord, BadOption) as error:
        out.print(str(error))
        return FOUND
    for slip in slips:
        out.print(f"turn {slip.turn}, {slip.player}, {slip.token}: {slip.why}")
    last = positions[-1]
    difference = record.board_difference(loaded, last)
    if difference:
        out.print(difference)
    title = GAMES.title(loaded.game)
    out.print(f"{title}, {len(loaded.moves)} turns: {len(slips)} slips")
    out.print(f"\n{format_board(last.diagram())}")
    if last.outcome is not None:
        winner = "a draw" if last.outcome.winner is None else f"{loaded.players[last.outcome.winner]} won"
        out.print(f"\n{winner}: {last.outcome.reason}")
    elif loaded.ending is not None:
        out.print(f"\n{in_words(loaded.ending, loaded.players)}")
    return FOUND if slips or difference else 0

"""The command play: two people at one keyboard, a game with the texts and boards of the messages, without a server."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from engines.core import BadOption, Played
from notation import record
from notation.board import format_board
from notation.ending import Ending, Termination, in_words
from notation.games import GAMES, installed
from notation.hints import format_hint
from notation.record import Record
from pbem.cli import core
from pbem.cli.core import app, out
from pbem.errors import Refused
from pbem.matches import turns
from pbem.messages.said.sections import Refusal
from pbem.messages.templating import text_of

HELP = "Write a turn, or: undo, resign, record, rules, help, quit."


@app.command("play")
def play_(
    game: Annotated[str, typer.Argument(help="The game, from `pbem games`.", autocompletion=core.games)],
    options: Annotated[list[str] | None, typer.Argument(metavar="OPTION", help="Its options, such as first=o.")] = None,
) -> None:
    GAMES.enable(installed())  # no server is concerned
    key = game.lower()
    chosen = dict(option.split("=", 1) for option in options or [] if "=" in option)
    try:
        if key not in GAMES:
            raise BadOption(GAMES.missing.get(key) or f"there is no game {game}; the games are {GAMES.some()}")
        if len(chosen) < len(options or []):
            raise BadOption("write options as NAME=CHOICE, for example first=o")
        play(key, chosen, input, out.print)
    except BadOption as error:
        raise core.ended(str(error)) from error


def play(key: str, options: Mapping[str, str], ask: Callable[[str], str], say: Callable[[str], None]) -> Record:
    """Play a game until it ends, a player resigns or input ends (EOFError). Return the record. Raises BadOption."""
    game, notation = GAMES[key].game, GAMES[key].notation
    position = game.position(options)
    texts: list[str] = []
    part: str | None = None
    before: Played[Any, Any] | None = None
    ending: Ending | None = None

    def so_far() -> Record:
        return Record(key, options, game.sides, tuple(texts), ending)

    say(f"{game.title}. {HELP}")
    fresh = True
    while position.turn is not None and ending is None:
        here = position if part is None else position.play(notation.parse(part))
        if fresh:
            last = before if part is None else Played(position, notation.parse(part))
            say(f"\n{format_board(here.diagram(last), lit=True, notes=True)}\n\n{format_hint(notation.hint(here))}\n")
        try:
            line = ask(f"{game.sides[position.turn]}, turn {len(texts) + 1}> ").strip()
        except EOFError:
            break
        fresh = False
        match line.lower():
            case "":
                continue
            case "quit":
                break
            case "resign":
                ending = Ending(Termination.RESIGNATION, position.turn)
            case "undo" if part is not None:
                part, fresh = None, True
            case "record":
                say(record.dumps(so_far()))
            case "rules":
                say(GAMES[key].page)
            case "help":
                say(f"{HELP}\n{notation.help}")
            case _:
                try:
                    taken = turns.read(notation, position, part, turns.parse(notation, line))
                except Refused as refusal:
                    say(_refused(refusal, line))
                    continue
                fresh = True
                if taken.complete:
                    texts.append(taken.text)
                    before = Played(position, taken.move)
                    position, part = taken.position, None
                else:
                    part = taken.text
    say(f"\n{format_board(position.diagram(before), lit=True, notes=True)}\n\n{_ending(so_far())}")
    return so_far()


def _refused(refusal: Refused, line: str) -> str:
    section = Refusal(
        sentence=refusal.sentence,
        read=refusal.read,
        written=line if refusal.read not in (None, line) else None,
        at=refusal.at,
        width=max(1, refusal.width),
        fits=refusal.fits,
        meant=refusal.meant,
    )
    return text_of("sections/refused.j2", {"section": section})


def _ending(played: Record) -> str:
    if played.ending is not None:
        return f"{in_words(played.ending, played.players)}."
    outcome = record.replay(played)[-1].outcome
    if outcome is None:
        return "The game is not over."
    return f"{'A draw' if outcome.winner is None else f'{played.players[outcome.winner]} has won'}: {outcome.reason}."

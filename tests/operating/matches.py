"""Many running matches, inserted into the database directly, each with a message that plays its next turn."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from notation import record
from notation.board import format_board
from notation.games import GAMES
from notation.record import Record
from pbem.cli import demo
from pbem.messages.headers import subject_of
from pbem.messages.reply_links import address_with
from pbem.server.daemon import Server
from pbem.storage import database
from pbem.storage.models import Match, MatchState, Player, Ply, Presence
from pbem.tokens import Purpose, Token
from tests.correspondence import MORNING
from tests.operating.people import written


@dataclass(frozen=True)
class NextMove:
    """The next turn of a match, and the message that plays it."""

    match: int
    ply: int
    sender: str
    to: str
    text: str
    raw: bytes


def sample() -> Record:
    """Return the match that `pbem demo` plays, with its turns in canonical notation."""
    game = record.loads(demo.SAMPLE.read_text(encoding="utf-8"))
    notation = GAMES[game.game].notation
    turns = zip(game.moves, record.replay(game), strict=False)
    return replace(game, moves=tuple(notation.format(notation.parse(text), before) for text, before in turns))


def in_play(server: Server, number: int, depth: Callable[[int], int] = lambda _: 0) -> list[NextMove]:
    """Insert `number` matches with the sample's turns, the nth after `depth(n)` turns. Return the next turn of each."""
    game = sample()
    boards = [format_board(position.diagram()) for position in record.replay(game)]
    moves = []
    with database.transaction(server.engine) as session:
        for n in range(number):
            players = [
                Player(name=f"{a}{n}", address=f"{a}{n}@mail.example", confirmed=MORNING, created=MORNING) for a in "xo"
            ]
            session.add_all(players)
            session.flush()
            ids = [player.id or 0 for player in players]
            session.add_all(Presence(player=number, seen=MORNING) for number in ids)
            played, first = depth(n), game.start().turn or 0
            match = Match(
                game=game.game,
                options=dict(game.options),
                seat0=ids[0],
                seat1=ids[1],
                challenger=ids[0],
                state=MatchState.RUNNING,
                plies=played,
                to_move=(first + played) % 2,
                created=MORNING,
                started=MORNING,
            )
            session.add(match)
            session.flush()
            assert match.id is not None
            for ply, text in enumerate(game.moves[:played], start=1):
                seat = (first + ply - 1) % 2
                session.add(Ply(match=match.id, number=ply, seat=seat, text=text, played=MORNING))
            mover = players[(first + played) % 2]
            token = Token(Purpose.PLAY, mover.id or 0, match.id, played)
            to = address_with(server.settings.server, server.services.keyring, token, mover.epoch)
            text = game.moves[played]
            subject = f"Re: {subject_of(match, players[0], players[1], 'your turn')}"
            moves.append(
                NextMove(match.id, played + 1, mover.address, to, text, _mail(mover, to, subject, text, boards[played]))
            )
    return moves


def _mail(mover: Player, to: str, subject: str, text: str, board: str) -> bytes:
    quoted = "".join(f"> {line}\n" for line in board.splitlines())
    body = f"{text}\n\nOn Mon, 1 Jan 2007 at 10:00, PBeM wrote:\n> It's your turn.\n>\n{quoted}"
    return written(mover.address, to, body, Subject=subject)

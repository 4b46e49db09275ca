"""A match that goes on and on, made at random, and stored as if it had been played."""

import random
from collections.abc import Sequence

from sqlalchemy import insert

from notation.games import GAMES
from pbem.storage import database
from pbem.storage.models import Match, MatchState, Ply
from tests.correspondence import MORNING, Correspondence

GAME = "kvadratik"


def long_match(turns: int) -> list[str]:
    """Return the turns of a match that goes on and on."""
    chance = random.Random(1)
    position = GAMES[GAME].game.position({})
    texts: list[str] = []
    while len(texts) < turns and position.turn is not None:
        legal = list(position.moves())
        for move in chance.sample(legal, len(legal)):
            after = position.play(move)
            if after.turn is not None:
                texts.append(GAMES[GAME].notation.format(move, position))
                position = after
                break
        else:
            break
    return texts


def add_long_match(letters: Correspondence, texts: Sequence[str]) -> int:
    """Store a match with these turns between the first two players. Return its number."""
    with database.transaction(letters.server.engine) as session:
        match = Match(
            game=GAME, options={}, seat0=1, seat1=2, challenger=1, state=MatchState.RUNNING, plies=len(texts),
            to_move=len(texts) % 2, created=MORNING, started=MORNING,
        )  # fmt: skip
        session.add(match)
        session.flush()
        rows = [
            {"match": match.id, "number": number, "seat": (number - 1) % 2, "text": text, "played": MORNING}
            for number, text in enumerate(texts, start=1)
        ]
        session.execute(insert(Ply), rows)
        assert match.id is not None
        return match.id

"""Matches by mail that begin in the middle."""

from typing import Any

from sqlalchemy import text as sql
from sqlmodel import select

from engines.core import Position
from notation.games import GAMES
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests.correspondence import Correspondence


def stand(letters: Correspondence, game: str, texts: list[str]) -> Position[Any]:
    """Put match 1 into the state after those turns, whatever it was. Return its position."""
    with transaction(letters.server.engine) as session:
        position = GAMES[game].game.position(session.exec(select(Match.options)).one())
    with letters.server.engine.begin() as connection:
        connection.execute(sql("delete from ply"))
        for number, turn in enumerate(texts, start=1):
            connection.execute(
                sql("insert into ply (match, number, seat, text, played) values (1, :n, :s, :t, '2026-01-01')"),
                {"n": number, "s": position.turn, "t": turn},
            )
            position = position.play(GAMES[game].notation.parse(turn))
        connection.execute(
            sql(
                "update match set state = 'running', part = null, winner = null, reason = null, plies = :n,"
                " to_move = :s where id = 1"
            ),
            {"n": len(texts), "s": position.turn},
        )
    return position

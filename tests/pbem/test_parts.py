"""Operation 1 and the number, sent alone, in every kind of position in which they can arrive."""

import random
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from notation.games import GAMES
from notation.record import Record, replay
from tests.correspondence import Correspondence, correspondence, text


def begin(letters: Correspondence, game: str, texts: list[str]) -> None:
    """Put match 1 of that game into the state after those turns."""
    with letters.server.engine.begin() as connection:
        connection.execute(sql("delete from ply"))
        connection.execute(
            sql(
                "update match set state = 'running', part = null, winner = null, reason = null,"
                " plies = :plies, to_move = :to_move"
            ),
            {"plies": len(texts), "to_move": replay(Record(game, {}, ("", ""), tuple(texts)))[-1].turn},
        )
        for number, turn in enumerate(texts, start=1):
            connection.execute(
                sql("insert into ply (match, number, seat, text, played) values (1, :n, :s, :t, '2026-01-01')"),
                {"n": number, "s": (number - 1) % 2, "t": turn},
            )


def lines_of_play(game: str, count: int) -> list[list[str]]:
    """Return the turns of random matches played to their end."""
    matches = []
    for seed in range(count):
        chance, position, texts = random.Random(seed), GAMES[game].game.position({}), []
        while position.turn is not None:
            turns = [turn for turn, _ in zip(position.moves(), range(40), strict=False)]
            turn = chance.choice(turns)
            texts.append(GAMES[game].notation.format(turn, position))
            position = position.play(turn)
        matches.append(texts)
    return matches


@pytest.mark.parametrize("game", ["quadraphages", "hexaphages"])
def test_a_part_is_played_when_one_completion_is_left_and_kept_otherwise(game: str, tmp_path: Path) -> None:
    seen = {"refused": 0, "played": 0, "kept": 0, "ended": 0}
    notation = GAMES[game].notation
    with correspondence(tmp_path) as letters:
        letters.match(f"challenge bob {game}")
        addresses = {0: personal(letters, "alice"), 1: personal(letters, "bob")}
        for texts in lines_of_play(game, 1):
            position = GAMES[game].game.position({})
            for ply, turn_text in enumerate(texts):
                seat = position.turn
                assert seat is not None
                turn = notation.parse(turn_text)
                part = notation.format(type(turn)(turn.first, turn.number, None), position)
                begin(letters, game, texts[:ply])
                sender = ("alice", "bob")[seat]
                completions = list(zip(position.play(notation.parse(part)).moves(), range(2), strict=False))
                answer = letters.write(f"{sender}@mail.example", f"#1 {part}", to=addresses[seat])
                if len(completions) == 1:
                    assert sorted(str(mail["To"]).partition("@")[0] for mail in answer) == ["alice", "bob"]
                    assert f"played {turn_text}." in " ".join(text(answer[0]).split())
                    seen["played"] += 1
                else:
                    assert [str(mail["To"]).partition("@")[0] for mail in answer] == [sender]
                    assert f"so far: {part}" in text(answer[0])
                    seen["kept"] += 1
                    rest = notation.format(type(turn)((), None, turn.second), position)
                    done = letters.write(f"{sender}@mail.example", f"#1 {rest}", to=addresses[seat])
                    assert f"played {turn_text}." in " ".join(text(done[0]).split())
                position = position.play(turn)
                if position.outcome is not None:
                    seen["ended"] += 1
            assert_ended(letters)
        begin(letters, game, [])
        first_steps = notation.format(notation.parse(lines_of_play(game, 1)[0][0]), GAMES[game].game.position({}))
        number, *steps = first_steps.split()
        answer = letters.write("alice@mail.example", f"#1 {' '.join(steps)} {number}", to=addresses[0])
        assert "first turn" in text(answer[0])
        assert f"for example {first_steps}" in " ".join(text(answer[0]).split())

    assert seen["played"] > 3
    assert seen["kept"] > 5
    assert seen["ended"] == 1


def personal(letters: Correspondence, name: str) -> str:
    """Return the player's personal address from the welcome message."""
    mails = letters.received[f"{name}@mail.example"]
    words = "\n".join(text(mail) for mail in mails if mail["Subject"] == "[pbem] Welcome")
    return next(line.strip() for line in words.splitlines() if "games+" in line)


def assert_ended(letters: Correspondence) -> None:
    with letters.server.engine.begin() as connection:
        match = connection.execute(sql("select state, reason from match where id = 1")).one()
    assert match.state == "over"
    assert "marked cells" in match.reason

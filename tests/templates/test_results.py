"""The sentence about how a match ended: one for each termination, with and without a winner."""

from types import SimpleNamespace
from typing import Any

import pytest

from notation.ending import Termination
from pbem.messages.templating import TEXT, templates

SENTENCES = {
    Termination.RULES: ("bob won: 39 to 31.", "The match is a draw: 39 to 31."),
    Termination.RESIGNATION: ("bob won: alice resigned.", None),
    Termination.LEFT: ("bob won: alice left.", None),
    Termination.TIMEOUT: ("bob won: alice ran out of time.", "The match is a draw: alice ran out of time."),
    Termination.AGREEMENT: (None, "The match is a draw by agreement."),
    Termination.CANCELLED: (None, "The match was cancelled: 39 to 31."),
    Termination.ABANDONED: (None, "The match was abandoned."),
    Termination.ADJUDICATED: ("bob won by adjudication.", "The match is a draw by adjudication."),
    Termination.PROVEN: ("bob won: proven by 39 to 31.", "The match is a draw: proven by 39 to 31."),
}


def result(termination: Termination, winner: str | None) -> str:
    by = "alice" if termination in (Termination.RESIGNATION, Termination.LEFT, Termination.TIMEOUT) else None
    match = SimpleNamespace(termination=termination, winner=winner, ended_by=by, reason="39 to 31")
    return str(templates(TEXT).get_template("parts/result.j2").module.result(match))  # type: ignore[attr-defined]


@pytest.mark.parametrize("termination", Termination)
def test_every_termination_has_a_sentence(termination: Termination) -> None:
    won, nobody_won = SENTENCES[termination]
    if won is not None:
        assert result(termination, "bob") == won
    if nobody_won is not None:
        assert result(termination, None) == nobody_won


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"yours": True}, "Your turn against alice"),
        ({"to_move": "alice", "can_claim": True}, "alice has run out of time"),
        ({"to_move": "alice", "turns": 0}, "The match has begun."),
        ({"to_move": "alice", "mover": "You", "last": "f3f4"}, "You played f3f4."),
        ({"to_move": "alice", "mover": "bob"}, "It's alice's turn"),
        ({"over": True, "winner": "You"}, "You won!"),
        ({"over": True, "winner": "alice"}, "alice won."),
        ({"over": True}, "The match is a draw."),
        ({"over": True, "termination": "agreement"}, "The match is a draw by agreement."),
        ({"over": True, "termination": "cancelled"}, "The match was cancelled."),
    ],
)
def test_the_headline_says_first_what_the_reader_wants_to_know(state: dict[str, object], words: str) -> None:
    known = {
        "over": False,
        "missing": False,
        "can_claim": False,
        "yours": False,
        "winner": None,
        "to_move": None,
        "opponent": "alice",
        "turns": 1,
        "termination": "rules",
    }
    macros: Any = templates(TEXT).get_template("parts/result.j2").module

    assert macros.headline(SimpleNamespace(**known | state)) == words

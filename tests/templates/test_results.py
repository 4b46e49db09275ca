"""The sentence about how a match ended: one for each termination, with and without a winner."""

from types import SimpleNamespace

import pytest

from notation.ending import Termination
from pbem.rendering.templating import templates

SENTENCES = {
    Termination.RULES: ("bob has won: 39 to 31.", "The match is a draw: 39 to 31."),
    Termination.RESIGNATION: ("bob has won: alice resigned.", None),
    Termination.LEFT: ("bob has won: alice left.", None),
    Termination.TIMEOUT: ("bob has won: alice ran out of time.", "The match is a draw: alice ran out of time."),
    Termination.AGREEMENT: (None, "The match is a draw by agreement."),
    Termination.CANCELLED: (None, "The match was cancelled."),
    Termination.ABANDONED: (None, "The match was abandoned."),
    Termination.ADJUDICATED: ("bob has won by adjudication.", "The match is a draw by adjudication."),
}


def result(termination: Termination, winner: str | None) -> str:
    by = "alice" if termination in (Termination.RESIGNATION, Termination.LEFT, Termination.TIMEOUT) else None
    match = SimpleNamespace(termination=termination, winner=winner, ended_by=by, reason="39 to 31")
    return str(templates().get_template("parts/result.j2").module.result(match))  # type: ignore[attr-defined]


@pytest.mark.parametrize("termination", Termination)
def test_every_termination_has_a_sentence(termination: Termination) -> None:
    won, nobody_won = SENTENCES[termination]
    if won is not None:
        assert result(termination, "bob") == won
    if nobody_won is not None:
        assert result(termination, None) == nobody_won

"""What pbem promises of every game holds for Noughts; with PBEM_GOLDEN=write its messages are written anew."""

import os
from pathlib import Path

import pytest

from pbem.conformance import by_mail, counts
from pbem.conformance.checks import CHECKS, Check, offered
from pbem_noughts import NOUGHTS

from .brute import State

PERFT = Path(__file__).parent / "noughts.perft"
GOLDEN = Path(__file__).parent / "golden" / "noughts.txt"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_promise_is_kept(check: Check) -> None:
    check.run(NOUGHTS)


def test_the_engine_and_the_brute_force_have_the_same_turns() -> None:
    counts.turns_are_counted(NOUGHTS, PERFT)
    counts.the_brute_force_agrees(NOUGHTS, State, PERFT)


def test_messages_stay_as_they_are() -> None:
    with offered(NOUGHTS):
        by_mail.messages_stay_as_they_are(NOUGHTS, GOLDEN, write=os.environ.get("PBEM_GOLDEN") == "write")

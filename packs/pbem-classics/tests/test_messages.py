"""The message that asks for a turn in each game, as a golden file to read: PBEM_GOLDEN=write pytest writes it anew."""

import os
from pathlib import Path

import pytest

from pbem.conformance.by_mail import drawn
from pbem.conformance.checks import offered
from pbem.conformance.server_harness import letters, text
from second_sources import GAMES

pytestmark = [pytest.mark.golden, pytest.mark.slow]

GOLDEN = Path(__file__).parent / "golden"
SHOWN = 12
"""The number of turns before the one that is asked for."""


@pytest.mark.parametrize("key", GAMES)
def test_the_message_that_asks_for_a_turn(key: str, tmp_path: Path) -> None:
    with offered(GAMES[key]), letters(tmp_path) as post:
        post.match(f"challenge bob {key}")
        for turn in drawn(GAMES[key])[0][:SHOWN]:
            (mover,) = (name for name in ("alice", "bob") if text(post.last(name)).startswith("Your turn against "))
            post.reply(post.last(mover), turn)
        asked = next(each for each in map(post.last, ("alice", "bob")) if text(each).startswith("Your turn against "))
    golden, written = GOLDEN / f"{key}.txt", f"Subject: {asked['Subject']}\n\n{text(asked)}".replace("\r\n", "\n")
    if os.environ.get("PBEM_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        golden.write_text(written, encoding="utf-8")
    assert written == golden.read_text(encoding="utf-8")
    assert max(map(len, written.splitlines())) <= 72

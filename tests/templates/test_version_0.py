"""Messages that were queued before payloads had types are still sent, and say what they would have said.

`version_0/rows.json` was written by the last such version: a row for each message and section, with the rows of the
players, matches and turns as they were when it was sent. The golden file beside it follows the wording of the
templates.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, SQLModel, create_engine

from notation.ending import Termination
from pbem.payloads.messages import Answer, Digest
from pbem.payloads.sections import TurnPlayed
from pbem.payloads.stored import load
from pbem.rendering.render import Renderer
from pbem.storage.models import Incoming, Match, Outgoing, OutgoingContent, Player, Ply, RawMessage
from pbem.tokens import Keyring
from tests import databases
from tests.correspondence import parsed, settings
from tests.templates import golden

FOLDER = Path(__file__).parent / "version_0"
ROWS: dict[str, dict[str, Any]] = json.loads((FOLDER / "rows.json").read_text(encoding="utf-8"))
ENDINGS = {"resigned": "resignation", "left": "left"}
RENAMED = {"words": "payload", "subject": "token_subject", "trouble": "error", "begun": "delivery_starts"}
"""Columns that migrations have renamed since."""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the text of each message as rendered now."""
    server = settings(tmp_path_factory.mktemp("server"), server='admin = "admin@pbem.example"').server
    renderer = Renderer(server, Keyring(server.key.read()))
    found = {}
    engine = create_engine("sqlite://")
    SQLModel.metadata.create_all(engine)
    empty = databases.keep(engine)
    for name, stored in ROWS.items():
        databases.put_back(empty, engine)
        with Session(engine) as session:
            rows = list(_rows(stored))
            session.add_all(rows)
            session.flush()
            mail = parsed(*renderer.render(session, [row for row in rows if isinstance(row, Outgoing)]))
            found[name] = golden.plain(mail)
            assert (mail.get_body(("html",)) is None) == (name == "face-plain")
    engine.dispose()
    return found


def _rows(stored: dict[str, Any]) -> Iterator[SQLModel]:
    """Yield the rows as migrations leave them."""
    yield from (Player.model_validate(player) for player in stored["players"])
    for match in stored["matches"]:
        plies = sum(ply["match"] == match["id"] for ply in stored["plies"])
        yield Match.model_validate(match | {"plies": plies} | _ending(match))
    yield from (Ply.model_validate(ply) for ply in stored["plies"])
    for incoming in stored["incoming"]:
        yield Incoming.model_validate(incoming)
        yield RawMessage(incoming=incoming["id"], raw=incoming["raw"].encode())
    row = {RENAMED.get(column, column): value for column, value in stored["row"].items()}
    yield Outgoing.model_validate(row | {"plies": row["payload"].get("plies")})
    yield OutgoingContent(outgoing=row["id"], payload=row["payload"], facts=row.get("facts"))


def _ending(match: dict[str, Any]) -> dict[str, Any]:
    """Return how the match ended; version 0 stored that as a sentence."""
    words = match.get("reason", "").rpartition(" ")[2]
    if match["state"] != "over":
        return {}
    if words not in ENDINGS:
        return {"termination": "rules"}
    return {"termination": ENDINGS[words], "termination_seat": 1 - match["winner"], "reason": None}


def test_a_message_of_the_previous_version_still_says_the_same(rendered: dict[str, str]) -> None:
    path = FOLDER / "mails.txt"
    written = "".join(f"{'=' * 30} {name}\n{text}" for name, text in rendered.items())
    if os.environ.get("PBEM_GOLDEN") == "write":
        path.write_text(written, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == written


def test_each_message_and_section_of_that_version_is_among_them() -> None:
    kinds = {stored["row"]["template"] for stored in ROWS.values()}
    sections = {
        section["template"] for stored in ROWS.values() for section in stored["row"]["words"].get("sections", ())
    }

    assert (len(kinds), len(sections)) == (18, 29)


def test_a_resignation_that_version_1_stored_is_a_termination() -> None:
    turn = {"template": "turn", "match": 1, "ply": 2, "message": [], "by": "bob", "resigned": True}
    running = turn | {"resigned": False}
    match = {"match": 1, "ply": 2, "stage": "over", "turns": [], "has_board": True, "news": [turn, running]}

    message = load("turn", {"version": 1, **turn})
    answer = load("answer", {"version": 1, "template": "answer", "subject": "", "sections": [turn]})
    digest = load("digest", {"version": 1, "template": "digest", "matches": [match]})

    over = TurnPlayed(match=1, ply=2, by="bob", termination=Termination.RESIGNATION)
    assert message == over
    assert isinstance(answer, Answer)
    assert answer.sections == (over,)
    assert isinstance(digest, Digest)
    assert digest.matches[0].news == (over, TurnPlayed(match=1, ply=2, by="bob"))

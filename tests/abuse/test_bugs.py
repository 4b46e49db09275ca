"""A bug of ours that a message meets: who proves nothing can't trouble the operator with it, and who does still can."""

import io
from dataclasses import replace
from typing import Any

import pytest
import structlog

from pbem.cli import log_format
from pbem.config import LogSettings
from pbem.conversation.command import Decision, Line, Request
from pbem.features.all import FEATURES
from pbem.messages.render import Renderer
from pbem.tokens import Keyring, Purpose, Token
from tests.correspondence import Correspondence
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


ALICE = "alice@mail.example"
OPERATED = "select state, verdict from incoming order by id desc limit 1"


def fall(request: Request, _line: Line) -> Decision:
    """Fall down, after something was written."""
    request.player.settings = {"zone": "Europe/Vienna"}
    request.session.flush()
    raise ZeroDivisionError("secret words")


def break_database(request: Request, _line: Line) -> Decision:
    """Write a row that the database refuses."""
    request.session.connection().exec_driver_sql("insert into player (id) values (1)")
    return Decision()


@pytest.mark.parametrize("run", [fall, break_database])
@pytest.mark.parametrize("name", ["set", "games"])  # one is tried and asked about, the other answered at once
def test_a_bug_that_an_unproven_message_meets_troubles_nobody(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch, name: str, run: Any
) -> None:
    monkeypatch.setitem(FEATURES.commands, name, replace(FEATURES.commands[name], run=run))
    lines = io.StringIO()
    log_format.configure(LogSettings.model_validate({"format": "json"}), lines, letters.server.settings.server)
    before = letters.execute("select settings from player")

    assert letters.write(ALICE, f"{name} mail daily" if name == "set" else name) == []
    structlog.configure(processors=[], cache_logger_on_first_use=False)

    ((state, verdict),) = letters.execute(OPERATED)
    assert (state, str(verdict).partition(":")[0]) == ("done", "no answer")
    assert letters.execute("select settings from player") == before
    assert letters.server.services.vitals.counts.mails_in.labels("unanswered", "bug")._value.get() == 1
    assert '"at":' in lines.getvalue()
    assert "tests.abuse" not in lines.getvalue()
    assert "secret words" not in lines.getvalue()


def test_a_bug_that_a_proven_message_meets_waits_for_the_operator(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FEATURES.commands, "games", replace(FEATURES.commands["games"], run=fall))

    letters.reply(letters.received[ALICE][1], "games")

    assert letters.execute(OPERATED) == [("shunted", "ZeroDivisionError, 3 times")]


def test_a_reply_to_an_unproven_message_that_can_not_be_made_troubles_nobody(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as context:
        context.setattr(Renderer, "render", failing)
        assert letters.write(ALICE, "help") == []
        assert letters.write("stranger@far.example", "join stranger") == []
        assert letters.reply(letters.received[ALICE][1], "help") == []

    made = "select state, troubled is not null from outgoing order by id desc limit 3"
    assert letters.execute(made) == [("owed", True), ("owed", False), ("owed", False)]
    assert letters.server.services.vitals.counts.mails_out.labels("not rendered")._value.get() == 3
    assert len(letters.wait(days=1)) == 3


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("subject", [2**31, 2**32 - 1])
def test_no_number_in_a_forged_token_is_a_bug(letters: Correspondence, purpose: Purpose, subject: int) -> None:
    forged = Keyring("a forger's").format(Token(purpose, 1, subject), 0)

    assert letters.write(ALICE, "show", to=f"games+{forged}@pbem.example") == []
    assert letters.execute(OPERATED) == [("done", "no answer: unknown token")]

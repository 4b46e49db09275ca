"""What the log and `pbem show` say about a message: lines that operators and their scripts rely on."""

import pytest

from pbem.conversation.verdict import Outcome, Verdict
from pbem.errors import Silence, Unanswerable
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence

pytestmark = scenes.after(scenes.two_turns)

LINES = {
    Verdict(Outcome.DONE, "move, say"): "done: move, say",
    Verdict(Outcome.REFUSED): "refused",
    Verdict(Outcome.REFUSED_IN_PART): "refused in part",
    Verdict(Outcome.UNREAD, "it is malformed"): "unread: it is malformed",
    Verdict(Outcome.DONE, "join", confirmed=3): "confirmed mail 3; done: join",
    Verdict(Outcome.UNANSWERED, "unknown token"): "no answer: unknown token",
}


@pytest.mark.parametrize(("verdict", "line"), LINES.items())
def test_a_verdict_reads_as_it_always_did(verdict: Verdict, line: str) -> None:
    assert str(verdict) == line
    assert verdict.has_acted == (verdict.outcome in (Outcome.DONE, Outcome.REFUSED_IN_PART))


def test_every_silence_has_a_line_of_its_own() -> None:
    lines = {str(Unanswerable(silence, "DETAIL")) for silence in Silence}
    assert len(lines) == len(Silence)
    assert all(line and "{" not in line for line in lines)


def test_what_became_of_each_mail_stands_in_its_row(letters: Correspondence) -> None:
    alice = "alice@mail.example"
    letters.write(alice, "#1 say hello")
    question = letters.last("alice")
    letters.reply(question, "no")
    letters.reply(question, "yes")
    letters.write("stranger@mail.example", "hello")
    letters.write(alice, "say x", to=ADDRESS.replace("@", "+nonsense@"))
    letters.reply(letters.received[alice][1], "#1 say hello\n#1 resume")

    rows = letters.execute("select verdict from incoming order by id desc limit 6")

    assert [row[0] for row in reversed(rows)] == [
        "not confirmed",
        "not confirmed",
        "settled already",
        "told what this is",
        "no answer: unknown token",
        "refused in part",
    ]

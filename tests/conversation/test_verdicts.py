"""What the log and `pbem show` say about a message: lines that operators and their scripts rely on."""

from pbem.storage.verdicts import Outcome, Verdict

LINES = {
    Verdict(Outcome.DONE, "move, say"): "done: move, say",
    Verdict(Outcome.REFUSED): "refused",
    Verdict(Outcome.REFUSED_IN_PART): "refused in part",
    Verdict(Outcome.UNREAD, "it is malformed"): "unread: it is malformed",
    Verdict(Outcome.DONE, "join", confirmed=3): "confirmed mail 3; done: join",
    Verdict(Outcome.UNANSWERED, "unknown token"): "no answer: unknown token",
}


def test_a_verdict_reads_as_it_always_did() -> None:
    for verdict, line in LINES.items():
        assert str(verdict) == line
        assert verdict.has_acted == (verdict.outcome in (Outcome.DONE, Outcome.REFUSED_IN_PART))

"""A correspondence as readable text: every message in and out, with random and secret values replaced."""

import re
from collections.abc import Sequence
from email.message import EmailMessage

from pbem import tokens
from tests import databases
from tests.correspondence import text

HEADERS = ("From", "To", "Reply-To", "Subject", "Auto-Submitted")
_NUMBERED = re.compile(r"player [0-9]+ [0-9]+[.][0-9]+\]@|deleted-[0-9]+")
TOKEN = re.compile(r"games\+([a-z2-7]{40})@")


def transcript(log: Sequence[tuple[str, EmailMessage]]) -> str:
    """Return all messages in order."""
    return "\n".join(_mail(number, *entry) for number, entry in enumerate(log, start=1))


def same(told: str, golden: str) -> bool:
    """Return whether a transcript matches the golden file.

    PostgreSQL skips the ids of rows that are rolled back, so there ids in tokens and of deleted players are ignored.
    """
    if databases.kind() == "postgresql":
        told, golden = (_NUMBERED.sub("...", words) for words in (told, golden))
    return told == golden


def _mail(number: int, entry_way: str, mail) -> str:
    arrow = ">>>" if entry_way == "in" else "<<<"
    lines = [f"{arrow} {number} " + "=" * 60]
    lines += [f"{name}: {mail[name]}" for name in HEADERS if mail[name]]
    lines += [f"Threaded: {'yes' if mail['References'] else 'no'}", ""]
    lines += [line.rstrip() for line in text(mail).rstrip().splitlines()]
    return _without_tokens("\n".join(lines)) + "\n"


def _without_tokens(words: str) -> str:
    def readable(found: re.Match[str]) -> str:
        token = tokens.parse(found[1])
        assert token is not None
        return f"games+[{token.purpose.name.lower()} player {token.player} {token.subject}.{token.ply}]@"

    return TOKEN.sub(readable, words)

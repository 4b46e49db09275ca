"""What a check has found: a sentence, whether it is a problem, and what to do about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    OK = "ok"
    NOTE = "note"
    """It works, and could be better, or is worth knowing."""
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    level: Severity
    sentence: str
    advice: str = ""


@dataclass(frozen=True)
class Check:
    name: str
    run: Callable[[], Iterator[Finding]]


def ok(sentence: str) -> Finding:
    return Finding(Severity.OK, sentence)


def note(sentence: str, advice: str = "") -> Finding:
    """Return a finding that may be intended."""
    return Finding(Severity.NOTE, sentence, advice)


def problem(sentence: str, advice: str) -> Finding:
    """Return a finding that keeps the server from working as it should."""
    return Finding(Severity.PROBLEM, sentence, advice)

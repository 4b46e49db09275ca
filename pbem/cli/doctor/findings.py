"""What a check has found: a sentence, whether it is a problem, and what to do about it."""

import errno
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

PAGE = 4096
"""Bytes to write to a disk: an empty file can be made on a full one."""


class Severity(StrEnum):
    OK = "ok"
    NOTE = "note"
    """It works, and could be better, or is worth knowing; it may be intended."""
    PROBLEM = "problem"
    """It keeps the server from working as it should."""


@dataclass(frozen=True)
class Finding:
    level: Severity
    sentence: str
    advice: str = ""


def ok(sentence: str) -> Finding:
    return Finding(Severity.OK, sentence)


def note(sentence: str, advice: str = "") -> Finding:
    return Finding(Severity.NOTE, sentence, advice)


def problem(sentence: str, advice: str) -> Finding:
    return Finding(Severity.PROBLEM, sentence, advice)


def unwritable(folder: Path, setting: str) -> Iterator[Finding]:
    """Yield a problem if no file can be made in the folder, or where the folder would be made."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=there, buffering=0) as file:
            file.write(bytes(PAGE))
    except OSError as error:
        advice = "make room" if error.errno == errno.ENOSPC else f"correct {setting}, or its rights"
        yield problem(f"no file can be made in {there}: {error.strerror}", advice)

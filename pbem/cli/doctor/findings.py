"""What a check has found: a sentence, whether it is a problem, and what to do about it, as findings.toml has them."""

import errno
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

PAGE = 4096
"""Bytes to write to a disk: an empty file can be made on a full one."""


class Severity(StrEnum):
    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    level: Severity
    sentence: str
    advice: str = ""


def problem(sentence: str, advice: str) -> Finding:
    return Finding(Severity.PROBLEM, sentence, advice)


def finding(row: str, /, **words: object) -> Finding:
    """Return the finding of that row, such as "dns.no_spf", about these."""
    check, _, name = row.partition(".")
    found = rows()[check][name]
    level = next(level for level in Severity if level in found)
    return Finding(level, found[level].format_map(words), found.get("do", "").format_map(words))


@cache
def rows() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def unwritable(folder: Path, setting: str, size: int = PAGE) -> Iterator[Finding]:
    """Yield a problem if no file can be made in the folder, or where the folder would be made."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=there) as file:
            file.write(bytes(size))
            file.flush()
    except OSError as error:
        row = "all.full" if error.errno == errno.ENOSPC else "all.unwritable"
        yield finding(row, folder=there, why=error.strerror, setting=setting)

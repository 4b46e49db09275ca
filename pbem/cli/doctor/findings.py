"""What a check has found, in the words of findings.toml or, for errors of mail servers and databases, faults.toml."""

import errno
import re
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL

PAGE = 4096  # bytes to write to a disk: an empty file can be made on a full one


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
    found = rows("findings.toml")[check][name]
    level = next(level for level in Severity if level in found)
    return Finding(level, found[level].format_map(words), found.get("do", "").format_map(words))


@cache
def rows(file: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(file).read_text(encoding="utf-8"))


def fault(table: str, error: BaseException, said: str, **words: object) -> Finding | None:
    """Return the problem of the first row that fits the error or its cause; None if none does."""
    kinds = {kind.__qualname__ for kind in (*type(error).__mro__, *type(error.__cause__).__mro__)}
    for row in rows("faults.toml")[table]:
        match = re.search(row.get("words", ""), said, re.IGNORECASE)
        if match and row.get("error", "Exception") in kinds:
            words |= {"said": said, **match.groupdict()}
            return problem(row.get("say", "{said}").format_map(words), row["do"].format_map(words))
    return None


def database_advice(error: BaseException, said: str, url: URL) -> str | None:
    name = url.database
    if name and "unable to open" in said and Path(name).is_dir():
        return f"{name} is a folder: name a file in database of [server]"
    found = fault("database", error, said, name=name, user=url.username or "the user")
    return found.advice if found is not None else None


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

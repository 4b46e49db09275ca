"""What to say and to do about an error of a mail server or of the database, as faults.toml has it."""

import re
import tomllib
from pathlib import Path

from sqlalchemy import URL


def find(table: str, error: BaseException, said: str, **words: object) -> tuple[str, str] | None:
    """Return the sentence and the advice of the first row that fits the error or its cause; None if none does."""
    kinds = {kind.__qualname__ for kind in (*type(error).__mro__, *type(error.__cause__).__mro__)}
    for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[table]:
        match = re.search(row.get("words", ""), said, re.IGNORECASE)
        if match and row.get("error", "Exception") in kinds:
            words |= {"said": said, **match.groupdict()}
            return row.get("say", "{said}").format_map(words), row["do"].format_map(words)
    return None


def database_advice(error: BaseException, said: str, url: URL) -> str | None:
    name = url.database
    if name and "unable to open" in said and Path(name).is_dir():
        return f"{name} is a folder: name a file in database of [server]"
    found = find("database", error, said, name=name, user=url.username or "the user")
    return found[1] if found is not None else None

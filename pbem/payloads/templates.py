"""The files of the templates: where they are, and the words that they write themselves."""

import re
from functools import cache
from pathlib import Path

_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_WORD = re.compile(r"[a-z][a-z0-9_-]*[a-z0-9]")


def templates_folder() -> Path:
    """Return the folder of the templates: inside an installed package, beside it in a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


@cache
def words() -> frozenset[str]:
    """Return the names of all templates, and every word in the text of our messages.

    >>> {"welcome", "to", "turn", "refused", "hello"} <= words(), "alice" in words()
    (True, False)
    """
    found: set[str] = set()
    for path in templates_folder().rglob("*.txt.j2"):
        found.add(path.name.partition(".")[0])
        found.update(_WORD.findall(_JINJA.sub(" ", path.read_text(encoding="utf-8")).lower()))
    return frozenset(found)

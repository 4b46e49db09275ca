"""Where the templates are, those of pbem and of installed features, and which words they have."""

import re
from functools import cache
from pathlib import Path

import pbem

_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_LITERAL = re.compile(r"""\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'""")
_OF_ALL = frozenset({"help", "parts", "rules", "sections", "site"})
"""The folders of templates that belong to no feature."""
_WORD = re.compile(r"[a-z][a-z0-9_-]*[a-z0-9]")


def templates_folder() -> Path:
    """Return the folder of the templates: inside an installed package, beside it in a checkout."""
    package = Path(pbem.__file__).parent
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def template_folders() -> list[Path]:
    """Return the folders in which a template is looked for by its name: that of all, and one for each feature."""
    folder = templates_folder()
    return [folder, *sorted(path for path in folder.iterdir() if path.is_dir() and path.name not in _OF_ALL)]


@cache
def words() -> frozenset[str]:
    """Return the names of all templates, and every word in the text of our messages.

    >>> {"welcome", "to", "turn", "refused", "hello"} <= words(), "alice" in words()
    (True, False)
    """
    names: set[str] = set()
    paths = (path for folder in template_folders() for kind in ("*.j2", "sections/*.j2") for path in folder.glob(kind))
    for path in paths:
        names.add(path.name.partition(".")[0])
        source = _COMMENT.sub("", path.read_text(encoding="utf-8"))
        text = [_JINJA.sub(" ", source), *(text for part in _JINJA.findall(source) for text in _LITERAL.findall(part))]
        names.update(_WORD.findall(" ".join(text).lower()))
    return frozenset(names)

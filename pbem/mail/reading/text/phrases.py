"""The tables of phrases.toml: words and phrases of mail programs in many languages."""

import tomllib
from collections.abc import Mapping
from importlib import resources

_TABLES = tomllib.loads(resources.files("pbem.mail.reading.text").joinpath("phrases.toml").read_text(encoding="utf-8"))


def table(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of a table by kind."""
    return {kind: tuple(phrases) for kind, phrases in _TABLES[name].items()}

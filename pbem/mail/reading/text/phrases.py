"""The phrases of mail programs, companies and servers in many languages, from phrases.toml."""

import tomllib
from collections.abc import Mapping
from importlib import resources

_TABLES = tomllib.loads(resources.files("pbem.mail.reading.text").joinpath("phrases.toml").read_text(encoding="utf-8"))


def table(name: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of a table by kind.

    >>> "schrieb" in table("attributions")["verbs"]
    True
    """
    return {kind: tuple(phrases) for kind, phrases in _TABLES[name].items()}

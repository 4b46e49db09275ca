"""How Jinja reads the templates: a module of its own, loaded when the first is rendered."""

from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


class _Templates(Environment):
    """An environment whose templates have the same globals, so that what one imports is the same for all."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals; jinja would look each up in a mapping for the template first."""
        return self.globals if d is None else super().make_globals(d)


def made(folders: Sequence[Path], *, escapes: bool) -> Environment:
    return _Templates(
        loader=FileSystemLoader(folders),
        autoescape=escapes,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )

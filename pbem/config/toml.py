"""Values as TOML, which the standard library only reads."""

import json
from collections.abc import Mapping
from typing import Any


def format_value(value: Any) -> str:
    r"""Return the value as TOML writes it.

    >>> print(format_value({"file": "pbem.key"}), format_value(("a", 'b"')), format_value(1.5), format_value(True))
    { file = "pbem.key" } ["a", "b\""] 1.5 true
    """
    match value:
        case Mapping():
            pairs = ", ".join(f"{key} = {format_value(inner)}" for key, inner in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case list() | tuple():
            return f"[{', '.join(map(format_value, value))}]"
        case bool() | int() | float():
            return json.dumps(value)
        case _:
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")

"""Kinds of values that several tables of config.toml have."""

from typing import Annotated

from pydantic import AfterValidator, Field

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
Limit = Annotated[int, Field(ge=1)]


def _one_line(text: str) -> str:
    """Return the text, which becomes part of a protocol line; raise ValueError if it would end that line.

    >>> _one_line("Processed")
    'Processed'
    """
    if not text or not text.isprintable():
        raise ValueError("this must be one line of printable characters")
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]

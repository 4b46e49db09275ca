"""What messages say: values that are stored as JSON, and told by the template that their class names.

A `Payload` is a whole message; a `Section` is a part of an answer, and its template is in templates/sections/.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, TypeVar, dataclass_transform

from pydantic import GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Part:
    """A part of what a message says. Each subclass is a frozen dataclass whose fields are given by their names."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class Said(Part):
    """A value that a template tells: "class Export(Payload, template="export")" is told by templates/export.j2."""

    stands_alone: ClassVar[bool] = False  # whether a section is a message of its own where there is nothing else to say
    is_long: ClassVar[bool] = False
    """Whether a message takes long to render, or goes to many at once: turns don't wait for it."""
    template: ClassVar[str] = ""

    def __init_subclass__(cls, *, template: str = "") -> None:
        super().__init_subclass__()
        cls.template = template
        if template:
            _KINDS[template] = cls

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return how a field of this type is stored: one that may hold any kind, as the kind that is named."""
        if cls.template:
            return handler(source)
        return core_schema.no_info_plain_validator_function(
            partial(load, cls), serialization=core_schema.plain_serializer_function_ser_schema(dump)
        )


class Payload(Said):
    """What a whole message says."""


class News(Payload):
    """What a message says that a digest can tell as well."""

    message: tuple[str, ...] = ()  # what the author wrote below the command


class Section(Said):
    """A part of an answer."""


class Listing(Section):
    """A page of what a command lists."""

    page: int = 1
    next_page: str | None = None  # how to ask for the page after this one; None on the last


FIELDS = frozenset({"by", "who", "player", "opponent", "address"})
"""The fields of messages and sections that hold the name or the address of a person."""
_KINDS: dict[str, type[Said]] = {}
_Said = TypeVar("_Said", bound=Said)


def kinds(base: type[Said]) -> dict[str, type[Said]]:
    return {template: kind for template, kind in _KINDS.items() if issubclass(kind, base)}


def dump(value: Said) -> dict[str, Any]:
    """Return the value as JSON can store it; empty optional fields are left out."""
    fields: dict[str, Any] = _adapter(value.template).dump_python(value, mode="json", exclude_none=True)
    return {"template": value.template, **fields}


def load(base: type[_Said], stored: Mapping[str, Any]) -> _Said:
    """Return the value that was stored, of that type; raises ValueError for anything else."""
    kind = _KINDS.get(stored.get("template", ""))
    if kind is None or not issubclass(kind, base):
        raise ValueError(f"no {base.__name__}")
    value: _Said = _adapter(stored["template"]).validate_python(stored)
    return value


@cache
def _adapter(template: str) -> TypeAdapter[Any]:
    return TypeAdapter(_KINDS[template])


def people_in(payload: Any) -> Iterator[str]:
    """Yield every name and address that the payload holds.

    >>> list(people_in({"by": "bob", "message": ["by alice"], "rows": [{"opponent": "carol", "title": "Hex"}]}))
    ['bob', 'carol']
    """
    return (value for key, value in fields(payload) if key in FIELDS and isinstance(value, str) and value)


def fields(payload: Any) -> Iterator[tuple[str, Any]]:
    """Yield every field and its value, however deep."""
    if isinstance(payload, dict):
        yield from payload.items()
        payload = payload.values()
    for value in payload:
        if isinstance(value, dict | list | tuple):  # most are lines, of which a page of help has hundreds
            yield from fields(value)

"""Payloads as JSON: what the column `outgoingcontent.payload` holds, also in rows of an earlier version."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from notation.ending import Termination
from pbem.payloads.messages import News, Payload
from pbem.payloads.sections import Section

VERSION = 2
"""Raised when stored payloads change; `_of_version_0` and `_of_version_1` bring older ones up to date."""


def dump(payload: Payload) -> dict[str, Any]:
    """Return the payload as JSON can store it; empty optional fields are left out."""
    stored: dict[str, Any] = _messages().dump_python(payload, mode="json", exclude_none=True)
    return {"version": VERSION, **stored}


def dump_sections(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Return the sections as they stand in a stored answer."""
    return [_sections().dump_python(section, mode="json", exclude_none=True) for section in sections]


def load(template: str, stored: Mapping[str, Any], match: int | None = None, ply: int = 0) -> Payload:
    """Return the payload of a row with that template, match and ply."""
    if "version" not in stored:
        stored = _of_version_0(template, stored, match, ply)
    if stored.get("version", 0) < 2:
        stored = _of_version_1(stored)
    payload: Payload = _messages().validate_python(stored)
    return payload


def load_news(payload: Payload) -> News:
    """Return the payload as one that a digest can tell; raises ValueError for any other."""
    news: News = _news().validate_python(payload)
    return news


@cache
def _messages() -> TypeAdapter[Any]:
    return TypeAdapter(Payload)


@cache
def _sections() -> TypeAdapter[Any]:
    return TypeAdapter(Section)


@cache
def _news() -> TypeAdapter[Any]:
    return TypeAdapter(News)


def _of_version_0(template: str, words: Mapping[str, Any], match: int | None, ply: int) -> dict[str, Any]:
    """Bring up to date what was stored before payloads had types: the bare words of a template."""
    stored = {"template": template, **words}
    match template:
        case "turn" | "closed":
            stored = {"match": match, "ply": ply, **stored}
        case "answer":
            stored["sections"] = [{"template": each["template"], **each["words"]} for each in words["sections"]]
        case "digest":
            stored["matches"] = [_of_digest_0(each) for each in words["matches"]]
            stored["waiting"] = [{"match": each["number"], "ply": each["ply"]} for each in words["waiting"]]
    return stored


def _of_digest_0(item: Mapping[str, Any]) -> dict[str, Any]:
    where = {"match": item["number"], "ply": item["ply"]}
    return {**item, **where, "news": [{**where, **news} for news in item["news"]]}


def _of_version_1(stored: Any) -> Any:
    """Bring up to date what was stored when a message about a turn could only say that somebody had resigned."""
    if isinstance(stored, list):
        return [_of_version_1(each) for each in stored]
    if not isinstance(stored, Mapping):
        return stored
    current = {key: _of_version_1(value) for key, value in stored.items()}
    if current.get("template") == "turn" and current.pop("resigned", False):
        current["termination"] = Termination.RESIGNATION.value
    return current

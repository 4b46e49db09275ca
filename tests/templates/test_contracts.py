"""Every template uses only attributes that its dataclass has, and every dataclass has a template."""

from dataclasses import dataclass
from typing import Any, get_type_hints

import pytest
from jinja2 import DictLoader, Environment

from pbem.config import ServerSettings
from pbem.messages.render import VARIABLES
from pbem.messages.said.messages import Digest
from pbem.messages.templating import HTML, TEXT, templates
from pbem.messages.views import View
from pbem.storage.models import Outgoing, Player
from pbem.storage.payloads import Payload, Section, kinds
from tests.templates import letters
from tests.templates.contracts import Checker

MESSAGES, SECTIONS = kinds(Payload), kinds(Section)
KNOWN = {
    "server": ServerSettings,
    "keep_mail_days": int,
    "player": Player,
    "row": Outgoing,
    "view": View,
    "preview": View,
}
EXPORT = {"held": Any, "files": Any}
"""Additional variables of the message with an export."""
EVERYWHERE = {**dict.fromkeys((*templates(HTML).globals, *VARIABLES), Any), **KNOWN}


def test_each_payload_has_a_template_and_each_template_a_payload() -> None:
    assert set(MESSAGES) == letters.found("*.j2")
    assert set(SECTIONS) == letters.found("sections/*.j2")


@pytest.mark.slow
@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_asks_only_for_what_its_payload_has(name: str) -> None:
    checker = Checker(templates(HTML))
    fields = get_type_hints(MESSAGES[name], include_extras=True)
    checker.check(f"{name}.j2", EVERYWHERE | (EXPORT if name in ("export", "records") else {}) | fields)

    assert checker.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_asks_only_for_what_its_payload_has(name: str) -> None:
    checker = Checker(templates(HTML))
    checker.check(f"sections/{name}.j2", EVERYWHERE | {"section": SECTIONS[name]})

    assert checker.wrong == []


@pytest.mark.parametrize("face", [TEXT, HTML])
def test_the_shapes_ask_only_for_what_a_view_has(face: str) -> None:
    checker = Checker(templates(HTML))
    checker.check(f"parts/shapes.{face}.j2", EVERYWHERE)

    assert checker.wrong == []


@dataclass(frozen=True)
class Item:
    """A part of a payload."""

    number: int


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("{{ items[0].number }}{% for each in items %}{{ each.number }}{% endfor %}", []),
        ("{{ item }}", ["item"]),
        ("{% for each in items %}{{ each.name }}{% endfor %}", ["Item.name"]),
        ("{% if x %}{% set first = items[0] %}{% endif %}{{ first.name }}", ["x", "Item.name"]),
        ("{{ items[0].name if true }}", ["Item.name"]),
        ("{% include 'part' %}", ["Item.title"]),
        ("{% set m = view(1) %}{{ m.boards }}", ["View.boards"]),
        ("{% for each in digest.matches %}{{ each.news[0].by }}{{ each.news[0].to }}{% endfor %}", ["to"]),
    ],
)
def test_what_is_asked_for_in_vain_is_found(source: str, wrong: list[str]) -> None:
    """Tests the checker itself: names and attributes, also through loops, assignments and includes."""
    checker = Checker(Environment(loader=DictLoader({"page": source, "part": "{{ items[0].title }}"})))
    checker.check("page", {"items": tuple[Item, ...], "view": View, "digest": Digest})

    assert len(checker.wrong) == len(wrong)
    for found, expected in zip(checker.wrong, wrong, strict=True):
        assert found.endswith(expected)

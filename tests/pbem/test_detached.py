"""Rows that belong to no session are what the library makes of the same values."""

from collections.abc import Mapping
from datetime import timedelta, timezone
from typing import Any

import pytest
from pydantic_core import to_jsonable_python
from sqlmodel import SQLModel

from pbem.storage.models import Match, MatchState, Player
from pbem.storage.rows import restored
from tests.correspondence import MORNING

ELSEWHERE = MORNING.astimezone(timezone(timedelta(hours=5, minutes=30)))
MATCH: Mapping[str, Any] = {"game": "quadrature", "options": {"a": "b"}, "seat0": 1, "seat1": 2, "challenger": 2}
ROWS: tuple[tuple[type[SQLModel], Mapping[str, Any]], ...] = (
    (Player, {"address": "", "created": MORNING}),
    (
        Player,
        {"id": 1, "address": "a@b", "name": "\u00e4", "settings": {"html": "off"}, "created": ELSEWHERE, "epoch": 3},
    ),
    (Match, {**MATCH, "created": MORNING}),
    (Match, {**MATCH, "created": MORNING + timedelta(microseconds=7), "state": MatchState.OVER, "clock": {"a": [1]}}),
)


@pytest.mark.parametrize(("table", "values"), ROWS)
def test_a_restored_row_is_the_one_that_the_library_would_validate(
    table: type[SQLModel], values: Mapping[str, Any]
) -> None:
    stored = to_jsonable_python(dict(values))

    row = restored(table, stored)

    assert row.model_dump() == table.model_validate(stored).model_dump()
    assert all(getattr(row, name) == value for name, value in values.items())


@pytest.mark.parametrize("missing", ["game", "options", "seat0", "seat1", "challenger", "created"])
def test_a_row_that_lacks_what_it_must_have_is_not_restored(missing: str) -> None:
    stored = to_jsonable_python({**MATCH, "created": MORNING})
    del stored[missing]

    with pytest.raises(ValueError, match=f"Match without {missing}"):
        restored(Match, stored)

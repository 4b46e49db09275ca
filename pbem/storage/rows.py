"""What all tables have in common; rows of a session, found by their number with a statement that is built once."""

from functools import cache
from typing import Any, TypeVar

from sqlalchemy import bindparam, event, inspect
from sqlalchemy.orm.util import identity_key
from sqlmodel import Session, SQLModel, select
from sqlmodel.sql.expression import SelectOfScalar


class Table(SQLModel):
    """Rows aren't validated: what would do that isn't built, which takes 13 % of loading the tables."""

    model_config = {"defer_build": True}


_Row = TypeVar("_Row", bound=SQLModel)


def get_one(session: Session, table: type[_Row], number: int) -> _Row:
    """Return the row with that number, as `Session.get_one` does, which builds a statement each time: 3 % of a turn."""
    found: _Row | None = session.identity_map.get(identity_key(table, number))
    return session.exec(_by_number(table), params={"number": number}).one() if found is None else found


@cache
def _by_number(table: type[SQLModel]) -> SelectOfScalar[Any]:
    (key,) = inspect(table).primary_key
    return select(table).where(key == bindparam("number"))


def keep_rows(session: Session) -> None:
    """Have the session keep what it loads, or it forgets what nobody holds and loads it again: 6 % of a turn."""
    kept = session.info.setdefault("kept rows", [])
    event.listen(session, "loaded_as_persistent", lambda _session, row: kept.append(row))

"""Indexes of some of the rows of a table."""

from sqlalchemy import Connection, Index, TextClause, event, text

CONDITION = "where"


def partial_index(name: str, *columns: str | TextClause, where: str, unique: bool = False) -> Index:
    """Return an index of the few rows that fulfil a condition, for queries that name it in the same words.

    Its condition is set when it is created: an option for PostgreSQL would load its dialect for SQLite too.
    """
    index = Index(name, *columns, unique=unique, info={CONDITION: where})
    event.listen(index, "before_create", _set_condition)
    return index


def _set_condition(index: Index, connection: Connection, **_: object) -> None:
    index.dialect_options[connection.dialect.name]["where"] = text(index.info[CONDITION])

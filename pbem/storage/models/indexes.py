"""Indexes of some of the rows of a table."""

from sqlalchemy import Index, TextClause, text


def partial_index(name: str, *columns: str | TextClause, where: str) -> Index:
    """Return an index of the few rows that fulfil a condition, for queries that name it in the same words."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))

"""Indexes of some of the rows of a table."""

from sqlalchemy import Connection, Index, TextClause, event, text

CONDITION = "where"


def partial_index(name: str, *columns: str | TextClause, where: str, unique: bool = False) -> Index:
    """Return an index of the few rows that fulfil a condition, for queries that name it in the same words."""
    index = Index(name, *columns, unique=unique, info={CONDITION: where})

    @event.listens_for(index, "before_create")
    def set_condition(index: Index, connection: Connection, **_: object) -> None:
        """Set it here: an option for PostgreSQL would load its dialect for SQLite, too."""
        index.dialect_options[connection.dialect.name]["where"] = text(where)

    return index

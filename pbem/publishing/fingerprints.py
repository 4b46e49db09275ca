"""Fingerprints of rows, made by the database: a number that differs if one of the rows does, however many there are.

The values of a row are mixed into a number, and that again by the number of the row, before they are added up: rows
that change, appear, vanish or change places change the sum. So nothing has to be stored when a row changes, and it
doesn't matter in which way it does.
"""

from typing import Any

from sqlalchemy import case, func, literal_column
from sqlalchemy.sql import ColumnElement

FACTORS = (4294967311, 4398042316799, 6442450967, 5368709171, 7516192829, 8589934609, 4831838219, 5905580077)
"""Larger than 32 bits hold, so that PostgreSQL computes with 64."""
OF_THE_ROW = 9126805537
VALUES, ROWS = "2147483629", "524287"
"""The remainders that are kept: the sum of 8,000 rows fits 64 bits."""


def of(row: Any, *values: Any) -> ColumnElement[Any]:
    """Return the fingerprint of the rows of a group, by the number of each and its values: small ones, none is null."""
    mixed: Any = sum((value * _number(factor) for value, factor in zip(values, FACTORS, strict=False)), _number(1))
    return func.sum(mixed % literal_column(VALUES) * (row * _number(OF_THE_ROW) % literal_column(ROWS)))


def is_set(column: Any) -> ColumnElement[Any]:
    return case((column.is_(None), 0), else_=1)


def _number(value: int) -> Any:
    return literal_column(str(value))

"""Alembic migrations: the history of the tables."""

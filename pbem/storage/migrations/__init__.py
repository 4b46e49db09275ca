"""Alembic migrations: the history of the tables, and the step from before it."""

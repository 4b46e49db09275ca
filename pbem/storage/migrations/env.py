"""Alembic's environment: run the migrations in the transaction of the connection given."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()

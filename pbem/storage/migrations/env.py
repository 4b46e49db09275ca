"""Alembic's environment: run the migrations in the transaction of the connection given."""

from alembic import context

given = context.config.attributes
context.configure(connection=given["connection"], on_version_apply=given.get("after_each"))
context.run_migrations()

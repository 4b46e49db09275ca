"""Alembic's environment: run migrations on the connection given, or on the URL in its configuration."""

from alembic import context
from sqlmodel import SQLModel

from pbem.storage import database, models  # noqa: F401 - the tables register themselves when imported


def run() -> None:
    """Run the migrations in the caller's transaction."""
    connection = context.config.attributes.get("connection")
    if connection is None:
        url = context.config.get_main_option("sqlalchemy.url") or ""
        engine = database.connect(url)
        with engine.begin() as own:
            context.configure(connection=own, target_metadata=SQLModel.metadata, render_as_batch=True)
            context.run_migrations()
        engine.dispose()
        return
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        render_as_batch=True,
        on_version_apply=context.config.attributes.get("after_each"),
    )
    context.run_migrations()


run()

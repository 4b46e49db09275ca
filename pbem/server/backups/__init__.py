"""Backups: all that a server has in one file, made while it runs, and put back into an empty place; and moves.

Nothing is written under the name of a backup, or of a database, before it is whole.
"""


class NotBackedUp(Exception):
    """A backup that isn't made, and why."""


class NotRestored(Exception):
    """A file that isn't restored, or a place into which it can't be, and why."""

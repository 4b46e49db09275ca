"""Backups: all that a server has in one file, made while it runs, and put back into an empty place; and moves.

Nothing is written under the name of a backup, or of a database, before it is whole and known to be right.
"""

"""Tournaments: who has entered, who meets whom, and how it stands. Without commands, and without messages.

`field`, `formats`, `standings` and `crosstable` are values and functions of values; `entries` and `rounds` are rows.
Everything in a tournament is an ordinary match, which says in which one it is.
"""

"""Bytes of an email -> a `Message` with the lines a person wrote. Nothing here knows players, matches or the database.

Start with `message`. `protocol` says what can be asked about a message; `sandbox` asks it of a process of its own
(`worker`).
May import: the leaves of pbem (config, errors, tokens, failpoints).
"""

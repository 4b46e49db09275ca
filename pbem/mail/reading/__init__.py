"""Bytes of an email -> a `Message` with the lines that a person wrote, and what speaks for or against its sender.

Start with `message`. `isolated_parser` says what can be asked about the bytes, and asks it apart (`pbem.isolated`),
so that a hostile message can't take the server down. Nothing here knows players, matches or the database.
May import: the leaves of pbem (config, errors, failpoints, tokens).
"""

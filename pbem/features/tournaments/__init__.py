"""Tournaments: who has entered, who meets whom, and how it stands. Everything in one is an ordinary match.

Values, and functions of values: `standings` and `pairing`; rows: `entries`, `host_syntax`, `rounds`, `ladders`.
"""

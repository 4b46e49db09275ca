"""Matches, without mail: what can happen to one, its positions, its turns, and what it is called.

Start with `lifecycle`: every change of a match is one of its functions, which return `events`. `snapshot` replays a
match.
"""

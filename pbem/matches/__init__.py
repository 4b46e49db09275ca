"""Matches, without mail: what can happen to one, its positions, its turns, and what it is called.

Start with `lifecycle`: its functions are what can happen to a match, and return `events`. `replayed_match` replays a
match.
"""

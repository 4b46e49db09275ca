"""Matches that don't begin with an offer and an empty board: from records, from a position of another match."""

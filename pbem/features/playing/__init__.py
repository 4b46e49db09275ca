"""Turns, offers, words and conditions in a match, and looking at it."""

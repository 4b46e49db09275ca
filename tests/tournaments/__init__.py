"""Tournaments: pairings and standings as values, then with rows, then by email."""

"""Ratings as a player meets them: standings."""

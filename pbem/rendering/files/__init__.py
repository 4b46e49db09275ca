"""The files that a message encloses: a match, a player's data, an entry for a calendar."""

"""Help, rules and notation, as messages."""

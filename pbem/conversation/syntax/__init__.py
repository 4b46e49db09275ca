"""How a line of a message becomes a command: its grammar, courtesies around it, old spellings and suggestions.

Start with `mail`, then `line`.
"""

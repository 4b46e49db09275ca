"""What becomes of a message whose sender is known: carried out, held for a confirmation, refused or ignored.

Start with `dispatch`. May import: commands, players, matches, reading, storage and the leaves of pbem.
"""

"""What the operator does to players and matches: closing accounts and matches, names, announcements. Each act is kept.

May import: players, community, matches, storage, notation, engines and the leaves of pbem.
"""

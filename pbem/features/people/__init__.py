"""Players among players: seeks, blocks, who is listed, and how matches ended. Without mail and without commands.

May import: matches, storage, clocks, notation, engines and the leaves of pbem.
"""

"""What players choose for themselves: their settings, whether news comes, and when they are away.

May import what `pbem.commands` may.
"""

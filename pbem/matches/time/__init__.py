"""Time in stored matches, below `pbem.matches.lifecycle`: the events of their clocks, and what those add up to.

Start with `timekeeping`. May import: `pbem.matches.queries` and what that may import.
"""

"""A match without mail: how it stands, what it is called, the turns that can be written in it.

Start with `snapshot`. May import: storage, notation, engines and the leaves of pbem.
"""

"""What messages say about others: who plays here and how well, what they watch, tournaments, the bulletin.

Start with `players`. May import nothing else of pbem.
"""

"""Tables, transactions and locks: rows are dumb, and nothing here knows the rules of a game or the words of an email.

Start with `models`, then `database`.
"""

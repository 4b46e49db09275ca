"""People: who wrote a message, what they may do, what they have chosen, how much mail they get, and how they leave.

Start with `sender_identity`.
"""

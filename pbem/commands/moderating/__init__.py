"""What only the admin can write: what `pbem.moderation` does, by mail. Start with `orders`.

For everybody else these are no commands at all. Each act waits for a `yes` from the admin's address.
"""

"""What becomes of a message whose sender is known: carried out, held for a confirmation, refused or ignored.

Start with `handle_message`.
"""

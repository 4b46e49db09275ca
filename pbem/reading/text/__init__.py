"""The text of a message, down to the lines a person wrote: no quotes, attributions, signatures or disclaimers.

Start with `body`, then `reply_text`. Pure functions on text; may import nothing else of pbem.
"""

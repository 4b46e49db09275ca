"""What each message and each section of an answer says, as frozen dataclasses: the contracts of the templates.

Start with `sections`, then `messages`.
"""

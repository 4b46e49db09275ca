"""What each message and each section of an answer says, as frozen dataclasses: the contracts of the templates.

Start with `answer_sections`, then `message_payloads`.
"""

"""The text of an email, down to the lines that a person wrote: no quotes, attributions, signatures or disclaimers.

Start with `body`, then `reply_text`, which leads to the other modules. The phrases of mail programs in many languages
are data (`phrases.toml`): a new language needs no code. May import: `pbem.mail.reading.limits`.
"""

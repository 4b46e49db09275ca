"""Mail in and out: IMAP, LMTP, SMTP and Maildir behind the protocols in `protocols`.

Start with `protocols`; `receiver` is the loop that carries mail from a mailbox to the store. Nothing here looks into a
message.
"""

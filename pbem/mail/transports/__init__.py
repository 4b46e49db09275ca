"""Mail in and out: IMAP, LMTP, SMTP and Maildir behind the protocols in `protocols`.

Start with `protocols`; `receive_loop` carries mail from a mailbox to the store. Nothing here looks into a message.
"""

"""Mail in and out: IMAP, LMTP, SMTP and Maildir behind the protocols in `protocols`.

Start with `protocols`. Nothing here looks into a message. May import: the leaves of pbem, reading and storage.
"""

"""Mail servers for the tests of the transports."""

from tests.servers import bare_dovecot, dovecot, mailbox, old_dovecot, smtp_sink

__all__ = ["bare_dovecot", "dovecot", "mailbox", "old_dovecot", "smtp_sink"]

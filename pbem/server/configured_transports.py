"""Where mail comes in and where it goes out, as the configuration says."""

from collections.abc import Iterator
from functools import partial

from pbem.config import Settings
from pbem.mail.oauth2.access import AccessTokens
from pbem.mail.reading.limits import LARGEST_MESSAGE
from pbem.mail.transports.listener import MailListener
from pbem.mail.transports.maildir import MaildirInbox, MaildirOutbox
from pbem.mail.transports.protocols import Inbox, Outbox
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.players import sender_identity


def tokens(settings: Settings) -> AccessTokens | None:
    return AccessTokens(settings.oauth2) if settings.oauth2 is not None else None


def outbox(settings: Settings, tokens: AccessTokens | None) -> Outbox:
    if settings.outbox.smtp is not None:
        return SmtpOutbox(settings.outbox.smtp, tokens)
    assert settings.outbox.maildir is not None  # noqa: S101 - the settings have exactly one outbox
    return MaildirOutbox(settings.outbox.maildir)


def inboxes(settings: Settings, tokens: AccessTokens | None) -> Iterator[Inbox]:
    if settings.inbox.imap is not None:
        from pbem.mail.transports.imap import ImapInbox  # it takes more than a megabyte, which others don't need

        yield ImapInbox(settings.inbox.imap, LARGEST_MESSAGE, tokens)
    if settings.inbox.maildir is not None:
        yield MaildirInbox(settings.inbox.maildir, LARGEST_MESSAGE)


def listeners(settings: Settings) -> Iterator[MailListener]:
    accepts = partial(sender_identity.leads_to_us, server=settings.server)
    if settings.inbox.lmtp is not None:
        yield MailListener(settings.inbox.lmtp, "lmtp", LARGEST_MESSAGE, accepts)
    if settings.inbox.smtp is not None:
        yield MailListener(settings.inbox.smtp, "smtp", LARGEST_MESSAGE, accepts)

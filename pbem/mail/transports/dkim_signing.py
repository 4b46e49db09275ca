"""DKIM signatures on outgoing mail, if no mail server adds them: an optional extra, enabled by [outbox.dkim]."""

from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

from pbem.config import DkimSettings
from pbem.secret import BadConfig

SIGNED = (
    *("From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References"),
    *("Auto-Submitted", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
)
"""Signed once more than they occur, so that adding another one breaks the signature."""

SIGNED_IF_PRESENT = ("list-", "x-pbem-")
"""Prefixes of headers that are signed too; mailing lists may add such headers of their own."""

FEWEST_BITS = 1024
"""Of RSA keys (RFC 8301, 3.2)."""

SAMPLE = b"From: a@pbem.example\r\nDate: Thu, 01 Jan 1970 00:00:00 +0000\r\n\r\nFor trying the key.\r\n"


def signer(settings: DkimSettings, own_domain: str) -> Callable[[bytes], bytes]:
    """Return a function that signs a message; raises BadConfig if the settings don't allow it."""
    try:
        from dkim import DKIM  # an optional extra
        from dkim.crypto import parse_pem_private_key
    except ModuleNotFoundError as error:
        raise BadConfig("[outbox.dkim] needs a package that is not installed: the extra pbem[dkim]") from error
    selector, domain = settings.selector.encode(), own_domain.encode()
    key = settings.key.read_all().encode()

    class Dated(DKIM):  # type: ignore[misc]  # the library has no types
        """A signature that is as old as the message, so that a message which is signed again is the same."""

        def gen_header(self, fields: list[tuple[bytes, bytes]], *others: Any, **options: Any) -> bytes:
            """Write the header, with the time of the Date header in place of the present one."""
            date = next(value for name, value in self.headers if name.lower() == b"date")
            when = str(int(parsedate_to_datetime(date.decode()).timestamp())).encode()
            dated = [(name, when if name == b"t" else value) for name, value in fields]
            header: bytes = super().gen_header(dated, *others, **options)
            return header

    def sign(raw: bytes) -> bytes:
        mail = Dated(raw)
        there = [name.lower() for name, _ in mail.headers]
        signed = [name.lower().encode() for name in SIGNED]
        signed += [name for name in there if name in signed]
        signed += [name for name in there if name.decode("latin-1").startswith(SIGNED_IF_PRESENT)]
        signature: bytes = mail.sign(
            selector, domain, key, canonicalize=(b"relaxed", b"relaxed"), include_headers=signed
        )
        return signature + raw

    try:
        sign(SAMPLE)
        bits = parse_pem_private_key(key)["modulus"].bit_length()
    except Exception as error:  # the library reports a bad key in many ways
        raise BadConfig(
            f"the key of [outbox.dkim] can't be used ({type(error).__name__}); it must be an RSA key as PEM"
        ) from error
    if bits < FEWEST_BITS:
        raise BadConfig(f"the key of [outbox.dkim] has {bits} bits; others ignore fewer than {FEWEST_BITS}: use 2048")
    return sign

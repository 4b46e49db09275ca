"""DKIM signatures on outgoing mail, if no mail server adds them: an optional extra, enabled by [outbox.dkim]."""

from collections.abc import Callable
from email.parser import BytesHeaderParser

from pbem.config import DkimSettings
from pbem.secret_setting import BadConfig

SIGNED = (
    *("From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References"),
    *("Auto-Submitted", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
)
"""Signed once more than they occur, so that adding another one breaks the signature."""

SIGNED_IF_PRESENT = ("list-", "x-pbem-")
"""Prefixes of headers that are signed as often as they occur; mailing lists may add more of them."""

FEWEST_BITS = 1024  # of RSA keys (RFC 8301, 3.2)

SAMPLE = b"From: a@pbem.example\r\n\r\nFor trying the key.\r\n"


def signer(settings: DkimSettings, own_domain: str) -> Callable[[bytes], bytes]:
    """Return a function that signs a message; raises BadConfig if the settings don't allow it."""
    try:
        import dkim  # an optional extra
        from dkim.crypto import parse_pem_private_key
    except ImportError as error:
        raise BadConfig("[outbox.dkim] needs a package that is not installed: the extra pbem[dkim]") from error
    selector, domain = settings.selector.encode(), own_domain.encode()
    key = settings.key.read_all().encode()

    def sign(raw: bytes) -> bytes:
        present = [name.lower() for name in BytesHeaderParser().parsebytes(raw)]
        signed = [name.lower() for name in SIGNED]
        signed += [name for name in present if name in signed or name.startswith(SIGNED_IF_PRESENT)]
        how = (b"relaxed", b"relaxed")
        signature: bytes = dkim.sign(raw, selector, domain, key, canonicalize=how, include_headers=signed)
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

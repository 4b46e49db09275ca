"""Signatures of records (Ed25519): whoever has the public key can check what we wrote, without our database."""

import base64
import binascii
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY, SIGNATURE = 32, 64
"""The lengths of a public key and of a signature in bytes."""
SIGNED = "signature"
"""The field of the header of a game record that has its signature (see notation.gamerecord)."""


class NotSigned(Exception):
    """A text that no signature of ours vouches for; the message is a sentence."""


@dataclass(frozen=True)
class Signer:
    """Signs with the private key that a seed of 32 bytes gives; the same content always gets the same signature."""

    seed: bytes

    def __repr__(self) -> str:
        return f"<Signer of {self.public}>"

    @cached_property
    def _private(self) -> "Ed25519PrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # 18 ms, and 9 MB

        return Ed25519PrivateKey.from_private_bytes(self.seed)

    @cached_property
    def public(self) -> str:
        """The public key, as 44 characters of base64.

        >>> Signer(bytes(32)).public
        'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik='
        """
        return base64.b64encode(self._private.public_key().public_bytes_raw()).decode()

    def sign(self, content: bytes) -> bytes:
        """Return the signature of the content, 64 bytes."""
        return self._private.sign(content)

    def signature(self, document: dict[str, Any], by: str) -> dict[str, str]:
        """Return the signature of a game record, for which the server of that domain answers."""
        value = base64.b64encode(self.sign(canonical(document))).decode()
        return {"by": by, "key": self.public, "value": value}


def is_signed(content: bytes, signature: bytes, public: str) -> bool:
    """Return whether the owner of the public key signed the content."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(base64.b64decode(public, validate=True)).verify(signature, content)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def canonical(document: dict[str, Any]) -> bytes:
    r"""Return a game record without its signature as the bytes that are signed (RFC 8785; it has no fractions).

    >>> canonical({"moves": [1, "ü"], "header": {"signature": {}, "event": None}})
    b'{"header":{"event":null},"moves":[1,"\xc3\xbc"]}'
    """
    header = {name: value for name, value in document["header"].items() if name != SIGNED}
    told = {**document, "header": header}
    return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def signer_of(document: dict[str, Any]) -> tuple[str, str]:
    """Return who signed a game record, as it says, and the public key; raise NotSigned if it isn't what was signed."""
    signature = document["header"].get(SIGNED)
    if not isinstance(signature, dict):
        raise NotSigned("it isn't signed")
    by, public, value = (str(signature.get(name, "")) for name in ("by", "key", "value"))
    try:
        is_whole = is_signed(canonical(document), base64.b64decode(value, validate=True), public)
    except (binascii.Error, ValueError):
        is_whole = False
    if not is_whole:
        raise NotSigned("it was changed since it was signed")
    return by, public


def fingerprint(public: str) -> str:
    """Return a public key in short, for people to compare.

    >>> fingerprint("O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik=")
    '8eb7-cca2-ecab-b7fb-12e9'
    """
    digits = hashlib.sha256(public.encode()).hexdigest()[:20]
    return "-".join(digits[start : start + 4] for start in range(0, len(digits), 4))

"""Mailboxes and their owners, which budgets count: one address can be written in thousands of ways."""

import hashlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

ALIASES = {
    "googlemail.com": "gmail.com",
    "mac.com": "icloud.com",
    "me.com": "icloud.com",
    "pm.me": "proton.me",
    "protonmail.com": "proton.me",
}
"""Hosts at which everybody has the same address as at another one."""
DOTLESS = frozenset({"gmail.com", "proton.me"})  # hosts that ignore dots in front of the @


def mailbox(address: str) -> str:
    """Return the address without what its owner can vary: a sub-address, another name of the host, dots."""
    local, _, host = address.lower().rpartition("@")
    host = ALIASES.get(host, host)
    local = local.partition("+")[0]
    return f"{local.replace('.', '') if host in DOTLESS else local}@{host}"


def digest(address: str) -> str:
    return hashed(mailbox(address))


def hashed(text: str) -> str:
    """Return the hash of an address or domain. It has no key, so that a new key doesn't forget who wants no mail."""
    return hashlib.sha256(b"pbem invitee\0" + text.encode()).hexdigest()


LARGE = frozenset(
    (
        *("gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "aol.com"),
        *("icloud.com", "me.com", "mac.com", "proton.me", "protonmail.com", "fastmail.com", "mail.com", "zoho.com"),
        *("gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de", "t-online.de", "freenet.de", "posteo.de", "mailbox.org"),
        *("orange.fr", "free.fr", "laposte.net", "libero.it", "seznam.cz", "wp.pl", "o2.pl", "onet.pl", "interia.pl"),
        *("yandex.ru", "yandex.com", "mail.ru", "ukr.net", "qq.com", "163.com", "126.com", "sina.com", "naver.com"),
        *("yahoo.co.jp", "yahoo.co.uk", "hotmail.co.uk", "btinternet.com", "bluewin.ch", "comcast.net", "att.net"),
    )
)
"""Domains at which many people who don't know each other have addresses."""


def owner(address: str) -> str:
    """Return the domain above that of the address which somebody has registered: all below it belongs to them."""
    host = address.rpartition("@")[2].lower().rstrip(".")
    host = ALIASES.get(host, host)
    return (public_suffixes().privatesuffix(host) if host.count(".") > 1 else None) or host


def is_large(domain: str) -> bool:
    """Return whether people with addresses at that domain have nothing to do with each other."""
    return domain.lower() in LARGE


@cache
def public_suffixes() -> "PublicSuffixList":
    """Return the list of public suffixes that comes with its package; reading it takes a tenth of a second."""
    from publicsuffixlist import PublicSuffixList  # only where it matters

    return PublicSuffixList()

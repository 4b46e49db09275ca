"""Checks of the server's domain in the DNS: who takes its mail (MX), and who may send it (SPF, DKIM, DMARC)."""

import base64
import binascii
import re
from collections.abc import Iterator
from importlib.util import find_spec

from pbem.cli.doctor.findings import Finding, finding
from pbem.config import DkimSettings, Settings
from pbem.mail.transports import dkim_signing
from pbem.secret_setting import BadConfig
from pbem.storage.mailboxes_and_domains import public_suffixes

SECONDS = 5.0


class Silent(Exception):
    """The DNS gives no answer."""


def check(settings: Settings) -> Iterator[Finding]:
    """Try the key that we sign with, and look up what other mail servers look up about our domain."""
    domain, dkim = settings.server.domain, settings.outbox.dkim
    is_usable = True
    if dkim is not None:
        try:
            dkim_signing.signer(dkim, domain)
        except BadConfig as error:
            is_usable = False
            yield finding("dns.key", why=error)
    if find_spec("dns") is None:  # part of an optional extra
        yield finding("dns.not_installed")
        return
    try:
        yield _mx(domain)
        yield _spf(domain)
        if is_usable:
            yield finding("dns.unsigned") if dkim is None else _dkim(dkim, domain)
        yield _dmarc(domain)
    except Silent as error:
        yield finding("dns.silent", name=error)


def records(name: str, kind: str) -> list[str]:
    import dns.exception
    import dns.resolver

    try:
        answer = dns.resolver.resolve(name, kind, lifetime=SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except dns.exception.DNSException as error:
        raise Silent(name) from error
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
    return [record.to_text() for record in answer]


def _tagged(name: str, tag: str) -> list[str]:
    return [record for record in records(name, "TXT") if re.match(rf"{tag}(?![^ ;])", record, re.IGNORECASE)]


def _mx(domain: str) -> Finding:
    servers = sorted(records(domain, "MX"), key=lambda record: int(record.split()[0]))
    names = [record.split()[1].rstrip(".") for record in servers]
    if any(names):
        return finding("dns.mx", domain=domain, servers=", ".join(names))
    if servers:
        return finding("dns.refusing_mx", domain=domain)
    is_host = records(domain, "A") or records(domain, "AAAA")
    return finding("dns.host_without_mx" if is_host else "dns.no_mx", domain=domain)


def _spf(domain: str) -> Finding:
    policies = _tagged(domain, "v=spf1")
    if len(policies) != 1:
        return finding("dns.many_spf" if policies else "dns.no_spf", domain=domain, number=len(policies))
    allows_all = policies[0].lower().split()[-1] in ("+all", "all")
    return finding("dns.open_spf" if allows_all else "dns.spf", domain=domain, record=policies[0])


def _dkim(settings: DkimSettings, domain: str) -> Finding:
    """Compare the key in the DNS with the one that we sign with."""
    from dkim.crypto import UnparsableKeyError, parse_pem_private_key, parse_public_key  # of the same extra

    name = f"{settings.selector}._domainkey.{domain}"
    text = next(iter(records(f"{name}.", "TXT")), None)
    if not text:
        return finding("dns.no_dkim", name=name)
    tags = dict(tag.strip().split("=", 1) for tag in text.split(";") if "=" in tag)
    try:
        published = parse_public_key(base64.b64decode(tags.get("p", "")))
    except (UnparsableKeyError, binascii.Error, ValueError):
        return finding("dns.bad_dkim", name=name)
    ours = parse_pem_private_key(settings.key.read_all().encode())
    is_same = all(published[part] == ours[part] for part in ("modulus", "publicExponent"))
    return finding("dns.dkim" if is_same else "dns.other_dkim", name=name, selector=settings.selector)


def _dmarc(domain: str) -> Finding:
    above = public_suffixes().privatesuffix(domain)
    for name in dict.fromkeys(f"_dmarc.{name}" for name in (domain, above) if name):
        if policies := _tagged(name, "v=dmarc1"):
            row = "dns.dmarc" if len(policies) == 1 else "dns.many_dmarc"
            return finding(row, name=name, number=len(policies), record=policies[0])
    return finding("dns.no_dmarc", domain=domain)

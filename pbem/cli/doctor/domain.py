"""Checks of the server's domain in the DNS: who takes its mail (MX), and who may send it (SPF, DKIM, DMARC)."""

import base64
import binascii
import re
from collections.abc import Iterator
from importlib.util import find_spec

from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.config import DkimSettings, Settings
from pbem.mail.transports import dkim_signing
from pbem.secret import BadConfig
from pbem.storage.mailboxes import public_suffixes

SECONDS = 5.0


class Silent(Exception):
    """The DNS gives no answer."""


def check(settings: Settings) -> Iterator[Finding]:
    """Try the key that we sign with, and look up what other mail servers look up about our domain."""
    domain, dkim = settings.server.domain, settings.outbox.dkim
    try:
        if dkim is not None:
            dkim_signing.signer(dkim, domain)
    except BadConfig as error:
        advice = "make an RSA key as in deploy/dkim.md, or correct [outbox.dkim]; until then the server doesn't start"
        yield problem(str(error), advice)
        dkim = None
    if find_spec("dns") is None:  # part of an optional extra
        yield note("the DNS isn't looked at", "pip install pbem[dkim] adds what asks it")
        return
    try:
        yield _mx(domain)
        yield _spf(domain)
        if dkim is not None:
            yield _dkim(dkim, domain)
        elif settings.outbox.dkim is None:
            yield note("pbem signs nothing (DKIM)", "a server on the way should; otherwise see deploy/dkim.md")
        yield _dmarc(domain)
    except Silent as error:
        yield problem(f"the DNS doesn't answer about {error}", "look at this machine's resolver (/etc/resolv.conf)")


def records(name: str, kind: str) -> list[str]:
    import dns.exception
    import dns.resolver

    try:
        found = dns.resolver.resolve(name, kind, lifetime=SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except dns.exception.DNSException as error:
        raise Silent(name) from error
    if kind == "TXT":
        return [b"".join(record.strings).decode("utf-8", "replace") for record in found]
    return [record.to_text() for record in found]


def _tagged(name: str, tag: str) -> list[str]:
    return [record for record in records(name, "TXT") if re.match(rf"{tag}(?![^ ;])", record, re.IGNORECASE)]


def _mx(domain: str) -> Finding:
    servers = sorted(records(domain, "MX"), key=lambda record: int(record.split()[0]))
    names = [record.split()[1].rstrip(".") for record in servers]
    if any(names):
        return ok(f"mail to {domain} goes to {', '.join(names)}")
    if servers:
        return problem(f"{domain} takes no mail: its MX says so", "publish an MX record that names your mail server")
    if records(domain, "A") or records(domain, "AAAA"):
        return note(f"{domain} has no MX record, so mail goes to the host of that name", "publish an MX record")
    return problem(
        f"the DNS has no MX record for {domain}, so nobody can write to it",
        "publish one that names your mail server, or correct address in [server]",
    )


def _spf(domain: str) -> Finding:
    found = _tagged(domain, "v=spf1")
    if not found:
        return note(
            f"{domain} has no SPF record: other servers trust its mail less",
            f'publish a TXT record at {domain} that names who sends, such as "v=spf1 mx -all"',
        )
    if len(found) > 1:
        return problem(f"{domain} has {len(found)} SPF records, so none counts", "publish one that has all of them")
    if found[0].lower().split()[-1] in ("+all", "all"):
        return problem(f"the SPF record of {domain} lets everybody send in its name", 'end it with "-all"')
    return ok(f"SPF: {found[0]}")


def _dkim(settings: DkimSettings, domain: str) -> Finding:
    """Compare the key in the DNS with the one that we sign with."""
    from dkim.crypto import UnparsableKeyError, parse_pem_private_key, parse_public_key  # of the same extra

    name = f"{settings.selector}._domainkey.{domain}"
    text = next(iter(records(f"{name}.", "TXT")), None)
    tags = dict(tag.strip().split("=", 1) for tag in (text or "").split(";") if "=" in tag)
    ours, key = parse_pem_private_key(settings.key.read_all().encode()), ("modulus", "publicExponent")
    try:
        published = parse_public_key(base64.b64decode(tags.get("p", "")))
        if [published[part] for part in key] == [ours[part] for part in key]:
            return ok(f"DKIM: the key at the selector {settings.selector} is the one we sign with")
        why = f"the DNS key at {name} is not the one we sign with: all our signatures are invalid"
    except (UnparsableKeyError, binascii.Error, ValueError):
        why = f"the DNS record at {name} is not an RSA key"
    if not text:
        why = f"the DNS has no key at {name}: nobody can verify our signatures"
    return problem(why, "publish the record as in deploy/dkim.md, or correct [outbox.dkim]")


def _dmarc(domain: str) -> Finding:
    above = public_suffixes().privatesuffix(domain)
    for name in dict.fromkeys(f"_dmarc.{name}" for name in (domain, above) if name):
        found = _tagged(name, "v=dmarc1")
        if len(found) > 1:
            return problem(f"{name} has {len(found)} DMARC records, so none counts", "publish one")
        if found:
            return ok(f"DMARC: {found[0]}")
    return note(
        f"{domain} has no DMARC record, which large hosts ask for",
        f'publish a TXT record at _dmarc.{domain}, such as "v=DMARC1; p=none"',
    )

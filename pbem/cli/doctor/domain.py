"""Checks of the server's domain in the DNS: who takes its mail (MX), and who may send it (SPF, DKIM, DMARC)."""

import base64
import binascii
from collections.abc import Iterator

from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.config import DkimSettings, Settings
from pbem.mail.transports import dkim_signing
from pbem.secret import BadConfig
from pbem.storage.mailboxes import public_suffixes

SECONDS = 5.0
NO_RESOLVER = note("the DNS isn't looked at", "pip install pbem[dkim] adds what asks it")


class Silent(Exception):
    """The DNS gives no answer."""


def check(settings: Settings) -> Iterator[Finding]:
    """Try the key that we sign with, and look up what other mail servers look up about our domain."""
    unusable = list(_unusable_key(settings))
    yield from unusable
    try:
        import dns.resolver  # noqa: F401 - part of the optional extra
    except ImportError:
        yield NO_RESOLVER
        return
    domain = settings.server.domain
    try:
        yield from _mx(domain)
        yield from _spf(domain)
        if not unusable:
            yield from _dkim(settings)
        yield from _dmarc(domain)
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


def _mx(domain: str) -> Iterator[Finding]:
    servers = sorted(records(domain, "MX"), key=lambda record: int(record.split()[0]))
    names = [record.split()[1].rstrip(".") for record in servers]
    if names and any(names):
        yield ok(f"mail to {domain} goes to {', '.join(names)}")
    elif servers:
        yield problem(f"{domain} takes no mail: its MX says so", "publish an MX record that names your mail server")
    elif records(domain, "A") or records(domain, "AAAA"):
        yield note(f"{domain} has no MX record, so mail goes to the host of that name", "publish an MX record")
    else:
        yield problem(
            f"the DNS has no MX record for {domain}, so nobody can write to it",
            "publish one that names your mail server, or correct address in [server]",
        )


def _spf(domain: str) -> Iterator[Finding]:
    found = [record for record in records(domain, "TXT") if record.lower().split(" ")[0] == "v=spf1"]
    if not found:
        yield note(
            f"{domain} has no SPF record: other servers trust its mail less",
            f'publish a TXT record at {domain} that names who sends, such as "v=spf1 mx -all"',
        )
    elif len(found) > 1:
        yield problem(f"{domain} has {len(found)} SPF records, so none counts", "publish one that has all of them")
    elif found[0].lower().split()[-1] in ("+all", "all"):
        yield problem(f"the SPF record of {domain} lets everybody send in its name", 'end it with "-all"')
    else:
        yield ok(f"SPF: {found[0]}")


def _unusable_key(settings: Settings) -> Iterator[Finding]:
    """Sign something, as the server does before it starts."""
    if settings.outbox.dkim is None:
        return
    try:
        dkim_signing.signer(settings.outbox.dkim, settings.server.domain)
    except BadConfig as error:
        advice = "make an RSA key as in deploy/dkim.md, or correct [outbox.dkim]; until then the server doesn't start"
        yield problem(str(error), advice)


def _dkim(settings: Settings) -> Iterator[Finding]:
    if settings.outbox.dkim is None:
        yield note("pbem signs nothing (DKIM)", "a server on the way should; otherwise see deploy/dkim.md")
        return
    if why := _wrong_key(settings.outbox.dkim, settings.server.domain):
        yield problem(why, "publish the record as in deploy/dkim.md, or correct [outbox.dkim]")
    else:
        yield ok(f"DKIM: the key at the selector {settings.outbox.dkim.selector} is the one we sign with")


def _wrong_key(settings: DkimSettings, own_domain: str) -> str | None:
    """Return what is wrong with the DKIM key in the DNS; None if it is the one we sign with."""
    from dkim.crypto import UnparsableKeyError, parse_pem_private_key, parse_public_key  # the extra is installed by now

    name = f"{settings.selector}._domainkey.{own_domain}"
    told = next(iter(records(f"{name}.", "TXT")), None)
    if not told:
        return f"the DNS has no key at {name}: nobody can verify our signatures"
    tags = dict(tag.strip().split("=", 1) for tag in told.split(";") if "=" in tag)
    try:
        published = parse_public_key(base64.b64decode(tags.get("p", "")))
    except (UnparsableKeyError, binascii.Error, ValueError):
        return f"the DNS record at {name} is not an RSA key"
    ours = parse_pem_private_key(settings.key.read_all().encode())
    if (published["modulus"], published["publicExponent"]) != (ours["modulus"], ours["publicExponent"]):
        return f"the DNS key at {name} is not the one we sign with: all our signatures are invalid"
    return None


def _dmarc(domain: str) -> Iterator[Finding]:
    above = public_suffixes().privatesuffix(domain)
    names = dict.fromkeys(f"_dmarc.{name}" for name in (domain, above) if name)
    for name in names:
        found = [record for record in records(name, "TXT") if record.lower().startswith("v=dmarc1")]
        if len(found) > 1:
            yield problem(f"{name} has {len(found)} DMARC records, so none counts", "publish one")
            return
        if found:
            yield ok(f"DMARC: {found[0]}")
            return
    yield note(
        f"{domain} has no DMARC record, which large hosts ask for",
        f'publish a TXT record at _dmarc.{domain}, such as "v=DMARC1; p=none"',
    )

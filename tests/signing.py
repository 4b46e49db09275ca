"""Domains that sign their messages, for tests: real keys, and a name server for them."""

import base64
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from socket import AF_INET, SOCK_DGRAM, socket
from tempfile import TemporaryDirectory

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.resolver
import dns.rrset

from tests.servers import GENEROUS


@dataclass(frozen=True)
class Key:
    """A pair of keys."""

    private: bytes
    public: str
    """The TXT record with the public key."""


@cache
def key(name: str, bits: int) -> Key:
    """Return the key of that name, made once."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "key.pem"
        _openssl("genrsa", "-traditional", "-out", str(path), str(bits))
        der = _openssl("rsa", "-in", str(path), "-pubout", "-outform", "DER")
        return Key(path.read_bytes(), f"v=DKIM1; k=rsa; p={base64.b64encode(der).decode()}")


def _openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout


@contextmanager
def name_server(records: Mapping[str, str], *, silent: bool = False) -> Iterator[list[str]]:
    """Direct this process's DNS queries to a server with those records; yield the list of names queried.

    A record is found by its name, followed by its kind unless that is TXT: `example.org. MX`. Several are lines.
    """
    asked: list[str] = []
    with socket(AF_INET, SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], server.getsockname()[1]

        def serve() -> None:
            while True:
                try:
                    wire, client = server.recvfrom(4096)
                except OSError:
                    return
                if wire == b"stop":
                    return
                question = dns.message.from_wire(wire)
                asked.append(question.question[0].name.to_text())
                if not silent:
                    server.sendto(_answer(question, records).to_wire(), client)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        before, dns.resolver.default_resolver = dns.resolver.default_resolver, resolver
        try:
            yield asked
        finally:
            dns.resolver.default_resolver = before
        with socket(AF_INET, SOCK_DGRAM) as client:
            client.sendto(b"stop", server.getsockname())
        thread.join(GENEROUS)


def _answer(question: dns.message.Message, records: Mapping[str, str]) -> dns.message.Message:
    answer = dns.message.make_response(question)
    answer.flags |= dns.flags.RA
    name, kind = question.question[0].name, dns.rdatatype.to_text(question.question[0].rdtype)
    own = name.to_text().lower()
    if kind != "TXT":
        found = records.get(f"{own} {kind}")
        if found is not None:
            answer.answer.append(dns.rrset.from_text(name, 60, "IN", kind, *found.splitlines()))
        return answer
    text = records.get(own)
    if text is None:
        answer.set_rcode(dns.rcode.NXDOMAIN)
    else:
        texts = [
            " ".join(f'"{line[at : at + 200]}"' for at in range(0, len(line) or 1, 200))
            for line in text.splitlines() or [""]
        ]
        answer.answer.append(dns.rrset.from_text(name, 60, "IN", "TXT", *texts))
    return answer

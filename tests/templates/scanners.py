"""What the spam filters of other people's mail servers say of our messages: SpamAssassin and rspamd, without a network.

Both are packages of Debian, each is started once for many messages, and neither keeps anything. Nothing is asked of a
name server: who sent a message, and whether its signature is right, are tests of their own.
"""

import http.client
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from typing import TypeAlias

from tests.servers import GENEROUS, HOST, REAL_CLOCK, free_port, listens, missing, until

Points: TypeAlias = Mapping[str, float]
"""The points of each symbol; those below zero are good."""

PEER = "193.0.6.139"
NETWORKED = ("arc", "asn", "dkim", "dmarc", "fuzzy_check", "hfilter", "mx_check", "rbl", "spf", "surbl")
"""The modules of rspamd that ask a name server or a database."""
_POINTS = re.compile(r"^X-Spam-Points: (.*(?:\n\s.*)*)(?:\n.+)*?\nMessage-ID: +(.*)", re.MULTILINE)


def dressed(raw: bytes) -> bytes:
    """Return a message as the first server of its recipient hands it to a filter, just after it was sent."""
    to, sender = _header("To", raw), _header("From", raw).rstrip(b">").rpartition(b"<")[2]
    domain = sender.rpartition(b"@")[2]
    now = formatdate().encode()
    date = re.compile(rb"^Date: .*\r$", re.MULTILINE)
    trace = (
        b"Return-Path: <%s>\r\nDelivered-To: %s\r\nReceived: from mx.%s (mx.%s [%s])\r\n"
        b"\tby mx.mail.example (Postfix) with ESMTPS id 4T2x\r\n\tfor <%s>; %s\r\n"
    )
    return trace % (sender, to, domain, domain, PEER.encode(), to, now) + date.sub(b"Date: " + now + b"\r", raw, 1)


def _header(name: str, raw: bytes) -> bytes:
    found = re.search(rb"^%s: ((?:.*\r\n )?.*)\r$" % name.encode(), raw, re.MULTILINE)
    assert found is not None, name
    return found[1]


def spamassassin(mails: Sequence[bytes], folder: Path) -> list[Points]:
    """Return what SpamAssassin says, without a network and without having learned anything."""
    if shutil.which("spamassassin") is None:
        missing("spamassassin", "spamassassin")
    box = b"".join(
        b"From games@pbem.example Sat Nov 28 12:00:00 2026\n"
        + re.sub(rb"^(>*From )", rb">\1", dressed(raw).replace(b"\r\n", b"\n"), flags=re.MULTILINE)
        + b"\n"
        for raw in mails
    )
    (folder / "mails").write_bytes(box)
    (folder / "prefs").write_text("report_safe 0\nadd_header all Points _TESTSSCORES(,)_\n")
    command = ["spamassassin", "-L", "--prefspath", str(folder / "prefs"), "--mbox", str(folder / "mails")]
    environment = {**REAL_CLOCK, "HOME": str(folder)}
    run = subprocess.run(command, capture_output=True, timeout=300, check=True, env=environment)
    found = {  # in an order of its own
        message_id.encode(): {name: float(points) for name, points in re.findall(r"(\w+)=(-?[\d.]+)", symbols)}
        for symbols, message_id in _POINTS.findall(run.stdout.decode("utf-8", "replace"))
    }
    return [found[_header("Message-ID", raw)] for raw in mails]


def rspamd(mails: Sequence[bytes], folder: Path) -> list[Points]:
    if shutil.which("rspamd") is None:
        missing("rspamd", "rspamd")
    with _rspamd(folder) as port:
        return [_asked(port, dressed(raw)) for raw in mails]


def _asked(port: int, raw: bytes) -> Points:
    sender = _header("Return-Path", raw).strip(b"<>").decode()
    domain = sender.rpartition("@")[2]
    envelope = {
        "From": sender,
        "Rcpt": _header("Delivered-To", raw).decode("ascii", "replace"),
        "IP": PEER,
        "Helo": f"mx.{domain}",
        "Hostname": f"mx.{domain}",
    }
    connection = http.client.HTTPConnection(HOST, port, timeout=GENEROUS)
    connection.request("POST", "/checkv2", raw, envelope)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return {name: symbol["score"] for name, symbol in answer["symbols"].items() if symbol["score"]}


@contextmanager
def _rspamd(folder: Path) -> Iterator[int]:
    """Run the filter with its own settings, but for what needs a network."""
    local, port = folder / "local.d", free_port()
    local.mkdir()
    for name in NETWORKED:
        (local / f"{name}.conf").write_text("enabled = false;\n")
    (local / "worker-normal.inc").write_text(f'bind_socket = "127.0.0.1:{port}";\ncount = 1;\n')
    for name in ("controller", "proxy", "fuzzy"):
        (local / f"worker-{name}.inc").write_text("enabled = false;\n")
    (local / "logging.inc").write_text('type = "console";\nlevel = "error";\n')
    dns = 'dns { nameserver = ["127.0.0.1:9"]; timeout = 50ms; }'
    (local / "options.inc").write_text(f'pidfile = "{folder}/pid";\n{dns}\n')
    paths = {"LOCAL_CONFDIR": folder, "DBDIR": folder, "RUNDIR": folder, "LOGDIR": folder}
    variables = [word for name, path in paths.items() for word in ("--var", f"{name}={path}")]
    with (folder / "log").open("wb") as log:
        command = ["rspamd", "--no-fork", "--insecure", *variables]
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=REAL_CLOCK)
    try:
        until(lambda: listens(port) or server.poll() is not None, "rspamd listens or ends")
        assert server.poll() is None, (folder / "log").read_text()[-2000:]
        yield port
    finally:
        server.terminate()
        server.wait(GENEROUS)

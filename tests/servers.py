"""Real mail servers for tests: a rootless Dovecot, and Postfix's smtp-sink; tests/conftest.py has the fixtures."""

import contextlib
import grp
import itertools
import os
import pwd
import random
import shutil
import signal
import smtplib
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

from pbem.config import ImapSettings, Tls
from pbem.secret_setting import Secret

GENEROUS = 900.0
"""The default time limit in seconds, generous enough for a slow and busy machine."""
HOST = "127.0.0.1"
FOREIGN_PASSWORD = "pässwort"
PASSWORD = 'secret"word'  # with a quotation mark, to test quoting
SBIN = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))


def until(true: Callable[[], Any], what: str, seconds: float = GENEROUS) -> Any:
    """Poll until the result is true and return it; fail after that many seconds."""
    end = time.monotonic() + seconds
    while not (answer := true()):
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds} s in vain: {what}")
        time.sleep(0.01)
    return answer


def free_port() -> int:
    """Return a free port below those that connections get: a server finds it still free when it is restarted."""
    while True:
        port = random.SystemRandom().randrange(10_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((HOST, port))
            return port


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def missing(program: str, package: str) -> None:
    """Skip the test, but not in CI, where it must run."""
    words = f"{program} is not installed (Debian: {package})"
    if os.environ.get("CI"):
        pytest.fail(words)
    pytest.skip(words)


def unprivileged() -> dict[str, Any]:
    """Return arguments for Popen that run a server as nobody if we are root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a self-signed certificate for 127.0.0.1. Return its path and the key's."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "9", "-subj", "/CN=localhost", "-addext", f"subjectAltName=IP:{HOST},DNS:localhost"),
            *("-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
        timeout=GENEROUS,
    )
    return cert, key


def give_away(path: Path) -> None:
    """Change the owner of a file, or a folder and its content, to the user that the servers run as."""
    owner = unprivileged()
    if owner:
        for each in (path, *path.rglob("*")):
            with contextlib.suppress(FileNotFoundError):  # Dovecot has moved it meanwhile
                os.chown(each, owner["user"], owner["group"])


# Dovecot

DOVECOT_CONF = """
base_dir = {root}/run
state_dir = {root}/state
log_path = {root}/log
protocols = imap lmtp
listen = 127.0.0.1
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
ssl = yes
ssl_cert = <{root}/cert.pem
ssl_key = <{root}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
mail_location = maildir:~/Maildir
namespace inbox {{
  inbox = yes
  separator = {separator}
  prefix = {prefix}
}}
passdb {{
  driver = static
  args = password={password}
}}
passdb {{
  driver = static
  args = password={foreign}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={root}/home/%u
}}
recipient_delimiter = +
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service lmtp {{
  user = {user}
  inet_listener lmtp {{
    port = {lmtp}
  }}
}}
{extra}
"""


REAL_CLOCK = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
"""The environment of other people's servers: their clocks are never faked. Dovecot doesn't pass LD_PRELOAD on to its
processes and exits if their clocks differ; libfaketime may end a process whose number a killed one had."""


class Dovecot:
    """A Dovecot 2.3 in its own folder, on free ports; any user can log in.

    In additions to its configuration, {root} is replaced by that folder, where the files are as well.
    """

    def __init__(
        self, extra: str = "", prefix: str = "", separator: str = "/", files: Mapping[str, str] | None = None
    ) -> None:
        program = shutil.which("dovecot", path=SBIN)
        if program is None:
            missing("Dovecot", "dovecot-imapd dovecot-lmtpd")
        version = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True).stdout
        if not version.startswith("2.3."):
            missing("Dovecot 2.3", "dovecot-imapd dovecot-lmtpd, of bookworm")
        self.root = Path(tempfile.mkdtemp(prefix="dc"))
        self.imap, self.imaps, self.lmtp = free_port(), free_port(), free_port()
        self.prefix = prefix.replace(separator, ".")
        self.cert, _ = certificate(self.root)
        me = pwd.getpwuid(unprivileged().get("user", os.geteuid()))
        (self.root / "home").mkdir()
        (self.root / "conf").write_text(
            DOVECOT_CONF.format(
                root=self.root,
                user=me.pw_name,
                group=grp.getgrgid(me.pw_gid).gr_name,
                password=PASSWORD,
                foreign=FOREIGN_PASSWORD,
                imap=self.imap,
                imaps=self.imaps,
                lmtp=self.lmtp,
                prefix=prefix,
                separator=separator,
                extra=extra.replace("{root}", str(self.root)),
            ),
            encoding="utf-8",
        )
        for name, content in (files or {}).items():
            (self.root / name).write_text(content, encoding="utf-8")
        give_away(self.root)
        self._process = subprocess.Popen(
            [str(program), "-F", "-c", str(self.root / "conf")],
            env=REAL_CLOCK,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **unprivileged(),
        )
        until(lambda: all(map(listens, (self.imap, self.imaps, self.lmtp))), f"Dovecot, see {self.root}/log")

    def mailbox(self) -> "Mailbox":
        """Return a new, empty mailbox."""
        return Mailbox(self, f"user{next(_count)}@game.test")

    def doveadm(self, *words: str) -> None:
        subprocess.run(
            [str(shutil.which("doveadm", path=SBIN)), "-c", str(self.root / "conf"), *words],
            env=REAL_CLOCK,
            check=True,
            capture_output=True,
            timeout=GENEROUS,
        )

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all Dovecot processes but the master: connections stay open, but nothing answers."""
        children = _children(self._process.pid)
        for child in children:
            os.kill(child, signal.SIGSTOP)
        try:
            yield
        finally:
            for child in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGCONT)

    def stop(self) -> None:
        children = _children(self._process.pid)
        self._process.kill()  # SIGTERM would take a second
        self._process.wait(GENEROUS)
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        shutil.rmtree(self.root, ignore_errors=True)


_count = itertools.count(1)


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(status.parent.name))
    return found


@dataclass(frozen=True)
class Mailbox:
    """A user's mailbox on a Dovecot server."""

    server: Dovecot
    user: str

    def settings(self, **changes: Any) -> ImapSettings:
        """Return the settings to reach it over TLS."""
        values: dict[str, Any] = {
            "host": HOST,
            "port": self.server.imaps,
            "username": self.user,
            "password": Secret.model_validate({"value": PASSWORD}),
            "tls": Tls(ca_file=self.server.cert),
        }
        return ImapSettings(**values | changes)

    def deliver(self, raw: bytes, sender: str = "ann@example.org") -> None:
        """Deliver a message by LMTP, as an MTA does."""
        with smtplib.LMTP(HOST, self.server.lmtp, timeout=GENEROUS) as lmtp:
            lmtp.sendmail(sender, [self.user], raw)

    def drop(self, raw: bytes, name: str) -> Path:
        """Put a file with exactly these bytes into the Maildir; LMTP would add headers."""
        folder = self._maildir()
        for part in ("tmp", "new", "cur"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        path = folder / "new" / name
        draft = folder / "tmp" / name
        draft.write_bytes(raw)
        give_away(self.server.root / "home")
        return draft.rename(path)

    def raws(self, folder: str = "INBOX") -> list[bytes]:
        """Return the messages in a folder, in the order of their file names."""
        return [path.read_bytes() for path in self.files(folder)]

    def files(self, folder: str = "INBOX") -> list[Path]:
        home = self._maildir() / ("" if folder == "INBOX" else f".{folder}")
        return sorted((path for part in ("new", "cur") for path in (home / part).glob("*")), key=lambda p: p.name)

    def remove_folder(self, folder: str) -> None:
        self.server.doveadm("mailbox", "delete", "-u", self.user, folder)

    def kick(self) -> None:
        """Let the server close this user's connections."""
        self.server.doveadm("kick", self.user)

    def bump_uidvalidity(self) -> None:
        """Discard the UIDs, as restoring a backup does."""
        for pattern in ("dovecot-uidlist", "dovecot.index*", "dovecot-uidvalidity*"):
            for path in self._maildir().glob(pattern):
                path.unlink()

    def _maildir(self) -> Path:
        return self.server.root / "home" / self.user / "Maildir"


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    server = Dovecot()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def old_dovecot() -> Iterator[Dovecot]:
    """Start one that offers neither MOVE nor IDLE, with all folders below "INBOX."."""
    server = Dovecot(
        extra="protocol imap {\n  imap_capability = IMAP4rev1 UIDPLUS NAMESPACE\n}", prefix="INBOX.", separator="."
    )
    yield server
    server.stop()


@pytest.fixture(scope="session")
def bare_dovecot() -> Iterator[Dovecot]:
    """Start one that offers nothing beyond IMAP4rev1."""
    server = Dovecot(extra="protocol imap {\n  imap_capability = IMAP4rev1\n}")
    yield server
    server.stop()


@pytest.fixture
def mailbox(dovecot: Dovecot) -> Mailbox:
    return dovecot.mailbox()


# smtp-sink


class SmtpSink:
    """Postfix's smtp-sink with options that make it fail: `-q .` hangs up after the final dot, and so on."""

    def __init__(self, *faults: str) -> None:
        program = shutil.which("smtp-sink", path=SBIN)
        if program is None:
            missing("smtp-sink", "postfix")
        self.root = Path(tempfile.mkdtemp(prefix="sink"))
        give_away(self.root)
        self._words = [str(program), *faults, "-d", "mail."]
        while not self._starts():
            pass

    def _starts(self) -> bool:
        """Start it on another port. Return false if somebody took that port first."""
        self.port = free_port()
        words = [*self._words, f"{HOST}:{self.port}", "100"]
        quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout"), subprocess.DEVNULL)
        with (self.root / "log").open("w+", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                words, cwd=self.root, stderr=log, env=REAL_CLOCK, **quiet, **unprivileged()
            )
            until(lambda: listens(self.port) or self._process.poll() is not None, "smtp-sink listens or ends")
            if self._process.poll() is None:
                return True
            log.seek(0)
            said = log.read()
        if "Address already in use" not in said:
            pytest.fail(f"smtp-sink ended: {said}")
        return False

    def taken(self) -> list[bytes]:
        """Return the messages it took, oldest first, each after the lines that smtp-sink adds."""
        return [path.read_bytes() for path in sorted(self.root.glob("mail.*"), key=lambda p: p.stat().st_mtime_ns)]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(GENEROUS)
        shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@pytest.fixture
def smtp_sink() -> Iterator[Callable[..., SmtpSink]]:
    """Return a function that starts smtp-sink with the given faults; it is stopped after the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *faults: stack.enter_context(SmtpSink(*faults))

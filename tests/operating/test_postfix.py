"""Postfix, set up as deploy/postfix.md says, takes mail for the server and refuses other addresses at once."""

import os
import re
import shlex
import shutil
import smtplib
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.pages import page
from tests.operating.daemons import Daemon
from tests.operating.site import Site
from tests.servers import HOST, SBIN, free_port, listens, missing, until

BASE = """\
compatibility_level = 3.6
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
queue_directory = {folder}/queue
data_directory = {folder}/data
myhostname = mx.games.example.org
mydestination =
local_recipient_maps =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
disable_dns_lookups = yes
default_transport = error:nowhere else
"""
SERVICES = """\
{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
EXTRA = {
    "transport_maps": "virtual_mailbox_domains = example.org\nvirtual_mailbox_maps = inline:{games@example.org=x}\n"
}
"""What makes a domain one that Postfix already takes mail for."""


def documented(which: str) -> dict[str, str]:
    """Return the settings of the block of commands that sets this one."""
    blocks = re.findall(r"```sh\n(postconf -e .*?)```", page("deploy/postfix.md"), re.DOTALL)
    (block,) = [block for block in blocks if which in block]
    words = shlex.split(block.partition("postfix reload")[0].replace("\\\n", " "))[2:]
    return dict(word.split(" = ", 1) for word in words)


@pytest.fixture
def postfix() -> Iterator[Callable[[str, int], int]]:
    """Return a function that starts Postfix with that block, to deliver to that port, and returns its own port."""
    program = shutil.which("postfix", path=SBIN)
    if program is None:
        missing("postfix", "postfix")
        raise AssertionError
    if os.geteuid() != 0:
        pytest.skip("only root can start Postfix")
    with tempfile.TemporaryDirectory(prefix="postfix") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in ("queue", "data", "conf"):
            (folder / part).mkdir(mode=0o755)
        shutil.chown(folder / "data", "postfix")

        def start(which: str, target: int) -> int:
            port = free_port()
            settings = {**documented("smtpd_tls_chain_files"), **documented(which)}
            key, cert = (folder / "key.pem", folder / "cert.pem")
            words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=mx.games.example.org"]
            subprocess.run([*words, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
            settings["smtpd_tls_chain_files"] = f"{key}, {cert}"
            lines = "".join(f"{name} = {value.replace(':8024', f':{target}')}\n" for name, value in settings.items())
            main = BASE.format(folder=folder) + EXTRA.get(which, "") + lines
            (folder / "conf" / "main.cf").write_text(main, encoding="utf-8")
            services = SERVICES.format(port=f"{HOST}:{port}")
            (folder / "conf" / "master.cf").write_text(services, encoding="utf-8")
            done = subprocess.run([program, "-c", str(folder / "conf"), "start"], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            until(lambda: listens(port), "Postfix listens")
            return port

        try:
            yield start
        finally:
            subprocess.run([program, "-c", str(folder / "conf"), "stop"], capture_output=True)


@pytest.mark.slow
@pytest.mark.own_database
@pytest.mark.parametrize(
    ("which", "domain"), [("virtual_transport", "games.example.org"), ("transport_maps", "example.org")]
)
def test_it_takes_our_mail_and_refuses_other_addresses_at_once(
    which: str, domain: str, postfix: Callable[[str, int], int], site: Site, start: Callable[[Site], Daemon]
) -> None:
    target = free_port()
    site.configure(inbox=f"[inbox.lmtp]\nport = {target}\n", address=f"games@{domain}")
    start(site)
    with smtplib.SMTP(HOST, postfix(which, target), timeout=600) as client:
        client.starttls()
        client.mail("ann@mail.example")
        assert client.rcpt(f"nobody@{domain}")[0] == 550
        assert client.rcpt(f"games+token@{domain}")[0] == 250
        assert client.rcpt(f"games@{domain}")[0] == 250
        assert client.data(b"From: ann@mail.example\r\nMessage-ID: <1@mail.example>\r\n\r\nhelp\r\n")[0] == 250
    until(lambda: site.rows("select verdict from incoming") == ["no answer: unknown token"], "pbem reads the token")

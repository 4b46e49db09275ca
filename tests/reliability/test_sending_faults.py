"""The next hop refuses or hangs up, or a template is broken: messages stay queued and keep their Message-ID."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import pbem
from pbem.server.next_hop import SEVERAL
from tests.operating.people import PostOffice, written
from tests.operating.site import ADDRESS, Site, environment, smtp_out
from tests.reliability.conftest import Stage
from tests.reliability.scene import conserved
from tests.servers import SmtpSink, until

Sinks = Callable[..., SmtpSink]

FAULTS = [("-r", "RCPT"), ("-q", "."), ("-Q", "MAIL"), ("-f", "CONNECT")]
"""A 4xx reply, a hang-up, a 421 with a hang-up, and a 5xx that isn't about the message, each at another stage."""


@pytest.mark.parametrize(("fault", "command"), FAULTS)
def test_what_the_next_hop_did_not_take_goes_out_later(
    stage: Stage, smtp_sink: Sinks, fault: str, command: str
) -> None:
    scene = stage("lmtp", "sqlite")
    post, sink = scene.post, smtp_sink(fault, command)
    letters = scene.seed(2)
    scene.site.configure(scene.door.inbox, smtp_out(sink.port), address=scene.door.address)
    scene.write(*letters)
    daemon = scene.start().ready()
    scene.door.deliver(daemon)
    tried = "state = 'owed' and error is not null"
    until(lambda: scene.count("outgoing", tried) == SEVERAL, "some were tried, and the others wait")
    daemon.kill()
    assert post.ids() == []
    scene.rows("update outgoing set due = '2007-01-01 00:00:00+00:00'")
    scene.configure()
    scene.start()
    scene.quiet()
    assert conserved(scene) == 0
    if (fault, command) == ("-q", "."):  # RFC 1047: the sink has accepted what was tried
        taken = re.findall(rb"(?im)^message-id: *(.+?)\r?$", b"".join(sink.taken()))
        assert len(set(taken)) == SEVERAL
        assert {*taken} < {message_id.encode() for message_id in post.ids()}


def test_a_template_that_fails_keeps_its_mails_owed_and_holds_up_no_other(tmp_path: Path) -> None:
    """A copy of the program has a broken template, as after an upgrade, which is then fixed.

    The admin isn't told of a reply to a message that proves nothing: anybody can have it made.
    """
    program = tmp_path / "program"
    for package in ("pbem", "engines", "notation", "templates"):
        shutil.copytree(Path(pbem.__file__).parent.parent / package, program / package)
    site = Site(tmp_path / "site")
    with PostOffice() as post:
        site.configure(outbox=smtp_out(post.port))
        site.make()
        confirm = program / "templates" / "confirm.j2"
        words = confirm.read_text(encoding="utf-8")
        confirm.write_text(words + "{{ a_word_that_nobody_gives }}\n", encoding="utf-8")
        site.drop(
            *(written(f"{name}@mail.example", ADDRESS, body) for name, body in (("ann", "join ann"), ("bob", "help")))
        )
        run_once(site, program)
        assert sorted(recipient for recipient, _ in post.taken) == ["bob@mail.example"]
        assert "a_word_that_nobody_gives" in site.rows("select error from outgoing where state = 'owed'")[0]
        confirm.write_text(words, encoding="utf-8")
        site.rows("update outgoing set due = '2007-01-01 00:00:00+00:00' where state = 'owed'")
        run_once(site, program)
        assert post.next("ann@mail.example")["Message-ID"] in site.rows(
            "select message_id from outgoing where state = 'sent'"
        )
        assert len(post.taken) == 2


def run_once(site: Site, program: Path) -> None:
    """Run `pbem run --once` with that copy."""
    surroundings = environment() | {"PYTHONPATH": str(program), "PBEM_SERVER__ADMIN": "admin@pbem.example"}
    command = [sys.executable, "-c", "from pbem.cli import main; main()", "run", "--once"]
    subprocess.run(command, cwd=site.folder, env=surroundings, check=True, capture_output=True, timeout=600)

"""A real mailbox hangs up, freezes, changes UIDVALIDITY, is full, missing or locked: nothing is lost or done twice."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reliability.conftest import Stage
from tests.reliability.processes import Process
from tests.reliability.scene import Imap, Letter, Scene, asking, conserved
from tests.servers import Dovecot, until

pytestmark = pytest.mark.dovecot


def started(stage: Stage, number: int = 3) -> tuple[Scene, list[Letter], Process, Imap]:
    """Start a daemon that waits for messages in an empty mailbox."""
    scene = stage("imap", "sqlite")
    assert isinstance(scene.door, Imap)
    letters = scene.seed(number)
    return scene, letters, scene.start().ready(), scene.door


def interrupted(daemon: Process) -> None:
    until(lambda: daemon.lines("receiving interrupted"), f"the daemon notices: {daemon.log}")


def test_a_dropped_connection(stage: Stage) -> None:
    scene, letters, daemon, door = started(stage)
    for letter in letters:
        until(lambda: kicked(door), "it has connected again")
        scene.write(letter)
    scene.quiet()
    assert daemon.runs
    assert conserved(scene) == 0


def kicked(door: Imap) -> bool:
    """Close the daemon's connections. Return whether there was one."""
    try:
        door.mailbox.kick()
    except subprocess.CalledProcessError:
        return False
    return True


def test_a_frozen_server(stage: Stage) -> None:
    scene, (first, second, third), daemon, door = started(stage)
    scene.write(first)
    scene.quiet()
    with door.mailbox.server.frozen():
        interrupted(daemon)
    scene.write(second, third)
    scene.quiet()
    assert daemon.runs
    assert conserved(scene) == 0


def test_uids_that_mean_other_mails(stage: Stage) -> None:
    scene, (first, second, third), _, door = started(stage)
    scene.write(first)
    scene.quiet()
    door.mailbox.bump_uidvalidity()
    scene.write(second)
    scene.quiet()
    door.mailbox.bump_uidvalidity()
    scene.write(third)
    scene.quiet()
    assert conserved(scene) == 0


def test_a_folder_that_is_not_there(stage: Stage) -> None:
    scene = stage("imap", "sqlite")
    door = scene.door
    assert isinstance(door, Imap)
    letters = scene.seed(2)
    door.inbox += 'folder = "Games"\n'
    scene.configure()
    scene.write(*letters)
    daemon = scene.start()
    interrupted(daemon)
    assert not daemon.lines("ready")
    door.mailbox.server.doveadm("mailbox", "create", "-u", door.mailbox.user, "Games")
    door.mailbox.server.doveadm("move", "-u", door.mailbox.user, "Games", "mailbox", "INBOX", "all")
    until(lambda: scene.count("incoming", "state = 'done'") == 2, "both mails are handled")
    until(lambda: not door.mailbox.files("Games"), "and put away")
    assert len(daemon.ready().lines("ready")) == 1
    scene.quiet()
    assert conserved(scene) == 0


def test_a_login_that_is_refused(stage: Stage, tmp_path: Path) -> None:
    """Its duration doesn't matter: the pauses stop growing at five minutes (tests/transports/test_receiver.py)."""
    scene = stage("imap", "sqlite")
    assert isinstance(scene.door, Imap)
    secret = tmp_path / "imap.password"
    secret.write_text("not this one\n", encoding="utf-8")
    scene.door.inbox = scene.door.inbox.replace("{ value = ", f"{{ file = '{secret}' }} #")
    letters = scene.seed(2)
    scene.configure()
    scene.write(*letters)
    daemon = scene.start()
    interrupted(daemon)
    assert not daemon.lines("ready"), "not before the first login"
    until(lambda: "AUTHENTICATIONFAILED" in str(scene.rows("select state from daemon")), "`pbem status` can tell why")
    assert "not this one" not in daemon.log
    secret.write_text(f"{scene.door.password}\n", encoding="utf-8")
    scene.quiet()
    daemon.ready()
    assert len(daemon.lines("receiving interrupted")) == 1, "told once, however often it was tried"
    (back,) = daemon.lines("receiving again")
    assert back["lost"] == "mailbox"
    assert back["seconds"] >= 1, "it was gone for one pause at least"
    assert conserved(scene) == 0


QUOTA = """
mail_plugins = quota
protocol imap {
  mail_plugins = quota imap_quota
  imap_capability = IMAP4rev1 UIDPLUS
}
plugin {
  quota = maildir:User quota
  quota_rule = *:messages=3
  quota_grace = 0
}
"""


@pytest.fixture(scope="module")
def strict_dovecot() -> Iterator[Dovecot]:
    """Start one with a quota of three messages, and without MOVE, which the quota wouldn't prevent."""
    server = Dovecot(extra=QUOTA)
    yield server
    server.stop()


def test_a_mailbox_over_its_quota(stage: Stage) -> None:
    scene = stage("strict_dovecot", "sqlite")
    assert isinstance(scene.door, Imap)
    mailbox = scene.door.mailbox

    def drop(letter: Letter) -> None:
        """Bypass the quota."""
        mailbox.drop(letter.raw, f"{len(scene.written)}.mail")
        scene.written[letter.message_id] = letter

    for letter in scene.seed(6):
        drop(letter)
    daemon = scene.start().ready()
    until(lambda: daemon.lines("mail can't be moved; marked instead"), "the daemon is refused a copy")
    until(lambda: scene.count("outgoing", "state = 'sent'") == 12, "all are handled and answered")
    daemon.kill()
    again = scene.start().ready()
    drop(asking("nobody", scene.door.address))
    until(lambda: scene.count("outgoing", "state = 'sent'") == 13, "what is new is read and answered")
    assert conserved(scene, put_away=False) == 0
    assert len(mailbox.files()) == 7, "they stay where they are"
    assert len(again.lines("mail in")) == 1, "and are not read again"

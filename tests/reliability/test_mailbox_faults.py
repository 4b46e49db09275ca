"""A real mailbox hangs up, freezes, changes UIDVALIDITY, is full, missing or locked: nothing is lost or done twice."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.mail.transports import receiver
from pbem.server import daemon
from tests.operating.people import PostOffice
from tests.operating.site import Site
from tests.reliability.conftest import Stage
from tests.reliability.processes import Process
from tests.reliability.scene import Imap, Letter, Scene, asking, conserved, plies
from tests.servers import Dovecot, Mailbox, give_away, until

pytestmark = pytest.mark.dovecot


def started(stage: Stage, number: int = 3) -> tuple[Scene, list[Letter], dict[int, list[str]], Process, Imap]:
    """Start a daemon that waits for messages in an empty mailbox."""
    scene = stage("imap", "sqlite")
    assert isinstance(scene.door, Imap)
    letters = scene.seed(number)
    before = plies(scene)
    return scene, letters, before, scene.start().ready(), scene.door


def interrupted(daemon: Process) -> None:
    until(lambda: daemon.lines("receiving interrupted"), f"the daemon notices: {daemon.log}")


def test_a_dropped_connection(stage: Stage) -> None:
    scene, letters, before, daemon, door = started(stage)
    for letter in letters:
        until(lambda: kicked(door), "it has connected again")
        scene.write(letter)
    scene.quiet()
    assert daemon.runs
    assert conserved(scene, before=before) == 0


def kicked(door: Imap) -> bool:
    """Close the daemon's connections. Return whether there was one."""
    try:
        door.mailbox.kick()
    except subprocess.CalledProcessError:
        return False
    return True


def test_a_frozen_server(stage: Stage) -> None:
    scene, (first, second, third), before, daemon, door = started(stage)
    scene.write(first)
    scene.quiet()
    with door.mailbox.server.frozen():
        interrupted(daemon)
    scene.write(second, third)
    scene.quiet()
    assert daemon.runs
    assert conserved(scene, before=before) == 0


def test_uids_that_mean_other_mails(stage: Stage) -> None:
    scene, (first, second, third), before, _, door = started(stage)
    scene.write(first)
    scene.quiet()
    door.mailbox.bump_uidvalidity()
    scene.write(second)
    scene.quiet()
    door.mailbox.bump_uidvalidity()
    scene.write(third)
    scene.quiet()
    assert conserved(scene, before=before) == 0


def test_a_folder_that_is_not_there(stage: Stage) -> None:
    scene = stage("imap", "sqlite")
    door = scene.door
    assert isinstance(door, Imap)
    letters = scene.seed(2)
    before = plies(scene)
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
    assert conserved(scene, before=before) == 0


def test_a_login_that_is_refused(stage: Stage, tmp_path: Path) -> None:
    """Its duration doesn't matter: the pauses stop growing at five minutes, as the test below shows."""
    scene = stage("imap", "sqlite")
    assert isinstance(scene.door, Imap)
    secret = tmp_path / "imap.password"
    secret.write_text("not this one\n", encoding="utf-8")
    scene.door.inbox = scene.door.inbox.replace("{ value = ", f"{{ file = '{secret}' }} #")
    letters = scene.seed(2)
    before = plies(scene)
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
    assert conserved(scene, before=before) == 0


OWN_PASSWORDS = """
passdb {
  driver = passwd-file
  args = scheme=PLAIN {root}/users
}
"""


@pytest.fixture
def choosy_dovecot() -> Iterator[Dovecot]:
    """Start one where a user can have a password of their own, in addition to those that everyone has."""
    server = Dovecot(extra=OWN_PASSWORDS)
    yield server
    server.stop()


def test_a_login_that_is_refused_for_an_hour(choosy_dovecot: Dovecot, tmp_path: Path) -> None:
    """The password changes while the daemon waits for messages, and is restored after an hour of pauses."""
    mailbox = choosy_dovecot.mailbox()
    choose_password(mailbox, "first")
    pauses: list[float] = []
    with PostOffice() as post:
        scene = Scene(Site(tmp_path / "site"), f"sqlite:///{tmp_path}/pbem.sqlite", Imap(mailbox, "first"), post)
        letters = scene.seed(4)
        before = plies(scene)
        scene.write(letters[0])

        def stopped() -> bool:
            stored = scene.count("incoming")
            if stored == 1 and len(scene.written) == 1 and scene.door.untold == 0:
                choose_password(mailbox, "the second one")
                mailbox.kick()
                scene.write(letters[1])
            return stored == 4

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 10:
                scene.write(letters[2])
            if sum(pauses) > 3600:
                choose_password(mailbox, "first")
                if len(scene.written) == 3:
                    scene.write(letters[3])

        with scene.server() as server:
            receiver.receive(server.inboxes[0], server.store, stopped, pause)
            assert daemon.run_once(server)[1:] == (4, 8)
        assert 15 < len(pauses) < 25
        assert max(pauses) == receiver.LONGEST_PAUSE
        assert conserved(scene, before=before) == 0
        scene.end()


def choose_password(mailbox: Mailbox, password: str) -> None:
    """Set a user's own password; Dovecot rereads the file once a second."""
    users = mailbox.server.root / "users"
    users.write_text(f"{mailbox.user}:{{PLAIN}}{password}\n", encoding="ascii")
    give_away(users)
    until(lambda: may_log_in(mailbox, password), "the new password is good")


def may_log_in(mailbox: Mailbox, password: str) -> bool:
    try:
        mailbox.server.doveadm("auth", "test", "-x", "service=imap", mailbox.user, password)
    except subprocess.CalledProcessError:
        return False
    return True


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


def test_a_mailbox_over_its_quota(strict_dovecot: Dovecot, tmp_path: Path) -> None:
    mailbox = strict_dovecot.mailbox()
    with PostOffice() as post:
        scene = Scene(Site(tmp_path / "site"), f"sqlite:///{tmp_path}/pbem.sqlite", Imap(mailbox), post)
        letters = scene.seed(6)
        before = plies(scene)
        for number, letter in enumerate(letters):  # bypassing the quota
            scene.written[letter.message_id] = letter
            mailbox.drop(letter.raw, f"{number}.mail")
        daemon = scene.start().ready()
        until(lambda: daemon.lines("mail can't be moved; marked instead"), "the daemon is refused a copy")
        until(lambda: scene.count("outgoing", "state = 'sent'") == 12, "all are handled and answered")
        daemon.kill()
        again = scene.start().ready()
        extra = asking("nobody", scene.door.address)
        scene.written[extra.message_id] = extra
        mailbox.drop(extra.raw, "6.mail")
        until(lambda: scene.count("outgoing", "state = 'sent'") == 13, "what is new is read and answered")
        assert conserved(scene, before=before, put_away=False) == 0
        assert len(mailbox.files()) == 7, "they stay where they are"
        assert len(again.lines("mail in")) == 1, "and are not read again"
        scene.end()

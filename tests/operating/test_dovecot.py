"""The daemon with a real mailbox: Dovecot by IMAP with IDLE and TLS, and SMTP out."""

import smtplib
from collections.abc import Callable

import pytest

from tests.operating import matches
from tests.operating.daemons import Daemon
from tests.operating.people import Person, PostOffice, play, words
from tests.operating.site import Site, smtp_out
from tests.servers import GENEROUS, HOST, PASSWORD, Mailbox, until

Start = Callable[[Site], Daemon]

pytestmark = pytest.mark.dovecot


@pytest.fixture
def daemon(site: Site, mailbox: Mailbox, post: PostOffice, start: Start) -> Daemon:
    """Start one that relies on IDLE, which lasts five minutes."""
    inbox = f"""
        [inbox.imap]
        host = "127.0.0.1"
        port = {mailbox.server.imaps}
        username = "{mailbox.user}"
        password = {{ value = '{PASSWORD}' }}
        tls = {{ ca_file = "{mailbox.server.cert}" }}
    """
    site.configure(inbox, smtp_out(post.port), address=mailbox.user)
    return start(site)


def people(mailbox: Mailbox, post: PostOffice, *, hides_tokens: bool) -> list[Person]:
    """Return two people whose messages reach Dovecot by LMTP, with tokens after the +."""

    def deliver(sender: str, recipient: str, raw: bytes) -> None:
        with smtplib.LMTP(HOST, mailbox.server.lmtp, timeout=GENEROUS) as lmtp:
            lmtp.sendmail(sender, [recipient], raw)

    return [Person(name, mailbox.user, deliver, post, hides_tokens) for name in ("ann", "bob")]


@pytest.mark.slow
def test_tokens_are_found_in_delivered_to_when_the_mail_shows_only_the_bare_address(
    site: Site, mailbox: Mailbox, post: PostOffice, daemon: Daemon
) -> None:
    jo, bo = people(mailbox, post, hides_tokens=True)
    game = matches.sample()
    newest = play(jo, bo, game, game.moves[:2])
    assert f"bob played {game.moves[1]}" in words(newest)
    assert site.rows("select text from ply order by number") == list(game.moves[:2])
    assert mailbox.raws() == []
    for raw in mailbox.raws("Processed"):
        head = raw.partition(b"\n\n")[0].replace(b"\r", b"")
        assert f"\nTo: {mailbox.user}\n".encode() in head
        assert b"In-Reply-To" not in head
    assert any(f"Delivered-To: {mailbox.user.partition('@')[0]}+".encode() in raw for raw in mailbox.raws("Processed"))


def test_mail_is_read_again_after_the_server_has_hung_up(mailbox: Mailbox, post: PostOffice, daemon: Daemon) -> None:
    ann, _ = people(mailbox, post, hides_tokens=False)
    ann.write("help")
    ann.next()
    mailbox.kick()
    until(lambda: daemon.lines("receiving interrupted"), "the daemon has noticed")
    ann.write("rules quadraphages")
    assert "QUADRAPHAGES" in words(ann.next())
    assert daemon.end().code == 0

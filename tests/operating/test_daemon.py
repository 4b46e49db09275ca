"""The daemon as a separate process: LMTP in, a real SMTP server out, and its log as JSON."""

import signal
import socket
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tests.operating import matches
from tests.operating.daemons import PROGRAM, Daemon
from tests.operating.people import Person, PostOffice, play, words, written
from tests.operating.site import ADDRESS, LMTP_IN, Site, environment, smtp_out
from tests.servers import GENEROUS, HOST, SmtpSink, free_port, until

Start = Callable[[Site], Daemon]
LINE = {"event", "level", "timestamp", "verdict", "message_id", "player", "match"}
WORDS = "The pink elephant sleeps in my secret garden."


def test_a_conversation_from_joining_to_the_first_moves(site: Site, post: PostOffice, start: Start) -> None:
    site.configure(LMTP_IN, smtp_out(post.port))
    daemon = start(site)
    ann, bob = (Person(name, ADDRESS, daemon.deliver, post) for name in ("ann", "bob"))
    game = matches.sample()
    newest = play(ann, bob, game, game.moves[:3])
    assert f"ann played {game.moves[2]}" in words(newest)
    assert "Your turn against" in words(newest)
    bob.answer(newest, f"{game.moves[3]}\n\n{WORDS}")
    assert WORDS in words(ann.next())
    done = daemon.end()
    assert done.code == 0
    assert site.rows("select text from ply order by number") == list(game.moves[:4])
    tells_every_mail_and_no_content(daemon, post)


def tells_every_mail_and_no_content(daemon: Daemon, post: PostOffice) -> None:
    """Assert that the log has a line for each message in and out that identifies it, and nothing of its content."""
    came, went = daemon.lines("mail in"), daemon.lines("mail out")
    assert len(came) == 10
    assert {line["verdict"] for line in came} >= {"done: challenge", "done: accept", "done: move"}
    assert {line["message_id"] for line in went} == set(post.ids())
    assert len(went) == len(post.ids())
    assert {line["verdict"] for line in went} == {"sent"}
    for line in came + went:
        assert set(line) >= LINE
    moves = [line for line in came if line["verdict"] == "done: move"]
    assert [(line["player"], line["match"]) for line in moves] == [(1, 1), (2, 1), (1, 1), (2, 1)]
    log = daemon.text()
    for word in ("elephant", "With pleasure", matches.sample().moves[1], f"{ADDRESS.partition('@')[0]}+"):
        assert word not in log
    tokens = {mail["Reply-To"].addresses[0].username.partition("+")[2] for _, mail in post.taken}
    assert len(tokens) > 6
    assert not [token for token in tokens if token and token in log]


def test_sigterm_ends_the_daemon_in_time_while_the_next_hop_stalls_and_the_mail_goes_out_later(
    site: Site, post: PostOffice, start: Start, smtp_sink: Callable[..., SmtpSink]
) -> None:
    stalling = smtp_sink("-W", ".:60")
    site.configure(LMTP_IN, smtp_out(stalling.port))
    daemon = start(site)
    daemon.deliver("ann@mail.example", ADDRESS, written("ann@mail.example", ADDRESS, "rules quadraphages"))
    until(stalling.taken, "the mail is on its way")
    done = daemon.end()
    assert done.code == 0
    assert daemon.lines("stopped")[0]["unfinished"] == ["send"]
    assert "Traceback" not in done.err
    (owed,) = site.rows("select message_id from outgoing where state = 'owed' and attempts = 0")
    site.configure(LMTP_IN, smtp_out(post.port))
    again = start(site)
    assert post.next("ann@mail.example")["Message-ID"] == owed
    assert again.end().code == 0
    assert site.rows("select state from outgoing") == ["sent"]
    assert post.ids() == [owed]


def test_sigterm_ends_the_daemon_in_time_while_a_mail_is_being_delivered(site: Site, start: Start) -> None:
    site.configure(LMTP_IN, smtp_out(free_port()))
    daemon = start(site)
    with socket.create_connection((HOST, daemon.port), timeout=GENEROUS) as client, client.makefile("rb") as answers:
        for command in (b"", b"LHLO x", b"MAIL FROM:<ann@mail.example>", f"RCPT TO:<{ADDRESS}>".encode(), b"DATA"):
            if command:
                client.sendall(command + b"\r\n")
            while answers.readline()[3:4] == b"-":
                pass
        client.sendall(b"Subject: half a m")
        done = daemon.end()
        assert not answers.read().startswith(b"250")
    assert done.code == 0
    assert site.rows("select count(*) from incoming") == [0]


def test_mail_stays_owed_while_the_next_hop_is_down_and_goes_out_once_it_is_back(site: Site, start: Start) -> None:
    port = free_port()
    site.configure(LMTP_IN, smtp_out(port))
    daemon = start(site)

    def ask(name: str) -> None:
        """Send a message; its reply makes the daemon look for messages that are due."""
        daemon.deliver(f"{name}@mail.example", ADDRESS, written(f"{name}@mail.example", ADDRESS, "help"))

    def pauses(attempts: int, minutes: int, began: datetime) -> bool:
        """Return whether the next attempt is due that long after this one, which was made after `began`."""
        sql = "select cast(due as varchar) from outgoing where id = 1 and attempts = :attempts and holder is null"
        (due,) = until(lambda: site.rows(sql, attempts=attempts), f"attempt {attempts}")
        at = datetime.fromisoformat(due)
        return began <= at.replace(tzinfo=at.tzinfo or UTC) - timedelta(minutes=minutes) <= datetime.now(UTC)

    began = datetime.now(UTC)  # the daemon uses the clock of the machine
    ask("ann")
    assert pauses(1, 1, began)
    began = datetime.now(UTC)
    site.rows("update outgoing set due = '2007-01-01' where id = 1")
    ask("bob")
    assert pauses(2, 2, began)
    told = until(lambda: len(lines := daemon.lines("mail out")) == 3 and lines, "three lines about mail out")
    assert all(line["verdict"].startswith("not sent") for line in told)
    assert len(daemon.lines("sending interrupted")) == 1, "told once, however often it was tried"
    assert not daemon.lines("sending again")
    with PostOffice(port) as post:
        site.rows("update outgoing set due = '2007-01-01'")
        ask("cid")
        assert {str(post.next(f"{name}@mail.example")["To"]) for name in ("ann", "bob", "cid")}
        until(lambda: site.rows("select distinct state from outgoing") == ["sent"], "all is sent")
        (back,) = daemon.lines("sending again")
        assert back["seconds"] > 0
        assert daemon.end().code == 0
        assert len(post.ids()) == 3


def test_a_signal_to_reload_or_to_show_its_threads_ends_no_daemon(site: Site, start: Start) -> None:
    site.configure(LMTP_IN, smtp_out(free_port()))
    daemon = start(site)
    for number in (signal.SIGHUP, signal.SIGUSR1):
        daemon.process.send_signal(number)
    told = "the configuration is read at a start only; restart the server to use another"
    until(lambda: told in daemon.text() and "most recent call first" in daemon.text(), "both are told")
    assert daemon.end().code == 0


def test_a_command_whose_streams_are_closed_opens_nothing_in_their_place(site: Site) -> None:
    site.configure(LMTP_IN, smtp_out(free_port()))
    done = subprocess.run(["sh", "-c", f"exec {PROGRAM} run --once <&- >&- 2>&-"], cwd=site.folder, env=environment())
    assert done.returncode == 0
    assert site.run_once() == [0, 0, 0]


def test_a_start_says_that_the_log_of_a_killed_server_was_removed(site: Site, start: Start) -> None:
    site.configure(LMTP_IN, smtp_out(free_port()))
    for number in (1, 2):
        daemon = start(site)
        assert len(daemon.lines("messages are missing")) == number - 1
        daemon.deliver("ann@mail.example", ADDRESS, written("ann@mail.example", ADDRESS, f"rules {number}"))
        daemon.kill()
        log = site.folder / "pbem.sqlite-wal"
        assert log.exists()
        log.unlink()
    (told,) = daemon.lines("messages are missing")
    assert "has 0 messages, and had 1" in told["why"]
    assert start(site).lines("messages are missing"), "and so does the next one"

"""Commands for the server itself: run, feed."""

import faulthandler
import signal
import sys
import threading
from email import message_from_bytes, policy
from pathlib import Path
from typing import Annotated

import structlog
import typer
from sqlmodel import Session, col, select

from pbem.cli import shared
from pbem.cli.doctor import installation
from pbem.cli.shared import CONFIG, FOUND, ConfigOption, app, errors, opened, out
from pbem.mail.reading.text.normalize import escape_controls
from pbem.mail.transports.protocols import Arrival
from pbem.messages.mime import text_of
from pbem.messages.render import Renderer
from pbem.server import daemon, incoming_queue, worker
from pbem.server.liveness import Systemd
from pbem.storage import clock_and_outages, database
from pbem.storage.models import Incoming, IncomingState, Outgoing
from pbem.vitals import Counts

log = structlog.get_logger()


@app.command()
def run(
    config_file: ConfigOption = CONFIG,
    once: Annotated[bool, typer.Option("--once", help="Process and send what is waiting, then exit.")] = False,
    clock_is_right: Annotated[
        bool, typer.Option("--clock-is-right", help="Start though the last server seems to have run in another time.")
    ] = False,
) -> None:
    with opened(config_file, to_run=True) as server:
        if not clock_is_right:
            clock_and_outages.require_right(server.engine, shared.now())
        for file in installation.exposed(server.settings):
            log.warning("everyone on this machine can read it", file=str(file))
        if once:
            received, handled, attempts = daemon.run_once(server)
            sent = Counts.total(server.vitals.counts.sent_in)
            later = f", {attempts - sent} to be tried again" if attempts > sent else ""
            out.print(f"{received} received, {handled} processed, {sent} sent{later}")
        else:
            faulthandler.enable()  # systemd ends a server that hangs by SIGABRT; where it hung is then in the log
            faulthandler.register(signal.SIGUSR1, all_threads=True)
            daemon.run(server, _stop_by_signal(), systemd=Systemd())


def _stop_by_signal() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set, by a thread, since setting it in a handler can deadlock.

    SIGHUP, by which other servers reload, ends only one whose terminal is gone. All three stay blocked in this process.
    """
    stop = threading.Event()
    numbers = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
    has_terminal = sys.stderr.isatty()
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)  # inherited by every thread started from here on

    def wait() -> None:
        while signal.sigwait(numbers) == signal.SIGHUP and not has_terminal:
            log.warning("the configuration is read at a start only; restart the server to use another")
        stop.set()

    threading.Thread(target=wait, name="signals", daemon=True).start()
    return stop


@app.command()
def feed(
    file: Annotated[Path, typer.Argument(help="A raw message; - reads standard input.")],
    config_file: ConfigOption = CONFIG,
    to: Annotated[str, typer.Option("--to", help="The envelope recipient, if it isn't in the message.")] = "",
) -> None:
    with opened(config_file) as server:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        if not raw.strip():
            raise shared.ended(f"{file} is empty; a raw message starts with its headers")
        added = server.store((Arrival(raw, "feed", recipients=(to,) if to else ()),))
        if not added:
            out.print("this message was received before, so nothing was done")
            return
        (number,) = added
        for claimed in incoming_queue.claim_one(server.desk.queue, number):  # otherwise a running daemon already has it
            worker.handle(server.desk, claimed, shared.now())
        with database.read_only(server.engine) as session:
            row = session.get_one(Incoming, number)
            out.print(f"message {row.id}: {row.state}, {row.verdict}")
            owed = session.exec(select(Outgoing).where(Outgoing.incoming == row.id).order_by(col(Outgoing.id)))
            printed = [_print_mail(server.renderer, session, mail) for mail in owed]
            state = row.state
    if state == IncomingState.SHUNTED or not all(printed):
        raise typer.Exit(FOUND)


def _print_mail(renderer: Renderer, session: Session, row: Outgoing) -> bool:
    try:
        (raw,) = renderer.render(session, [row])
    except Exception as error:  # noqa: BLE001 - a bug; `pbem run` stores its traceback
        errors.print(f"pbem: the message to {row.address} can't be rendered: {type(error).__name__}: {error}")
        return False
    message = message_from_bytes(raw, policy=policy.default)
    out.rule(escape_controls(f"to {row.address}"), style="dim")
    for header in ("From", "To", "Reply-To", "Subject"):
        out.print(f"{header}: {message[header]}")
    out.print()
    out.print(text_of(message))
    return True

"""Commands for the server itself: run."""

import faulthandler
import signal
import sys
import threading
from typing import Annotated

import structlog
import typer

from pbem.cli import shared
from pbem.cli.doctor import local_files_and_ports
from pbem.cli.shared import CONFIG, ConfigOption, app, opened, out
from pbem.process_vitals import Counts
from pbem.server import daemon
from pbem.server.liveness import Systemd
from pbem.storage import clock_doubts_and_outages

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
            clock_doubts_and_outages.require_right(server.engine, shared.now())
        for file in local_files_and_ports.exposed(server.settings):
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

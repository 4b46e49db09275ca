"""The operator's commands: init, run, status, doctor, show, and the groups mail, player, match and more.

Exit codes: 0 success · 1 the command found a problem and printed it · 2 it could not run, and why · 130 Ctrl-C · 141
nobody reads the output. Nothing is loaded here, so that Ctrl-C is answered from the first moment on.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper

FOUND, IMPOSSIBLE = 1, 2
INTERRUPTED, UNREAD = 130, 141  # what a shell makes of SIGINT and SIGPIPE


def main() -> None:
    """Run the command line. Files it creates (mail, tokens, the key) are readable by its user only."""
    os.umask(0o077)
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know fewer characters than names have
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        os.environ.setdefault("TYPER_USE_RICH", "0")  # what another program reads has no frames
    with endings():
        from pbem.cli.command_index import app

        app()


def _replace_closed_streams() -> None:
    """Open /dev/null as each standard stream that is closed; a database that got its number would be printed into."""
    is_silent = sys.stderr is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - until the end
    if is_silent:
        import syslog

        syslog.syslog(syslog.LOG_ERR, "pbem: standard error is closed: nobody can read the log, or why a command ends")


@contextmanager
def endings() -> Iterator[None]:
    """Turn what can end any program into a sentence and an exit code: files, standard output and Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        _end("interrupted", INTERRUPTED)
    except BrokenPipeError:
        sys.exit(UNREAD)  # without a word, like other programs
    except OSError as error:
        why = error.strerror or str(error)
        _end(f"{error.filename}: {why}" if error.filename else why, IMPOSSIBLE)
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # rich ends so when it can't print the help
            sys.exit(UNREAD)
        raise


def _end(sentence: str, code: int) -> None:
    with suppress(OSError):
        print(f"pbem: {sentence}", file=sys.stderr, flush=True)
    sys.exit(code)

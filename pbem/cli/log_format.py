"""The format of log lines, for people or as JSON. They go to standard error and never contain text of messages."""

import contextlib
import logging
import os
import re
import sys
import traceback
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict

from pbem.config import LogSettings, ServerSettings
from pbem.mail.reading.text.normalize import escape_controls
from pbem.messages.token_redaction import TokenRedactor

LONGEST = 2_000  # the most characters of one value; a traceback has its own field
OURS = frozenset({"message_id", "file", "folder"})  # values that hold no words of others
PRIORITIES = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}  # sd-daemon(3)
ADDRESS = re.compile(r"[^\s@<>()\[\]:;,\"'/]{1,64}@[^\s@<>()\[\],;\"'/]{1,255}")


class Log(structlog.PrintLogger):
    """A logger that removes reply tokens, and drops lines it can't write: a full disk must not stop the work."""

    def __init__(self, file: TextIO, redactor: TokenRedactor) -> None:
        super().__init__(file)
        self._redactor = redactor

    def msg(self, message: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the latter from a file that is closed
            super().msg(self._redactor.redact(message))

    debug = info = warning = error = critical = exception = msg  # like the parent class


class Libraries(logging.Handler):
    """Writes what libraries log as lines of ours, with the last line of an error."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        reason = {"error": f"{type(error).__name__}: {error}"} if error is not None else {}
        structlog.get_logger().warning(record.getMessage(), library=record.name, **reason)


def configure(settings: LogSettings, file: TextIO | None = None, server: ServerSettings | None = None) -> None:
    """Configure the format and destination of all log lines of this process: a file, or standard error."""
    file = file or sys.stderr
    logging.lastResort = Libraries(logging.WARNING)
    logger = Log(file, TokenRedactor(server.address, server.delimiter) if server else TokenRedactor())
    structlog.configure(
        processors=[
            _harmless,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _trace,
            structlog.processors.JSONRenderer()
            if settings.format == "json"
            else structlog.dev.ConsoleRenderer(colors=file.isatty(), exception_formatter=structlog.dev.plain_traceback),
            *([_prioritise] if _is_journal(file) else []),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, settings.level.upper())),
        logger_factory=lambda *_: logger,
        cache_logger_on_first_use=False,
    )


def _harmless(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Escape control characters and line feeds, and remove addresses and excess: other servers' words may have them."""
    for name, value in event.items():
        if isinstance(value, str):
            shown = value if name in OURS else ADDRESS.sub("(address)", value[:LONGEST])
            event[name] = shown if shown.isprintable() else escape_controls(shown).replace("\n", "\\n")
    return event


def _trace(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Replace an exception by where it was raised and its type; what it says, and values, may be somebody's words."""
    error = sys.exc_info()[1] if event.pop("exc_info", None) else None
    traces: list[str] = []
    while error is not None:
        traces.insert(0, "".join(traceback.format_tb(error.__traceback__)) + type(error).__qualname__)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return {**event, "exception": "\n".join(traces)} if traces else event


def _is_journal(file: TextIO) -> bool:
    """Return whether what is written goes to the journal of systemd, which then understands priorities."""
    with contextlib.suppress(OSError, ValueError):
        status = os.fstat(file.fileno())
        return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
    return False


def _prioritise(_logger: object, method: str, lines: Any) -> str:
    return "\n".join(f"<{PRIORITIES.get(method, PRIORITIES['info'])}>{line}" for line in lines.splitlines())

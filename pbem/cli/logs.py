"""How log lines look: for people at a terminal, or JSON for machines; to standard error, never a mail's content."""

import contextlib
import logging
import sys
from typing import TextIO

import structlog
from structlog.typing import EventDict

from pbem.config import LogSettings, ServerSettings
from pbem.players.token_redaction import TokenRedactor
from pbem.reading.text.normalize import escape_controls


class Log(structlog.PrintLogger):
    """Lines for a file, without reply tokens; one that can't be written is lost: a full disk must not stop the work."""

    def __init__(self, file: TextIO, redactor: TokenRedactor) -> None:
        super().__init__(file)
        self._redactor = redactor

    def msg(self, message: str) -> None:
        """Write the line, if that is possible."""
        with contextlib.suppress(OSError):
            super().msg(self._redactor.redact(message))

    debug = info = warning = error = critical = exception = msg  # as its parent has them


def configure(settings: LogSettings, file: TextIO = sys.stderr, server: ServerSettings | None = None) -> None:
    """Make every log line of this process look as configured, and go there; the server says what our address is."""
    redactor = TokenRedactor(server.address, server.delimiter) if server else TokenRedactor()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _harmless,
            *(
                [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
                if settings.format == "json"
                else [structlog.dev.ConsoleRenderer(colors=file.isatty())]
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, settings.level.upper())),
        logger_factory=lambda *_: Log(file, redactor),
        cache_logger_on_first_use=False,
    )


def _harmless(_logger: object, _method: str, event: EventDict) -> EventDict:
    """The event without what could steer a terminal or begin a line of its own: servers and mails may have said it."""
    return {
        name: escape_controls(value).replace("\n", "\\n") if isinstance(value, str) else value
        for name, value in event.items()
    }

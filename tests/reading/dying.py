"""Imported in the process that parses, lets a message end it: its X-Ends names a file with the next signals."""

import os
import re
from functools import wraps
from pathlib import Path

from pbem.mail.reading import isolated_parser
from pbem.mail.reading.limits import ReadError
from pbem.mail.reading.message import Message
from pbem.mail.reading.text.quotes_of_us import Ours

ENDS = re.compile(rb"^X-Ends: (.+)$", re.MULTILINE)
read = isolated_parser._read


@wraps(read)
def ended(raw: bytes, sender: str | None, recipients: tuple[str, ...], ours: Ours) -> Message | ReadError:
    """End by the next signal, or read if there is none."""
    if found := ENDS.search(raw):
        path = Path(found[1].decode())
        how, *rest = [*path.read_text(encoding="ascii").split(), ""]
        path.write_text(" ".join(rest), encoding="ascii")
        if how:
            os.kill(os.getpid(), int(how))
    return read(raw, sender, recipients, ours)


isolated_parser._read = ended

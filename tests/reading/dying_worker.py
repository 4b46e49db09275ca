"""The parser process, but a message can end it: its X-Ends names a file with the signals for the next attempts."""

import os
import re
import sys
from pathlib import Path

from pbem.mail.reading import worker
from pbem.mail.reading.protocol import Request, Response, respond

ENDS = re.compile(rb"^X-Ends: (.+)$", re.MULTILINE)


def ended(request: Request, raw: bytes) -> Response:
    """End by the next signal, or respond if there is none."""
    if found := ENDS.search(raw):
        path = Path(found[1].decode())
        how, *rest = [*path.read_text(encoding="ascii").split(), ""]
        path.write_text(" ".join(rest), encoding="ascii")
        if how:
            os.kill(os.getpid(), int(how))
    return respond(request, raw)


if __name__ == "__main__":
    worker.respond = ended
    worker.main(int(sys.argv[1]), int(sys.argv[2]))

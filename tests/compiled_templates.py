"""Templates as bytecode, compiled once for all runs of the tests: to do it anew takes each process two seconds."""

import os
import tempfile
from hashlib import sha256
from pathlib import Path

from jinja2 import FileSystemBytecodeCache

from pbem.messages import templating
from pbem.messages.templating import HTML, TEXT, templates


def share() -> None:
    """Let this process keep compiled templates in a folder; Jinja compiles those again whose source has changed.

    What it doesn't compare is how they are compiled, such as what is escaped: that has a folder of its own.
    """
    settings = sha256(Path(templating.__file__).read_bytes()).hexdigest()[:16]
    for face in (TEXT, HTML):
        folder = Path(tempfile.gettempdir()) / f"pbem-{os.getuid()}-templates-{settings}-{face}"
        folder.mkdir(mode=0o700, exist_ok=True)
        templates(face).bytecode_cache = FileSystemBytecodeCache(str(folder))

"""Templates as bytecode, compiled once for all runs of the tests: to do it anew takes each process two seconds."""

import os
import tempfile
from pathlib import Path

from jinja2 import FileSystemBytecodeCache

from pbem.messages.templating import HTML, TEXT, templates


def share() -> None:
    """Let this process keep compiled templates in a folder; Jinja compiles those again whose source has changed."""
    for face in (TEXT, HTML):
        folder = Path(tempfile.gettempdir()) / f"pbem-{os.getuid()}-templates-{face}"
        folder.mkdir(mode=0o700, exist_ok=True)
        templates(face).bytecode_cache = FileSystemBytecodeCache(str(folder))

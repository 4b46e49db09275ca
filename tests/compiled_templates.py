"""Templates as bytecode, compiled once for all runs of the tests: to do it anew takes each process two seconds."""

import os
import tempfile
from pathlib import Path

from jinja2 import FileSystemBytecodeCache

from pbem.rendering.templating import templates


def share() -> None:
    """Let this process keep compiled templates in a folder; Jinja compiles those again whose source has changed."""
    folder = Path(tempfile.gettempdir()) / f"pbem-{os.getuid()}-templates"
    folder.mkdir(mode=0o700, exist_ok=True)
    templates().bytecode_cache = FileSystemBytecodeCache(str(folder))

"""[backup]: the backups that a running server makes by itself."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from pbem.config.fields import Limit
from pbem.secret import Section


class BackupSettings(Section):
    """[backup]: where a running server puts backups, how often, and how many it keeps; without a folder, none."""

    folder: Path | None = None
    every_hours: Annotated[float, Field(gt=0, le=8_760)] = 24
    keep: Limit = 7
    with_secrets: bool = True

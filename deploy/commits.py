"""What the version is made of when pbem is built (see pyproject.toml)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from versioningit import VCSDescription
from versioningit.git import describe_git


def describe(*, project_dir: str | Path, params: dict[str, Any]) -> VCSDescription:
    """Return the newest tag and the commit; the commit counts also where no others are known, as in a shallow clone."""
    found = describe_git(project_dir=project_dir, params=params)
    return replace(found, state="distance-dirty" if found.state.endswith("dirty") else "distance")

"""The version tells builds apart, wherever the sources are from: a clone, a shallow one, an archive, or a bare copy."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.docs.pages import page
from tests.servers import missing

BUILT = r"1\.0\.0\+\d{8}\."


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a repository with a commit, and the build of this project."""
    if shutil.which("git") is None:
        missing("git", "git")
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "deploy").mkdir()
    for name in ("pyproject.toml", "README.md", "deploy/commits.py"):
        (folder / name).write_text(page(name), encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> str:
    people = {f"GIT_{who}_{what}": "me@pbem.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = os.environ | people | {"GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a change")
    return git(folder, "rev-parse", "--short", "HEAD")


def hatchling(folder: Path, *words: str, **env: str) -> str:
    command = [sys.executable, "-m", "hatchling", *words]
    done = subprocess.run(command, cwd=folder, env=os.environ | env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_changes_with_each_commit(clone: Path) -> None:
    for _ in range(2):
        rev = commit(clone)
        assert re.fullmatch(BUILT + rev, hatchling(clone, "version"))


def test_a_source_archive_has_that_of_its_build(clone: Path, tmp_path: Path) -> None:
    hatchling(clone, "build", "-t", "sdist", "-d", str(tmp_path / "dist"))
    (archive,) = (tmp_path / "dist").iterdir()
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    assert hatchling(source, "version") == hatchling(clone, "version")

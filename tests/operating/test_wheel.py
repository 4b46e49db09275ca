"""The wheel contains everything that pbem needs, works without a checkout, and installs as the documents say."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from deploy.wheel import moved
from tests.correspondence import parsed, text
from tests.operating import matches
from tests.operating.environments import ROOT, build
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site, environment

pytestmark = pytest.mark.slow  # building a wheel is slow

"""Debian's, which its pipx uses."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build wheel and source archive without a network. Return their folder."""
    folder = tmp_path_factory.mktemp("built")
    build(ROOT, folder)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which the wheel was installed."""
    target = tmp_path_factory.mktemp("installed")
    words = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target"]
    (wheel,) = built.glob("*.whl")
    done = subprocess.run([*words, str(target), str(wheel)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return target


def python(installed: Path, folder: Path, *words: str, stdin: bytes = b"") -> str:
    """Run Python in a folder with the installed wheel first on its path. Return its output."""
    env = environment() | {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, input=stdin, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_what_runs_is_the_wheel_and_not_this_checkout(installed: Path, tmp_path: Path) -> None:
    words = "from pbem import engines, notation; print(engines.__file__, notation.__file__, sep='\\n')"
    found = python(installed, tmp_path, "-c", words).splitlines()
    assert [Path(path).is_relative_to(installed) for path in found] == [True] * 2
    words = "from pbem.cli import demo; "
    words += "from pbem.messages import template_files as words; "
    words += "from pbem.storage import database; print(demo.SAMPLE, database.MIGRATIONS,"
    found = python(installed, tmp_path, "-c", f"{words} words.templates_folder(), sep='\\n')").splitlines()
    assert [Path(path).is_relative_to(installed) for path in found] == [True] * 3


@pytest.mark.parametrize(
    ("written", "in_the_wheel"),
    [
        ("from engines import hex as h, square", "from pbem.engines import hex as h, square"),
        ("import engines.hex as h, re", "import pbem.engines.hex as h, re"),
        ("if x: from notation.core import (\n    A,  # from engines\n)", None),
        ("é = 1; from notation import core", "é = 1; from pbem.notation import core"),
        ("from engines_of_mine import x", "from engines_of_mine import x"),
        ("from pbem import engines", "from pbem import engines"),
        ("from .engines import x", "from .engines import x"),
        ('"""\nfrom engines import x\n"""', '"""\nfrom engines import x\n"""'),
        ("engines = from_ = 'from engines import x'", "engines = from_ = 'from engines import x'"),
    ],
)
def test_only_imports_are_rewritten(written: str, in_the_wheel: str | None) -> None:
    expected = in_the_wheel or written.replace("from notation", "from pbem.notation")
    assert moved(written.encode()).decode() == expected


def test_a_match_is_played_from_the_wheel(installed: Path, site: Site) -> None:
    pbem = str(installed / "bin" / "pbem")
    (site.folder / "pbem.key").unlink()
    assert "is up to date" in python(installed, site.folder, pbem, "init")
    with site.server() as server:
        (move,) = matches.in_play(server, 1)
    site.drop(move.raw)
    assert python(installed, site.folder, pbem, "run", "--once").startswith("1 received, 1 processed, 2 ")
    assert [move.text in text(parsed(raw)) for raw in site.sent()] == [True, True]
    rules = written("ann@mail.example", ADDRESS, "rules quadraphages")
    assert "QUADRAPHAGES" in python(installed, site.folder, pbem, "feed", "-", stdin=rules)
    assert python(installed, site.folder, pbem, "check") == "1 matches replayed, 0 problems\n"


def test_the_source_archive_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    build(source, tmp_path / "again")
    (first,), (second,) = built.glob("*.whl"), (tmp_path / "again").glob("*.whl")
    one, two = ({each.filename: each.CRC for each in zipfile.ZipFile(path).infolist()} for path in (first, second))
    assert one == two

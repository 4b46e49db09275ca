"""The wheel contains everything that pbem needs, and works without a checkout."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.correspondence import parsed, text
from tests.operating import matches
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site, environment

pytestmark = pytest.mark.slow  # building a wheel is slow

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel without a network. Return the folder into which it was installed."""
    built, target = tmp_path_factory.mktemp("built"), tmp_path_factory.mktemp("installed")
    run = [sys.executable, "-m"]
    for words in (
        [*run, "hatchling", "build", "-t", "wheel", "-d", str(built)],
        [*run, "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", str(target)],
    ):
        wheels = [str(path) for path in built.glob("*.whl")]
        done = subprocess.run([*words, *wheels], cwd=ROOT, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
    return target


def python(installed: Path, folder: Path, *words: str, stdin: bytes = b"") -> str:
    """Run Python in a folder with the installed wheel first on its path. Return its output."""
    env = environment() | {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, input=stdin, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_the_wheel_holds_all_that_is_read_at_run_time(installed: Path) -> None:
    package = installed / "pbem"
    expected = {
        "cli/demo_record.txt",
        "config.example.toml",
        "storage/migrations/env.py",
        "storage/migrations/versions/0001_the_first_tables.py",
    }
    expected |= {str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*") if path.is_file()}
    assert "templates/rules/quadraphages.md" in expected
    assert {name for name in expected if not (package / name).is_file()} == set()
    assert (package / "config.example.toml").read_bytes() == (ROOT / "config.example.toml").read_bytes()
    assert not (installed / "tests").exists()


def test_what_runs_is_the_wheel_and_not_this_checkout(installed: Path, tmp_path: Path) -> None:
    words = "import pbem, engines, notation; print(pbem.__file__, engines.__file__, notation.__file__, sep='\\n')"
    found = python(installed, tmp_path, "-c", words).splitlines()
    assert [Path(path).is_relative_to(installed) for path in found] == [True] * 3
    words = "from pbem.cli import demo; from pbem.cli.setup import presets; "
    words += "from pbem.payloads import templates as words; "
    words += "from pbem.storage import database; print(presets.example(), demo.SAMPLE, database.MIGRATIONS,"
    found = python(installed, tmp_path, "-c", f"{words} words.templates_folder(), sep='\\n')").splitlines()
    assert [Path(path).is_relative_to(installed) for path in found] == [True] * 4


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


def test_init_in_an_empty_folder_writes_the_example_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    python(installed, tmp_path, str(installed / "bin" / "pbem"), "init")
    assert (tmp_path / "pbem.toml").read_bytes() == (ROOT / "config.example.toml").read_bytes()
    assert (tmp_path / "pbem.sqlite").is_file()

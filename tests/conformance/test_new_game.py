"""A package that `pbem game new` writes passes pytest and `pbem game check`, and both say what is broken in one.

Nothing is downloaded: instead of being installed, a package has the metadata of an installed one beside it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.cli.command_index import app

pytestmark = pytest.mark.slow


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, as if the package in it were installed."""
    env = {**os.environ, "PYTHONPATH": "src", "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("PYTEST_ADDOPTS", None)
    return subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=600)


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "pytest", "-p", "no:cacheprovider", *words)


def run_pbem(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "-c", "from pbem.cli import main; main()", *words)


def run_check(folder: Path) -> subprocess.CompletedProcess[str]:
    return run_pbem(folder, "game", "check", "tiny-hex")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a new package, for tests that leave it as it was."""
    folder = tmp_path_factory.mktemp("new") / "pbem-tiny-hex"
    written = CliRunner().invoke(app, ["game", "new", "tiny-hex", str(folder)])
    assert written.exit_code == 0, written.output
    metadata = folder / "src" / "pbem_tiny_hex-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pbem-tiny-hex\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[pbem.games]\ntiny-hex = pbem_tiny_hex:TINY_HEX\n", encoding="utf-8")
    return folder


def test_a_new_package_passes_its_tests_and_all_checks(package: Path) -> None:
    done = run_pytest(package, "-q", "-W", "error", "--strict-config", "--strict-markers")
    checked = run_check(package)

    assert (done.returncode, done.stderr) == (0, "")
    assert "46 passed" in done.stdout
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "note: Positions have no state() for the search" in checked.stdout
    assert checked.stdout.endswith("TinyHex: 33 of 33 checks hold; the notes are no failures\n")


def test_a_fault_is_told_in_a_sentence_by_both(package: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(package, tmp_path / "pbem-tiny-hex")
    engine = folder / "src" / "pbem_tiny_hex" / "engine.py"
    source = engine.read_text(encoding="utf-8")
    engine.write_text(source.replace("if move.cell not in BOARD.names:", "if False:"), encoding="utf-8")
    done = run_pytest(folder, "-q", "tests/test_promises.py", "-k", "agrees or described")
    checked = run_check(folder)

    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "but moves() doesn't list it." in done.stdout
    assert "Traceback" not in done.stdout
    assert checked.returncode == 1
    assert "\nplay agrees with moves: play takes " in f"\n{checked.stdout}"
    assert "Traceback" not in checked.stdout + checked.stderr


def test_what_a_game_raises_is_no_traceback_of_the_command(package: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(package, tmp_path / "pbem-tiny-hex")
    notation = folder / "src" / "pbem_tiny_hex" / "notation.py"
    source = notation.read_text(encoding="utf-8")
    notation.write_text(source.replace("return move.cell", "return move.sell"), encoding="utf-8")
    checked = run_check(folder)

    assert checked.returncode == 1
    assert "It stopped with AttributeError: 'Turn' object has no attribute 'sell' (notation.py, line " in checked.stdout
    assert checked.stdout.count("no attribute 'sell'") == 1
    assert int(re.search(r"TinyHex: (\d+) of 33 checks hold\n", checked.stdout)[1]) < 20  # type: ignore[index]
    assert "Traceback" not in checked.stdout + checked.stderr


def test_a_game_that_is_installed_and_not_enabled_is_listed_as_such(package: Path) -> None:
    told = run_pbem(package, "games").stdout

    assert "installed, and offered once enabled in [games]: tiny-hex\n" in told


@pytest.mark.parametrize(
    ("key", "why"),
    [
        *((key, "is no key of a game") for key in ("Hex", "h", "tic-", "tic--tac", "7up")),
        ("resign", "is a command"),
        ("rules", "is a command"),
        ("guest", "means something else"),
        ("quadrupel", 'There is a game "quadrupel" already'),
    ],
)
def test_a_key_that_no_game_can_have_is_refused(key: str, why: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["game", "new", key, str(tmp_path / "new")])

    assert done.exit_code == 2
    assert why in done.output
    assert not (tmp_path / "new").exists()


def test_a_folder_that_has_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(app, ["game", "new", "tiny-hex", str(tmp_path)])

    assert done.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]

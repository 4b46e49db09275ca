"""The wheel contains everything that pbem needs, works without a checkout, and installs as the documents say."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.correspondence import parsed, text
from tests.docs.pages import page, section
from tests.operating import matches
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site, environment
from tests.servers import missing

pytestmark = pytest.mark.slow  # building a wheel is slow

ROOT = Path(__file__).parent.parent.parent
PYTHON = "/usr/bin/python3"
"""Debian's, which its pipx uses."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build wheel and source archive without a network. Return their folder."""
    folder = tmp_path_factory.mktemp("built")
    build(ROOT, folder)
    return folder


def build(source: Path, folder: Path) -> None:
    """Build what `hatchling build` builds from a folder of sources."""
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


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


def test_the_wheel_holds_all_that_is_read_at_run_time(installed: Path) -> None:
    package = installed / "pbem"
    expected = {
        "cli/demo_record.txt",
        "conformance/template/pyproject.toml",
        "storage/migrations/env.py",
        "storage/migrations/versions/0001_the_tables.py",
    }
    expected |= {str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*") if path.is_file()}
    assert "templates/rules/quadraphages.md" in expected
    assert {name for name in expected if not (package / name).is_file()} == set()
    assert not (installed / "tests").exists()


def test_a_new_game_that_the_wheel_writes_passes_what_the_wheel_checks(installed: Path, tmp_path: Path) -> None:
    python(installed, tmp_path, "-c", "from pbem.cli import main; main()", "game", "new", "hex", "here")
    metadata = tmp_path / "here" / "pbem_hex-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pbem-hex\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[pbem.games]\nhex = pbem_hex:HEX\n", encoding="utf-8")
    path = tmp_path / "here" / "pyproject.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('["."]', '[".", "src"]'), encoding="utf-8")
    assert "50 passed" in python(installed, tmp_path / "here", "-m", "pytest", "-q")


def test_what_runs_is_the_wheel_and_not_this_checkout(installed: Path, tmp_path: Path) -> None:
    words = "import pbem, engines, notation; print(pbem.__file__, engines.__file__, notation.__file__, sep='\\n')"
    found = python(installed, tmp_path, "-c", words).splitlines()
    assert [Path(path).is_relative_to(installed) for path in found] == [True] * 3
    words = "from pbem.cli import demo; "
    words += "from pbem.messages.said import templates as words; "
    words += "from pbem.storage import database; print(demo.SAMPLE, database.MIGRATIONS,"
    found = python(installed, tmp_path, "-c", f"{words} words.templates_folder(), sep='\\n')").splitlines()
    assert [Path(path).is_relative_to(installed) for path in found] == [True] * 3


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


def test_init_in_an_empty_folder_sets_up_a_server(installed: Path, tmp_path: Path) -> None:
    python(installed, tmp_path, str(installed / "bin" / "pbem"), "init")
    assert (tmp_path / "pbem.toml").is_file()
    assert (tmp_path / "pbem.sqlite").is_file()


def test_the_links_of_the_unit_are_installed_with_it(installed: Path) -> None:
    unit = (installed / "share" / "doc" / "pbem" / "deploy" / "pbem.service").read_text(encoding="utf-8")
    assert unit == page("deploy/pbem.service")
    (links,) = re.findall(r"^Documentation=(.*)$", unit, re.MULTILINE)
    manual, path = links.split()
    assert manual == "man:pbem(1)"
    assert Path(path.removeprefix("file://").replace("/opt/pbem", str(installed))).is_file()
    if shutil.which("man") is None:
        missing("man", "man-db")
    env = {"PATH": os.environ["PATH"], "MANPATH": str(installed / "share" / "man")}
    done = subprocess.run(["man", "-w", "1", "pbem"], env=env, capture_output=True, text=True, timeout=600)
    assert Path(done.stdout.strip()) == installed / "share" / "man" / "man1" / "pbem.1"


def test_the_installed_documents_lead_to_each_other(installed: Path) -> None:
    documents = installed / "share" / "doc" / "pbem"
    pages = [path for path in documents.rglob("*.md") if "decisions" not in path.parts]
    assert documents / "docs" / "operating.md" in pages
    for path in pages:
        for link in re.findall(r"\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            inside = "://" not in link and not re.match(r"(\.\./)*(tests|bench|pbem|templates|engines|notation)/", link)
            assert not inside or (path.parent / link).exists(), f"{path}: {link}"


def test_the_source_archive_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    build(source, tmp_path / "again")
    (first,), (second,) = built.glob("*.whl"), (tmp_path / "again").glob("*.whl")
    one, two = ({each.filename: each.CRC for each in zipfile.ZipFile(path).infolist()} for path in (first, second))
    assert one == two


def reach_the_index() -> None:
    """Skip the test where pip reaches no package index."""
    words = [sys.executable, "-m", "pip", "index", "versions", "typer"]
    if subprocess.run(words, capture_output=True, timeout=600).returncode:
        pytest.skip("no package index can be reached")


@pytest.mark.parametrize("kind", ["wheel", "source archive"])
def test_pipx_installs_it_as_the_documents_say(kind: str, built: Path, tmp_path: Path) -> None:
    """With Debian's own pipx and Python, for a user who has nothing yet, and then the first steps of the README."""
    if shutil.which("pipx") is None:
        missing("pipx", "pipx")
    reach_the_index()
    about = section(page("docs/operating.md"), "Installing with pipx")
    lines = re.findall(r"^pipx install '?(\./[^\s']+)", about, re.MULTILINE)
    (given,) = [line for line in lines if (".whl" in line) == (kind == "wheel")]
    shutil.copytree(built, tmp_path / "dist")
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    env = kept | {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8", "COLUMNS": "200"}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    given = f"./{next(tmp_path.glob(given)).relative_to(tmp_path)}"
    assert "installed package pbem" in run("/usr/bin/pipx", "install", "--python", PYTHON, given)
    pbem = str(tmp_path / ".local" / "bin" / "pbem")
    assert run(pbem, "--version").startswith("pbem ")
    run(pbem, "init", "--no-ask")
    assert run(pbem, "run", "--once") == "0 received, 0 processed, 0 sent\n"
    assert run(pbem, "check") == "0 matches replayed, 0 problems\n"
    (manual,) = (tmp_path / ".local").glob("**/share/man/man1/pbem.1")
    assert "pbem tournament open" in run("man", "-l", str(manual))

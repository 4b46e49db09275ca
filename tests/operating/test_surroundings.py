"""Checks by `pbem doctor` and at the start: file permissions, ports, and a disk without room."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

from pbem import config
from pbem.cli.doctor import local_files_and_ports
from tests.operating.daemons import Daemon
from tests.operating.doors import answering, greets
from tests.operating.people import written
from tests.operating.site import ADDRESS, FOLDER_IN, LMTP_IN, Site, environment
from tests.servers import unprivileged

pytest.importorskip("dkim")

RULES = written("ann@mail.example", ADDRESS, "rules quadraphages")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Make a site in a folder that every user of the machine can traverse, like /etc/pbem; pytest's are closed."""
    monkeypatch.delenv("PBEM_CONFIG", raising=False)
    before = os.umask(0o077)
    with tempfile.TemporaryDirectory(prefix="premises") as folder:
        site = Site(Path(folder) / "site")
        site.configure()
        site.make()
        for passed in (Path(folder), site.folder):
            passed.chmod(0o711)
        yield site
    os.umask(before)
    structlog.reset_defaults()


def exposed(site: Site) -> list[str]:
    return [path.name for path in local_files_and_ports.exposed(config.load(site.config))]


@pytest.mark.own_database
def test_what_pbem_makes_is_for_its_user_alone(site: Site) -> None:
    (site.folder / "pbem.key").unlink()
    assert site.process("init", umask=0).code == 0
    site.drop(RULES)
    assert site.process("run", "--once", umask=0).code == 0
    theirs = {site.config, *site.folder.rglob("*.test"), site.folder / "in", site.folder / "in" / "new"}
    made = [path for path in site.folder.rglob("*") if path not in theirs and path.name[:3].isalpha()]
    assert {"pbem.key", "pbem.sqlite", "out", "new", "cur"} <= {path.name for path in made}
    assert [path for path in made if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
    assert [path.name for path in site.folder.glob("out/new/*") if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("name", ["pbem.key", pytest.param("pbem.sqlite", marks=pytest.mark.own_database), "out"])
def test_what_everybody_can_read_is_a_fault(site: Site, name: str) -> None:
    site.drop(RULES)
    site.process("run", "--once")
    (site.folder / "in").chmod(0o700)
    path = site.folder / name
    path.chmod(path.stat().st_mode | (0o005 if path.is_dir() else 0o004))
    assert exposed(site) == [name]
    done = site.process("doctor")
    assert done.code == 1
    assert f"chmod o= {path}" in done.out


def test_a_configuration_counts_where_it_holds_a_secret(site: Site) -> None:
    site.config.chmod(0o644)
    assert exposed(site) == []
    text = site.config.read_text(encoding="utf-8")
    site.config.write_text(text.replace('{ file = "pbem.key" }', '{ value = "marked" }'), encoding="utf-8")
    assert exposed(site) == ["pbem.toml"]
    url = "postgresql+psycopg://pbem:marked@db.example/pbem"
    site.config.write_text(text.replace(site.database, url), encoding="utf-8")
    assert exposed(site) == ["pbem.toml"]


def test_the_start_warns(site: Site, start: Callable[[Site], Daemon]) -> None:
    (site.folder / "pbem.key").chmod(0o644)
    site.configure(inbox=LMTP_IN)
    (site.folder / "pbem.key").chmod(0o644)
    daemon = start(site)
    (line,) = daemon.lines("everyone on this machine can read it")
    assert Path(line["file"]).name == "pbem.key"


# Another user, another terminal, another program at our port


@pytest.fixture
def nobody(site: Site) -> Iterator[int]:
    """Fill the site's folder, and open it afterwards. Return a user who may not read it, or -1 if root runs nothing."""
    assert site.pbem("init").code == 0
    site.drop(RULES)
    yield unprivileged().get("user", -1)
    site.folder.chmod(0o700)
    for path in site.folder.rglob("*"):
        path.chmod(0o700)


DENIED = "Permission denied; let the user that runs pbem read and write it"


@pytest.mark.own_database
@pytest.mark.parametrize(
    ("closed", "mode", "words", "sentence"),
    [
        ("pbem.sqlite", 0o400, ("run", "--once"), "attempt to write a readonly database. Let the user that runs pbem"),
        ("pbem.sqlite", 0o400, ("init",), "attempt to write a readonly database. Let the user that runs pbem write"),
        ("pbem.sqlite", 0o000, ("run", "--once"), "unable to open database file. Let the user that runs pbem write"),
        (".", 0o500, ("init",), "attempt to write a readonly database. Let the user that runs pbem write"),
        ("pbem.sqlite.lock", 0o000, ("init",), "pbem.sqlite.lock can't be written: let the user that runs pbem write"),
        ("in", 0o000, ("run", "--once"), f"in/tmp: {DENIED}"),
        ("pbem.toml", 0o000, ("run", "--once"), "pbem.toml can't be read: Permission denied; let the user that runs"),
        ("pbem.key", 0o000, ("run", "--once"), "pbem.key can't be read: Permission denied"),
    ],
)
def test_what_may_not_be_used_is_told(
    site: Site, nobody: int, closed: str, mode: int, words: tuple[str, ...], sentence: str
) -> None:
    (site.folder / closed).chmod(mode)
    done = site.process(*words, obeys_modes=True)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


@pytest.mark.own_database
def test_a_disk_without_room_is_told(site: Site) -> None:
    """A process that may not make files of more than 10 KB meets the same errors as on a full disk."""
    program = Path(sys.executable).with_name("pbem")
    around = {**environment(), "PBEM_CONFIG": str(site.config)}
    around["PYTHONDONTWRITEBYTECODE"] = "1"  # else compiled modules may be cut off too, and stay so
    limited = ["bash", "-c", f"ulimit -f 10; exec {program} run --once"]
    done = subprocess.run(limited, env=around, cwd=site.folder, capture_output=True, timeout=600, check=False)
    assert done.returncode == 2, done
    assert f"disk I/O error. Make room where {site.folder}/pbem.sqlite is" in done.stderr.decode()


@pytest.mark.parametrize("table", ["metrics", "inbox.lmtp"])
def test_a_port_that_another_program_has_ends_the_start(site: Site, table: str) -> None:
    with answering(greets) as port:
        site.configure(inbox=f"{FOLDER_IN}[{table}]\nport = {port}\n")
        done = site.process("run")
    assert (done.code, done.out) == (2, "")
    assert f"pbem: [{table}] can't listen at 127.0.0.1, port {port}: Address already in use; stop the" in done.err

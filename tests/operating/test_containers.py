"""The container image and the site of compose.yaml: what they promise, and that the image is built and runs."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pbem import config
from tests.docs.pages import ROOT, page
from tests.servers import missing

FOLDER = ROOT / "deploy" / "container"
DOCKERFILES = {"pbem": FOLDER / "Dockerfile"} | {
    name: FOLDER / name / "Dockerfile" for name in ("dovecot", "postfix", "web")
}
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
VARIABLES = {"MAIL_DOMAIN": "games.example", "WEB_HOST": "localhost", "ADMIN": "admin@elsewhere.example"}
BASE = "docker.io/library/debian:12-slim"
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
"""Whom this machine trusts, which may have a registry of its own."""


def test_services_write_to_volumes_and_memory_only_and_have_no_rights() -> None:
    for name, dockerfile in DOCKERFILES.items():
        service, text = COMPOSE["services"][name], dockerfile.read_text(encoding="utf-8")
        assert service["read_only"] is True
        assert service["build"]["dockerfile"] == dockerfile.relative_to(ROOT).as_posix()
        assert (FOLDER / service["build"]["context"]).resolve() == ROOT
        volumes = set(re.findall(r"^VOLUME\s+(\S+)$", text, re.MULTILINE))
        assert volumes <= {each.split(":")[1] for each in service["volumes"]}
        assert not re.search(r"\b(ADD|curl|wget)\b", text)
    for service in (COMPOSE["services"][name] for name in ("pbem", "site", "web")):
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
    published = {name: service["ports"] for name, service in COMPOSE["services"].items() if "ports" in service}
    assert published == {"postfix": ["25:25"], "web": ["80:8080", "443:8443"]}, "only ports for everybody"


def test_its_configuration_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in COMPOSE["services"]["pbem"]["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{(\w+)[^}]*\}", lambda found: VARIABLES[found[1]], value))
    settings = config.load(FOLDER / "pbem.toml")
    assert settings.server.address == "games@games.example"
    assert settings.inbox.imap
    assert settings.outbox.smtp
    assert {settings.inbox.imap.host, settings.outbox.smtp.host} < set(COMPOSE["services"])
    assert f"\n{settings.outbox.smtp.port} " in (FOLDER / "postfix" / "master.cf").read_text(encoding="utf-8")
    for name in ("postfix", "dovecot"):
        subprocess.run(["/bin/sh", "-n", str(FOLDER / name / "start")], check=True, timeout=600)
        assert os.access(FOLDER / name / "start", os.X_OK)


def test_the_image_gets_what_the_wheel_is_built_from_and_no_secret() -> None:
    everything, *rules = re.findall(r"(?m)^[^#\n]+$", page(".dockerignore"))
    assert everything == "*"
    let_in = {rule.removeprefix("!").strip("/") for rule in rules if rule.startswith("!")}
    wheel = re.search(
        r"targets\.wheel\]\n(.*?)\n\[tool\.hatch\.build\.targets\.sdist", page("pyproject.toml"), re.DOTALL
    )
    assert wheel
    wanted = {path for path in re.findall(r'"([\w./]+)"', wheel[1]) if path != "." and (ROOT / path).exists()}
    assert {"pbem", "docs", "config.example.toml"} <= wanted
    assert {path for path in wanted if not {path, path.split("/")[0]} & let_in} == set()
    assert not {name for name in let_in if name.startswith((".git", ".venv", "tests"))}


def buildah(folder: Path, *words: str) -> str:
    """Run buildah, with a store in that folder."""
    env = os.environ | {"CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"), "BUILDAH_FORMAT": "docker"}
    done = subprocess.run(["buildah", *words], env=env, capture_output=True, text=True, timeout=1_200)
    assert done.returncode == 0, f"buildah {words}\n{done.stdout[-3_000:]}{done.stderr[-3_000:]}"
    return done.stdout.strip()


@pytest.fixture
def store() -> Iterator[Path]:
    """Return the store of a builder that has a Debian 12 without anything on top, as debian:12-slim is."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"]).returncode:
        pytest.skip("only root, with the right to make namespaces, can make a Debian and build in it")
    for program in ("debootstrap", "buildah"):
        if shutil.which(program) is None:
            missing(program, program)
    with tempfile.TemporaryDirectory(prefix="images") as name:  # pytest's would stay for a while, with gigabytes
        folder = Path(name)
        (folder / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/graph"\n', encoding="utf-8"
        )
        base = buildah(folder, "from", "scratch")
        words = ["debootstrap", "--variant=minbase", "bookworm", buildah(folder, "mount", base)]
        done = subprocess.run(words, capture_output=True, timeout=1_200)
        if done.returncode and b"Failed getting release file" in done.stdout + done.stderr:
            pytest.skip("no Debian mirror can be reached")
        assert done.returncode == 0, (done.stdout + done.stderr)[-3_000:].decode()
        buildah(folder, "commit", "--quiet", base, BASE)
        yield folder


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_the_image_is_built_and_runs_as_a_user_who_owns_nothing_of_it(store: Path) -> None:
    (store / "pip.conf").write_text("[global]\ncert = /etc/authorities.crt\n", encoding="utf-8")
    trusted = [f"--volume={AUTHORITIES}:/etc/authorities.crt:ro", f"--volume={store}/pip.conf:/etc/pip.conf:ro"]
    words = ["--quiet", "--isolation=chroot", "--network=host", "--pull-never", "--build-arg=COMMIT=abc1234"]
    words += [*(trusted if AUTHORITIES.is_file() else ()), f"--ignorefile={ROOT}/.dockerignore"]
    image = buildah(store, "bud", *words, f"--file={DOCKERFILES['pbem']}", str(ROOT)).splitlines()[-1]
    container = buildah(store, "from", "--pull-never", image)

    def run(*command: str, user: str = "pbem") -> str:
        return buildah(store, "run", "--isolation=chroot", f"--user={user}", container, "--", *command)

    assert "USER pbem\n" in DOCKERFILES["pbem"].read_text(encoding="utf-8")
    assert run("pbem", "--version") == "pbem 1.0.0+abc1234"
    owned = run("find", "/bin", "/etc", "/opt", "/usr", "/var", "-user", "pbem", user="root").splitlines()
    assert sorted(owned) == ["/var/lib/pbem"]

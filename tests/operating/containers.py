"""Dockerfiles and compose.yaml carried out without Docker: images by buildah, namespaces for containers."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

INSTRUCTION = re.compile(r"^([A-Z]+)\s+(.*)$", re.DOTALL)
BASE = "docker.io/library/debian:12-slim"
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
"""Whom this machine trusts, which may have a registry of its own."""


def instructions(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the instructions of a Dockerfile with what stands behind them.

    >>> list(instructions("# about\nFROM a AS b\nRUN one \\\n # why\n && two\n"))
    [('FROM', 'a AS b'), ('RUN', 'one  && two')]
    """
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in lines.replace("\\\n", "").splitlines():
        if line.strip():
            found = INSTRUCTION.match(line)
            assert found, line
            yield found[1], found[2]


@dataclass
class Image:
    """A folder with all of its files, and how it is run."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    user: str = "root"
    folder: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)


class Builder:
    """Builds images with buildah, in a store of its own."""

    def __init__(self, folder: Path, base: Path) -> None:
        self._folder = folder
        (folder / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/graph"\n', encoding="utf-8"
        )
        trusted = "[global]\ncert = /etc/authorities.crt\n" if AUTHORITIES.is_file() else ""
        (folder / "pip.conf").write_text(trusted, encoding="utf-8")
        container = self._buildah("from", "scratch")
        subprocess.run(["cp", "-a", f"{base}/.", self._buildah("mount", container)], check=True, timeout=600)
        self._buildah("commit", "--quiet", container, BASE)

    def _buildah(self, *words: str) -> str:
        env = os.environ | {"CONTAINERS_STORAGE_CONF": str(self._folder / "storage.conf"), "BUILDAH_FORMAT": "docker"}
        done = subprocess.run(["buildah", *words], env=env, capture_output=True, text=True, timeout=1_200)
        assert done.returncode == 0, f"buildah {words}\n{done.stdout[-3_000:]}{done.stderr[-3_000:]}"
        return done.stdout.strip()

    def build(self, dockerfile: Path, context: Path, **arguments: str) -> Image:
        """Carry out a Dockerfile, with the registries that this machine can reach."""
        mounts = [f"{AUTHORITIES}:/etc/authorities.crt:ro", f"{self._folder}/pip.conf:/etc/pip.conf:ro"]
        words = [f"--build-arg={name}={value}" for name, value in arguments.items()]
        words += [f"--volume={each}" for each in mounts if Path(each.split(":")[0]).is_file()]
        words += ["--isolation=chroot", "--network=host", "--pull-never", f"--ignorefile={context}/.dockerignore"]
        image = self._buildah("bud", "--quiet", *words, f"--file={dockerfile}", str(context)).splitlines()[-1]
        made = json.loads(self._buildah("inspect", "--type=image", image))["Docker"]["config"]
        return Image(
            Path(self._buildah("mount", self._buildah("from", "--pull-never", image))),
            dict(each.split("=", 1) for each in made["Env"]),
            made.get("User") or "root",
            made.get("WorkingDir") or "/",
            made.get("Entrypoint") or [],
            made.get("Cmd") or [],
            made.get("Healthcheck", {}).get("Test", ["CMD"])[1:],
        )


def sources(checkout: Path, target: Path) -> None:
    """Copy what `.dockerignore` lets into an image: it forbids everything, and then allows names at the top."""
    lines = (checkout / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    for rule in rules[1:]:
        if rule.startswith("!"):
            path = checkout / rule[1:]
            if path.is_dir():
                shutil.copytree(path, target / rule[1:], ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, target / rule[1:])
        else:
            assert rule == "**/__pycache__", rule


STARTING = r"""
set -eu
root=$1 user=$2 folder=$3 tmpfs=$4 mounts=$5; shift 5
mount --bind "$root" "$root"
for each in $mounts; do  # HOST:INSIDE[:ro]
    IFS=: read -r host inside mode <<EOF
$each
EOF
    mount --bind "$host" "$root$inside"
    [ "$mode" != ro ] || mount -o remount,bind,ro "$root$inside"
done
for each in $tmpfs; do mount -t tmpfs tmpfs "$root$each"; done
if [ -n "${SECRETS:-}" ]; then
    mkdir -p "$root/run/secrets"
    cp -a "$SECRETS/." "$root/run/secrets/"
fi
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
unset SECRETS
exec /usr/sbin/chroot "$root" setpriv $user /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
"""


@dataclass
class Site:
    """The services of a compose file, in one network without a way out, in which their names are those of this host."""

    compose: Mapping[str, Any]
    images: Mapping[str, Image]
    folder: Path
    network: int
    """A process in the network."""
    variables: Mapping[str, str]

    def words(self, name: str, *command: str) -> tuple[list[str], dict[str, str]]:
        """Return how to run a command (by default its own) in the container of a service, and its environment."""
        image, service = self.images[name], self.compose["services"][name]
        assert service["read_only"] is True
        mounts = []
        for each in service.get("volumes", []):
            source, inside, *mode = each.split(":")
            host = Path(self.compose_folder, source) if source.startswith(".") else self._volume(source, image, inside)
            self._make_place(image, inside, folder=host.is_dir())
            mounts.append(":".join([str(host), inside, *(mode or ["rw"])]))
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 localhost " + " ".join(self.compose["services"]) + "\n", encoding="utf-8")
        self._make_place(image, "/etc/hosts", folder=False)  # debootstrap makes none, Docker does
        mounts.append(f"{hosts}:/etc/hosts:ro")
        for folder in service["tmpfs"]:
            self._make_place(image, folder, folder=True)
        if "/run" not in service["tmpfs"]:
            self._make_place(image, "/run/secrets", folder=True)
        secrets = self.folder / f"{name}.secrets"
        secrets.mkdir(exist_ok=True)
        for each in service.get("secrets", []):
            shutil.copy2(Path(self.compose_folder, self.compose["secrets"][each]["file"]), secrets / each)
            os.chown(secrets / each, 990, 990)
        environment = {key: self._filled(value) for key, value in service.get("environment", {}).items()}
        user = self._user(image, dropped="ALL" in service.get("cap_drop", []))
        words = [
            "nsenter",
            f"--net=/proc/{self.network}/ns/net",
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
        ]
        words += ["/bin/sh", "-c", STARTING, "container", str(image.root), user, image.folder]
        words += [" ".join(service["tmpfs"]), " ".join(mounts)]
        return [*words, *(command or (*image.entrypoint, *image.command))], {
            **image.environment,
            **environment,
            "SECRETS": str(secrets),
        }

    @property
    def compose_folder(self) -> Path:
        """The folder that paths in the compose file begin at."""
        return self.folder / "compose"

    def _volume(self, name: str, image: Image, inside: str) -> Path:
        """Return a named volume; a new one begins with what the image has in its place, as with Docker."""
        assert name in self.compose["volumes"]
        volume = self.folder / "volumes" / name
        if not volume.exists():
            volume.parent.mkdir(exist_ok=True)
            self._make_place(image, inside, folder=True)
            subprocess.run(["cp", "-a", str(image.root / inside.lstrip("/")), str(volume)], check=True, timeout=600)
        return volume

    @staticmethod
    def _make_place(image: Image, inside: str, *, folder: bool) -> None:
        place = image.root / inside.lstrip("/")
        if folder:
            place.mkdir(parents=True, exist_ok=True)
        elif not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()

    def _filled(self, value: str) -> str:
        """Return a value with its ${NAME}, ${NAME:?why} and ${NAME:-otherwise} filled in."""

        def fill(found: re.Match[str]) -> str:
            name, _, otherwise = found[1].partition(":")
            if name not in self.variables:
                assert otherwise.startswith("-"), f"{name} is not set"
            return self.variables.get(name, otherwise[1:])

        return re.sub(r"\$\{([^}]*)\}", fill, value)

    @staticmethod
    def _user(image: Image, *, dropped: bool) -> str:
        """Return setpriv's words for the user of an image."""
        words = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"] if dropped else []
        if image.user != "root":
            passwd = (image.root / "etc" / "passwd").read_text(encoding="utf-8")
            (uid, gid) = next(line.split(":")[2:4] for line in passwd.splitlines() if line.startswith(f"{image.user}:"))
            words = [f"--reuid={uid}", f"--regid={gid}", "--clear-groups", *words]
        return " ".join(words) or "--keep-groups"

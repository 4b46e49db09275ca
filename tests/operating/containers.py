"""Dockerfiles and compose.yaml carried out without Docker: folders for images, namespaces for containers."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

INSTRUCTION = re.compile(r"^([A-Z]+)\s+(.*)$", re.DOTALL)
HOST_FILES = ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")
"""What an image needs of this machine to reach its package registries."""


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
    volumes: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)


def build(dockerfile: Path, context: Path, base: Path, target: Path) -> Image:
    """Carry out a Dockerfile; each FROM begins as a copy of the base. An instruction that isn't known is an error."""
    stages: dict[str, Image] = {}
    for at, (word, rest) in enumerate(instructions(dockerfile.read_text(encoding="utf-8"))):
        if word == "FROM":
            name, _, stage = rest.partition(" AS ")
            assert name == "debian:12-slim", f"the base of this test is Debian 12, and not {name}"
            image = Image(target / (stage or "image"), {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
            target.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(image.root)], check=True, timeout=600)
            stages[stage or "image"] = image
        elif word == "RUN":
            _run(image, rest, f"{dockerfile}, instruction {at + 1}")
        elif word == "COPY":
            _copy(image, rest.split(), context, stages)
        elif word == "WORKDIR":
            image.folder = rest
            (image.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "ENV":
            name, _, value = rest.partition("=")
            image.environment[name] = value
        elif word == "USER":
            image.user = rest
        elif word == "VOLUME":
            image.volumes.append(rest)
        elif word in ("ENTRYPOINT", "CMD"):
            setattr(image, {"ENTRYPOINT": "entrypoint", "CMD": "command"}[word], json.loads(rest))
        elif word == "HEALTHCHECK":
            image.health = json.loads(rest.partition(" CMD ")[2])
        else:
            assert word == "EXPOSE", word
    return image


def _run(image: Image, words: str, where: str) -> None:
    """Run a command in the image, with the registries that this machine can reach."""
    taken = {name: value for name, value in os.environ.items() if name.startswith("PIP_") and name != "PIP_FIND_LINKS"}
    kept = {}
    for name in map(Path, HOST_FILES):
        inside = image.root / str(name).lstrip("/")
        if name.is_file() and inside.parent.is_dir() and not inside.is_symlink():
            kept[inside] = inside.read_bytes() if inside.exists() else None
            inside.write_bytes(name.read_bytes())
    mounts = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec /usr/sbin/chroot "$0" /bin/sh -c "$1"'
    at = f"cd {shlex.quote(image.folder)} && {words}"
    done = subprocess.run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", mounts, str(image.root), at],
        env=taken | image.environment,
        capture_output=True,
        text=True,
        timeout=1_200,
    )
    assert done.returncode == 0, f"{where}: {words}\n{done.stdout[-3_000:]}{done.stderr[-3_000:]}"
    for inside, before in kept.items():
        if before is None:
            inside.unlink()


def _copy(image: Image, words: list[str], context: Path, stages: Mapping[str, Image]) -> None:
    """Copy files as COPY does: the content of a folder, several files into a folder, or one file to a path."""
    if words[0].startswith("--from="):
        context = stages[words.pop(0).removeprefix("--from=")].root
    *sources, last = words
    target = image.root / str(PurePosixPath(image.folder, last)).lstrip("/")
    for source in sources:
        path = context / source.lstrip("/")
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", f"{path}/.", str(target)], check=True, timeout=600)
        else:
            into = target / path.name if last.endswith("/") else target
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, into)


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

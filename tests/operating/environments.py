"""Environments of their own, into which the wheel and other packages are installed with pip, without a network."""

import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from tests import faked_clock
from tests.operating.site import environment

ROOT = Path(__file__).parent.parent.parent


def build(source: Path, folder: Path, *targets: str) -> None:
    """Build what `hatchling build` builds from a folder of sources: wheel and source archive, or those targets."""
    chosen = [word for target in targets for word in ("-t", target)]
    _run([sys.executable, "-m", "hatchling", "build", *chosen, "-d", str(folder)], source)


@dataclass(frozen=True)
class Environment:
    """A virtual environment. What pbem depends on is taken from the one that the tests run in."""

    folder: Path

    @classmethod
    def with_wheel(cls, folder: Path, wheel: Path) -> "Environment":
        """Make an environment that has pbem from a wheel, and nothing of the checkout."""
        _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
        made = cls(folder)
        made.install("--no-deps", str(wheel))
        (site_packages,) = folder.glob("lib/python*/site-packages")
        (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        shutil.copy(faked_clock.__file__, site_packages / "faked_clock.py")
        (site_packages / "faked_clock.pth").write_text("import faked_clock; faked_clock.mend()\n", encoding="utf-8")
        return made

    @property
    def python(self) -> str:
        """The interpreter."""
        return self.program("python")

    def program(self, name: str) -> str:
        """Return the path of an installed program."""
        return str(self.folder / "bin" / name)

    def install(self, *words: str) -> str:
        """Install packages with pip: files, or folders of sources."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check"]
        return _run([*pip, "install", "-q", "--no-index", "--no-build-isolation", *words])

    def run(self, *words: str, folder: Path | None = None, **env: str) -> str:
        """Run an installed program. Return its output."""
        program, *rest = words
        return _run([self.program(program), *rest], folder or self.folder, **env)


def _run(words: list[str], folder: Path | None = None, **env: str) -> str:
    own = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    done = subprocess.run(words, cwd=folder, env=own | env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

"""A package for a new game, which begins as Noughts and is named after the new one."""

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from notation.games import GamePack
from pbem.conformance.by_mail import messages_stay_as_they_are
from pbem.conformance.checks import offered

TEMPLATE = Path(__file__).parent / "template"
TOY = "noughts"
HEADING = re.compile(rf"^{TOY.upper()}\n=+$", re.MULTILINE)


def write(key: str, folder: Path) -> tuple[Path, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    sources = (path for path in sorted(TEMPLATE.rglob("*")) if path.is_file() and path.suffix != ".pyc")
    written = [_write(path, key, folder) for path in sources]
    golden = folder / "tests" / "golden" / f"{key}.txt"
    pack = _imported(key, folder)
    with offered(pack):
        messages_stay_as_they_are(pack, golden, write=True)
    return (*written, golden)


def _write(source: Path, key: str, folder: Path) -> Path:
    path = folder / _named(str(source.relative_to(TEMPLATE)), key)
    path.parent.mkdir(parents=True, exist_ok=True)
    title = _title(key)
    text = HEADING.sub(f"{title.upper()}\n{'=' * len(title)}", source.read_text(encoding="utf-8"))
    path.write_text(_named(text, key), encoding="utf-8")
    return path


def _named(text: str, key: str) -> str:
    """Return a text of the template with the new name."""
    name = key.replace("-", "_")
    in_code = (("pbem_" + TOY, f"pbem_{name}"), ("test_" + TOY, f"test_{name}"), (TOY.upper(), name.upper()))
    for old, new in (*in_code, (TOY.capitalize(), _title(key)), (TOY, key)):
        text = text.replace(old, new)
    return text


def _title(key: str) -> str:
    return key.title().replace("-", "")


def _imported(key: str, folder: Path) -> GamePack:
    name = key.replace("-", "_")
    source, others = str(folder / "src"), _modules(f"pbem_{name}")
    sys.path.insert(0, source)
    try:
        pack: GamePack = getattr(import_module(f"pbem_{name}"), name.upper())
    finally:
        sys.path.remove(source)
        _modules(f"pbem_{name}")
        sys.modules.update(others)  # of a package of that name that is installed
    return pack


def _modules(package: str) -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == package]
    return {name: sys.modules.pop(name) for name in names}

"""The wheel holds all that pbem reads at run time, in one package."""

import re
import zipfile
from pathlib import Path

from tests.operating.environments import ROOT, build

READ = {
    *("cli/demo.txt", "conformance/template/pyproject.toml"),
    *("storage/migrations/env.py", "storage/migrations/versions/0001_tables.sql"),
    *(str(path.relative_to(ROOT)) for path in (ROOT / "templates").rglob("*") if path.is_file()),
}


def test_the_wheel_is_built_and_holds_what_it_must(tmp_path: Path) -> None:
    build(ROOT, tmp_path, "wheel")
    (wheel,) = tmp_path.glob("*.whl")
    held = zipfile.ZipFile(wheel)
    names = held.namelist()

    assert "templates/rules/quadraphages.md" in READ
    assert {f"pbem/{name}" for name in READ} - set(names) == set()
    folders = {name.partition("/")[0] for name in names}
    assert {name for name in folders if not re.search(r"\.(dist-info|data)$", name)} == {"pbem"}
    assert "from pbem.notation" in held.read("pbem/matches/turn_parsing.py").decode()

"""A database file with two names: two daemons never share it."""

from pathlib import Path

import pytest

from pbem.storage import database


@pytest.mark.parametrize("exists", [True, False])
def test_two_daemons_never_share_a_file_under_two_names(tmp_path: Path, *, exists: bool) -> None:
    first, other = tmp_path / "pbem.sqlite", tmp_path / "elsewhere"
    other.mkdir()
    if exists:
        engine = database.connect(f"sqlite:///{first}")
        database.upgrade(engine)
        engine.dispose()
    with database.alone(f"sqlite:///{first}"):
        (other / "symbolic.sqlite").symlink_to(first)
        (other / "hard.sqlite").hardlink_to(first)
        for name in ("symbolic.sqlite", "hard.sqlite"):
            with pytest.raises(database.InUse, match="another name"), database.alone(f"sqlite:///{other / name}"):
                pass
        with pytest.raises(database.InUse, match=r"process \d+"), database.alone(f"sqlite:///{first}"):
            pass
        engine = database.connect(f"sqlite:///{first}")
        database.upgrade(engine)
        database.require_current(engine)
        engine.dispose()
    with database.alone(f"sqlite:///{other / 'hard.sqlite'}"):
        pass

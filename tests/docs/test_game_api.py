"""What docs/game-api.md promises to the authors of games: what there is, what stays, and what a server accepts."""

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from docs import generated
from notation import games
from notation.games import GameMissing, load
from pbem import gamekit

ONLY_MADE = (gamekit.Diagram, gamekit.GamePack, gamekit.Legend)
"""What authors make and the server uses; its methods aren't promised."""
PROMISED = Path(__file__).parent / "gamekit.txt"
"""Each name of version API with its fields or parameters, `=` after those that can be left out."""


def test_it_loads_nothing_that_the_server_needs() -> None:
    """Neither a package that pbem depends on, nor another module of the server."""
    loaded = "import sys, pbem.gamekit; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=generated.ROOT, capture_output=True, text=True, check=True
    )
    names = set(done.stdout.split())
    packages = {name.partition(".")[0] for name in names if not name.startswith(("_", "sitecustomize"))}
    assert packages - sys.stdlib_module_names == {"pbem", "notation", "engines"}
    assert {name for name in names if name.startswith("pbem")} == {"pbem", "pbem.gamekit"}


def _found() -> Iterator[tuple[str, list[str]]]:
    """Yield each name, and what each class has, with its fields or parameters."""
    for name in gamekit.__all__:
        value = getattr(gamekit, name)
        if not isinstance(value, type):
            yield name, _parameters(value)
        elif issubclass(value, Enum):
            yield name, []
            yield from ((f"{name}.{member.name}", []) for member in value)
        else:
            made_by = () if getattr(value, "_is_protocol", False) else vars(value).get("__init__")
            yield name, list(getattr(value, "_fields", ())) or _parameters(made_by)[1:]
            for method, defined in sorted(vars(value).items()) if value not in ONLY_MADE else ():
                function = getattr(defined, "__func__", defined)
                if not method.startswith("_") and (inspect.isfunction(function) or isinstance(function, property)):
                    yield f"{name}.{method}", _parameters(function)[1:]


def _parameters(value: Any) -> list[str]:
    """Return the parameters of a function; nothing for what isn't one."""
    parameters = inspect.signature(value).parameters.values() if inspect.isfunction(value) else ()
    needed = [
        each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters
    ]
    return [f"{each.name}{'' if is_needed else '='}" for each, is_needed in zip(parameters, needed, strict=True)]


def _written() -> str:
    return "\n".join([f"API {gamekit.API}", *(" ".join([name, *words]) for name, words in _found()), ""])


def test_what_is_promised_stays_while_its_version_does() -> None:
    """What is new can be left out, or else packs that are written already would fail."""
    version, *lines = PROMISED.read_text(encoding="utf-8").splitlines()
    there = dict(_found())
    for name, *words in map(str.split, lines if version == f"API {gamekit.API}" else ()):
        assert name in there, f"{name} has gone: raise API, or keep it (docs/game-api.md)"
        kept = [word.rstrip("=") for word in there[name]]
        assert [word for word in kept if word in {old.rstrip("=") for old in words}] == [w.rstrip("=") for w in words]
        needed = [word for word in there[name] if not word.endswith("=")]
        assert set(needed) <= set(words), f"{name} needs more than it did: raise API, or add a default"
    if os.environ.get("PBEM_GOLDEN") == "write":
        PROMISED.write_text(_written(), encoding="utf-8")
    assert PROMISED.read_text(encoding="utf-8") == _written(), (
        "what is added is promised: run this with PBEM_GOLDEN=write"
    )


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, api: str) -> None:
    """Install a package with the game "fresh", written against a version of the interface."""
    about = folder / "pbem_fresh-2.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pbem-fresh\nVersion: 2.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[pbem.games]\nfresh = pbem_fresh:FRESH\n", encoding="utf-8")
    (folder / "pbem_fresh.py").write_text(
        dedent(
            f"""\
            from dataclasses import replace
            from pathlib import Path
            from pbem.builtin_games import QUADRUPEL
            FRESH = replace(QUADRUPEL, game=replace(QUADRUPEL.game, key="fresh"), rules=Path(__file__).parent{api})
            """
        ),
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "pbem_fresh", raising=False)


@pytest.mark.parametrize(
    ("accepted", "api", "told"),
    [
        ((1, 1), "", ""),
        ((1, 2), ", api=2", ""),
        ((1, 1), ", api=2", "version 2 of pbem.gamekit, and this pbem accepts version 1: install a newer pbem"),
        ((2, 3), "", "version 1 of pbem.gamekit, and this pbem accepts versions 2 to 3: install a newer release"),
    ],
)
def test_a_pack_of_an_accepted_version_is_loaded_and_another_refused_with_what_to_install(
    accepted: tuple[int, int], api: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, api)
    monkeypatch.setattr(games, "OLDEST_API", accepted[0])
    monkeypatch.setattr(games, "API", accepted[1])
    if told:
        with pytest.raises(GameMissing, match=f"the package pbem-fresh 2.0 is written against {told}"):
            load("fresh")
    else:
        assert load("fresh").game.key == "fresh"

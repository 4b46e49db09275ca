"""The pytest plugin: it does nothing unless a project names its games in `pbem_games`.

Each check of a game is an item of the project's configuration file: `pyproject.toml::hex::random play ends`.
"""

from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # they and all that they import are loaded by those who have a game
    from notation.games import GamePack
    from pbem.conformance.checks import AuthorFiles, Check


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("pbem_games", "the keys of the games of this project, which pbem checks", "linelist", [])
    parser.addini("pbem_perft", "the file of the numbers of legal turns; {game} in it stands for the key", default="")
    parser.addini("pbem_brute", "what begins a match of a brute force: MODULE:NAME, perhaps with {game}", default="")
    parser.addini("pbem_golden", "the folder of the messages of a match, one file for each game", default="")
    parser.getgroup("pbem").addoption(
        "--pbem-golden", choices=["write"], help="write the messages of a match by mail anew, to be reviewed"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect the checks unless files were named; to name the configuration file runs them alone."""
    if config.getini("pbem_games") and config.inipath and config.args_source is not config.ArgsSource.ARGS:
        config.args.append(str(config.inipath))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the games of the project, which stand in its configuration file."""
    if file_path == parent.config.inipath and parent.config.getini("pbem_games"):
        return Games.from_parent(parent, path=file_path)
    return None


class Games(pytest.File):
    def collect(self) -> Iterator[pytest.Collector]:
        for key in self.config.getini("pbem_games"):
            yield GameChecks.from_parent(self, name=key)


class GameChecks(pytest.Collector):
    def collect(self) -> Iterator[pytest.Item]:
        from notation.games import GameMissing, load
        from pbem.conformance.checks import CHECKS

        try:
            pack = load(self.name)
        except GameMissing as missing:
            raise self.CollectError(f"{missing}; pip install -e . installs this project") from missing
        for check in (*CHECKS, *self._files().checks()):
            yield CheckItem.from_parent(self, name=check.name, check=check, pack=pack)

    def _files(self) -> "AuthorFiles":
        from pbem.conformance.checks import AuthorFiles

        perft, brute, folder = (
            self.config.getini(f"pbem_{name}").format(game=self.name) for name in ("perft", "brute", "golden")
        )
        root = self.config.rootpath
        return AuthorFiles(
            perft=root / perft if perft else None,
            brute=resolve_name(brute) if brute else None,
            golden=root / folder / f"{self.name}.txt" if folder else None,
            write=self.config.getoption("--pbem-golden") == "write",
        )


class CheckItem(pytest.Item):
    def __init__(self, *, check: "Check", pack: "GamePack", **more: Any) -> None:
        super().__init__(**more)
        self._check = check
        self._pack = pack

    def runtest(self) -> None:
        self._check.run(self._pack)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the sentence that says what is wrong; where the game itself failed, the traceback."""
        from pbem.conformance.samples import Nonconforming

        if excinfo.errisinstance(Nonconforming):
            return f"{self._check.about}\n\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self._pack.title}: {self._check.name}"

"""The one registry of games: a pack for each game that is offered, found by the entry points of packages."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from engines.core import Game
from notation.core import Notation, TolerantReader

GROUP = "pbem.games"
"""The group of entry points in which packages name their games."""
API = 1
"""The version of what games are written against (see docs/game-api.md)."""
KEY = "^[a-z][a-z0-9]{1,19}$"
"""What the key of a game looks like: a word that players write."""
BUILT_IN = ("quadraphages", "hexaphages", "quadrature", "quadrupel", "kvadratik")
"""The games that are offered everywhere, without being enabled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePack:
    """Everything that makes a game playable here.

    `rules` is the folder of its rules page `<key>.md`, and of the pictures on it, `<key>.toml`. `tolerant` reads
    records that were typed by hand, with slips. `version` is the major version of the rules, raised whenever a stored
    match would replay differently. `older` are the packs of earlier versions, by which running matches end. `api` is
    the version of the interface that the pack is written against.
    """

    game: Game
    notation: Notation[Any]
    rules: Path
    tolerant: TolerantReader | None = None
    version: int = 1
    older: tuple["GamePack", ...] = ()
    api: int = API

    @property
    def title(self) -> str:
        """The title of the game."""
        return self.game.title

    @property
    def page(self) -> str:
        """The rules page, in Markdown."""
        return (self.rules / f"{self.game.key}.md").read_text(encoding="utf-8")

    @property
    def pictures(self) -> str:
        """The pictures of the rules page, in TOML (see notation.illustrations); "" for none."""
        file = self.rules / f"{self.game.key}.toml"
        return file.read_text(encoding="utf-8") if file.is_file() else ""


class GameMissing(KeyError):
    """A game, or a version of its rules, that isn't there. The text says what an operator can do."""

    def __init__(self, key: str, why: str) -> None:
        self.key = key
        self.why = why
        super().__init__(why)

    def __str__(self) -> str:
        """Return the text."""
        return self.why


class Games(Mapping[str, GamePack]):
    """The games that are offered, by key: those of pbem itself, and those that the operator has enabled.

    A game that is enabled but can't be loaded isn't among them; `missing` says why. Nor is one that is suspended.
    """

    def __init__(self) -> None:
        self._wanted: tuple[str, ...] = BUILT_IN
        self.missing: dict[str, str] = {}
        self.suspended: frozenset[str] = frozenset()
        """The games whose packages have failed too often (see pbem.storage.setbacks)."""

    def enable(self, keys: Iterable[str]) -> None:
        """Offer these games beside those of pbem itself, and no others."""
        wanted = tuple(dict.fromkeys((*BUILT_IN, *keys)))
        if wanted != self._wanted:
            self._wanted = wanted
            self.__dict__.pop("packs", None)

    def told(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what another process needs to know to offer the same games: those wanted, and those suspended."""
        return self._wanted, tuple(self.suspended)

    def adopt(self, wanted: Iterable[str], suspended: Iterable[str]) -> None:
        """Offer the same games as the process that told this."""
        self.enable(wanted)
        self.suspended = frozenset(suspended)

    @cached_property
    def packs(self) -> dict[str, GamePack]:
        """The packs that are offered, loaded when they are first needed."""
        from notation.guarded import guard  # which knows what a pack is

        found: dict[str, GamePack] = {}
        self.missing = {}
        installed = _installed()
        for key in self._wanted:
            try:
                pack = _load(key, installed.get(key, []))
                found[key] = pack if key in BUILT_IN else guard(pack)
            except GameMissing as missing:
                self.missing[key] = missing.why
        return found

    def __getitem__(self, key: str) -> GamePack:
        """Return the pack of a game; raise GameMissing."""
        if key in self.packs and key not in self.suspended:
            return self.packs[key]
        raise GameMissing(key, self._why(key))

    def __iter__(self) -> Iterator[str]:
        return (key for key in self.packs if key not in self.suspended)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def games(self) -> tuple[Game, ...]:
        """Return the rule books of the games that are offered."""
        return tuple(pack.game for pack in self.values())

    def title(self, key: str) -> str:
        """Return the title of a game, also of one that isn't there.

        >>> GAMES.title("quadrupel"), GAMES.title("tic-tac-toe")
        ('Quadrupel', 'Tic-tac-toe')
        """
        return self[key].title if key in self else key.capitalize()

    def options_in_words(self, key: str, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """Return the choices that tell a match from others of the game, also of one that isn't there.

        >>> GAMES.options_in_words("quadraphages", {"first": "o"}), GAMES.options_in_words("chess", {"time": "5"})
        (('first=o',), ('time=5',))
        """
        if key in self:
            return self[key].game.options_in_words(chosen)
        return tuple(f"{option}={choice}" for option, choice in chosen.items())

    def versions(self) -> frozenset[tuple[str, int]]:
        """Return the games that are offered, each with every version of its rules by which matches can be played."""
        return frozenset((key, each.version) for key, pack in self.items() for each in (pack, *pack.older))

    def why_missing(self, key: str, version: int) -> str:
        """Return what to do about a game or a version of its rules that isn't there; nothing if it is."""
        try:
            self.of_version(key, version)
        except GameMissing as missing:
            return missing.why
        return ""

    def _why(self, key: str) -> str:
        """Return what to do about a game that isn't offered."""
        if key in self.suspended:
            return f'the game {key} is suspended, since its package has failed too often: see "pbem doctor"'
        return self.missing.get(key) or _not_enabled(key)

    def of_version(self, key: str, version: int | None = None) -> GamePack:
        """Return the pack by whose rules a match of that version is played; raise GameMissing."""
        pack = self[key]
        for each in (pack, *pack.older):
            if version in (None, each.version):
                return each
        versions = " and ".join(str(each.version) for each in (pack, *pack.older))
        raise GameMissing(
            key,
            f"the match is played by version {version} of the rules of {pack.title}, but the installed package has"
            f" {versions}: install a release of it that still has version {version}",
        )


def _installed() -> dict[str, list[EntryPoint]]:
    """Return the entry points of all installed games, by key."""
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, []).append(point)
    return found


def installed() -> tuple[str, ...]:
    """Return the keys of all installed games, offered or not."""
    return tuple(_installed())


def load(key: str) -> GamePack:
    """Return the pack of an installed game, offered or not; raise GameMissing."""
    return _load(key, _installed().get(key, []))


def _load(key: str, points: list[EntryPoint]) -> GamePack:
    """Return what the one entry point of a game names, if it is a pack for this server; raise GameMissing."""
    if not points:
        raise GameMissing(key, f"no installed package has a game {key}: install one, such as pbem-{key}")
    if len(points) > 1:
        names = " and ".join(sorted(point.dist.name if point.dist else "?" for point in points))
        raise GameMissing(key, f"{names} both have a game {key}: uninstall all but one")
    (point,) = points
    try:
        pack = point.load()
    except Exception as error:
        raise GameMissing(key, f"{_told(point)} can't be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(pack, GamePack) or pack.game.key != key:
        raise GameMissing(key, f"{_told(point)} names {point.value}, which isn't the GamePack of a game {key}")
    if pack.api != API:
        raise GameMissing(key, f"{_told(point)} is written for version {pack.api} of the interface, not for {API}")
    return pack


def _told(point: EntryPoint) -> str:
    return f"the package {point.dist.name} {point.dist.version}" if point.dist else f"the package of {point.value}"


def _not_enabled(key: str) -> str:
    """Return what to do about a game that isn't offered."""
    if key in installed():
        return f'the game {key} is installed but not enabled: add "{key}" to enabled in [games] of the configuration'
    return (
        f"the game {key} isn't installed: install its package, such as pbem-{key}, and name it in enabled in [games]"
        " of the configuration"
    )


GAMES = Games()

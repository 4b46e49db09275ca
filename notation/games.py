"""The one registry of games: a pack for each game that is offered, found by the entry points of packages."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from engines.core import Game
from notation.core import Notation, TolerantReader

GROUP = "pbem.games"
"""The group of entry points in which packages name their games."""
API = 1
"""The version of the interface that games are written against; docs/game-api.md says when it is raised."""
OLDEST_API = 1
"""The oldest version that is accepted: for at least a year after API is raised, that before it."""
KEY = "^[a-z](?:-?[a-z0-9]){1,19}$"
"""What the key of a game looks like: a word that players write, or words with dashes between them."""
BUILT_IN = ("quadraphages", "hexaphages", "quadrature", "quadrupel", "kvadratik")
"""The games that are offered everywhere, without being enabled."""
LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})?")
"""What names a language, such as de or pt-br."""
FEW = 6
"""How many games a sentence names."""
_WORD, _LETTERS = re.compile(r"\w+(?:-\w+)*"), re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Form:
    """A form of records that programs for this game read, such as PGN.

    `ending` is that of file names. `write` takes the turns, the players by seat, and the result as "1-0", "0-1",
    "1/2-1/2" or "*". `read` returns players and turns, or None if a text isn't in this form, and raises ValueError if
    it is wrong.
    """

    ending: str
    write: Callable[[Sequence[str], tuple[str, str], str], str]
    read: Callable[[str], tuple[tuple[str, str], tuple[str, ...]] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePack:
    """Everything that makes a game playable here.

    `rules` is the folder of its rules page `<key>.md`, of the pictures on it, `<key>.toml`, and of the page in other
    languages, such as `<key>.de.md`. `tolerant` reads
    records that were typed by hand, with slips. `version` is the major version of the rules, raised whenever a stored
    match would replay differently. `older` are the packs of earlier versions, by which running matches end. `api` is
    the version of the interface that the pack is written against; one that doesn't say is written against the first.
    `form` is what other programs read.
    """

    game: Game
    notation: Notation[Any]
    rules: Path
    tolerant: TolerantReader | None = None
    version: int = 1
    older: tuple["GamePack", ...] = ()
    api: int = 1
    form: Form | None = None

    @property
    def title(self) -> str:
        return self.game.title

    @property
    def page(self) -> str:
        return (self.rules / f"{self.game.key}.md").read_text(encoding="utf-8")

    @property
    def designed(self) -> str:
        """The designer and the year, as the rules page has them below its title; "" if it doesn't say.

        >>> GAMES["quadrature"].designed
        'Mark Steere, 1992'
        """
        return "".join(self.page.splitlines()[2:3])

    @property
    def goal(self) -> str:
        """How the game is won, in the first words of the rules page below its heading Goal; "" if it has none.

        >>> GAMES["quadraphages"].goal
        'You have two stones, and each marks the cells that it leaves. When no stone can move any more, the side with \
more marked cells wins.'
        """
        _, _, below = self.page.partition("\nGoal\n====\n")
        return " ".join(below.strip().partition("\n\n")[0].split()).removesuffix(":").removesuffix(".") + "." * bool(
            below
        )

    @property
    def translations(self) -> Mapping[str, str]:
        """The rules page in other languages, `<key>.de.md` for German, by what stands between its dots."""
        pages = sorted(self.rules.glob(f"{self.game.key}.*.md"))
        named = {page.name.removeprefix(f"{self.game.key}.").removesuffix(".md"): page for page in pages}
        return {each: page.read_text(encoding="utf-8") for each, page in named.items() if LANGUAGE.fullmatch(each)}

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
        return self.why


class Games(Mapping[str, GamePack]):
    """The games that are offered, by key, easy ones first: those of pbem itself, and those that are enabled.

    A game that is enabled but can't be loaded isn't among them; `missing` says why.
    """

    def __init__(self) -> None:
        self._wanted: tuple[str, ...] = BUILT_IN
        self._is_usable: Callable[[Game], bool] = lambda _: True
        self._missing: dict[str, str] = {}

    @property
    def missing(self) -> Mapping[str, str]:
        return self._missing if self.packs else {}

    def enable(self, keys: Iterable[str], is_usable: Callable[[Game], bool] = lambda _: True) -> None:
        """Offer these games beside those of pbem itself, and no others, if players can name them so."""
        self._is_usable = is_usable
        wanted = tuple(dict.fromkeys((*BUILT_IN, *keys)))
        if wanted != self._wanted:
            self._wanted = wanted
            self.__dict__.pop("packs", None)

    @cached_property
    def packs(self) -> dict[str, GamePack]:
        """The packs that are offered, loaded when they are first needed."""
        found: dict[str, GamePack] = {}
        self._missing = {}
        installed = _installed()
        for key in self._wanted:
            try:
                pack = _load(key, installed.get(key, []))
                if key not in BUILT_IN and not self._is_usable(pack.game):
                    raise GameMissing(key, unusable(pack.game))
                found[key] = pack
            except GameMissing as missing:
                self._missing[key] = missing.why
        return dict(sorted(found.items(), key=lambda item: item[1].game.difficulty))

    def __getitem__(self, key: str) -> GamePack:
        if key in self.packs:
            return self.packs[key]
        raise GameMissing(key, self.missing.get(key) or _not_enabled(key))

    def __contains__(self, key: object) -> bool:
        return key in self.packs  # without asking why it isn't, as a look-up does

    def __iter__(self) -> Iterator[str]:
        return iter(self.packs)

    def __len__(self) -> int:
        return len(self.packs)

    def games(self) -> tuple[Game, ...]:
        return tuple(pack.game for pack in self.values())

    def title(self, key: str) -> str:
        """Return the title of a game, also of one that isn't there.

        >>> GAMES.title("quadrupel"), GAMES.title("tic-tac-toe")
        ('Quadrupel', 'Tic-tac-toe')
        """
        return self[key].title if key in self else key.capitalize()

    def keyed(self, text: str) -> str:
        """Return the text with its first title of a game replaced by the key, unless it has a key already.

        >>> _replaced("Lines-of-action with bob", {"loa": "Lines of Action"})
        'loa with bob'
        """
        return text if self._key_in(text) else _replaced(text, {key: pack.title for key, pack in self.packs.items()})

    def first_in(self, text: str) -> str | None:
        """Return the key of the first game that a text names, by its key or its title; None if it names none.

        >>> GAMES.first_in("Is Kvadratik, or quadrupel, older?"), GAMES.first_in("quadrupels")
        ('kvadratik', None)
        """
        return self._key_in(self.keyed(text))

    def _key_in(self, text: str) -> str | None:
        words = (word for found in _WORD.findall(text.lower()) for word in (found, *found.split("-")))
        return next((word for word in words if word in self), None)

    def some(self, mark: str = "") -> str:
        """Return the keys of the games in a row, each between these marks, or the first FEW and how many there are.

        >>> GAMES.some()
        'quadraphages, hexaphages, quadrature, quadrupel, kvadratik'
        """
        named = [f"{mark}{key}{mark}" for key in self]
        return ", ".join(named if len(named) <= FEW else [*named[:FEW], f"and {len(named) - FEW} more"])

    def options_in_words(self, key: str, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """Return the choices that tell a match from others of the game, also of one that isn't there.

        >>> GAMES.options_in_words("quadraphages", {"first": "o"}), GAMES.options_in_words("chess", {"time": "5"})
        (('first=o',), ('time=5',))
        """
        if key in self:
            return self[key].game.options_in_words(chosen)
        return tuple(f"{option}={choice}" for option, choice in chosen.items())

    def versions(self) -> frozenset[tuple[str, int]]:
        return frozenset((key, each.version) for key, pack in self.items() for each in (pack, *pack.older))

    def why_missing(self, key: str, version: int) -> str:
        """Return "" if it isn't missing."""
        try:
            self.of_version(key, version)
        except GameMissing as missing:
            return missing.why
        return ""

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


def _replaced(text: str, titles: Mapping[str, str]) -> str:
    keys, pattern = _spellings(tuple(titles.items()))
    return pattern.sub(lambda found: keys[_joined(found[0])], text, count=1) if pattern else text


@lru_cache(maxsize=8)
def _spellings(titles: tuple[tuple[str, str], ...]) -> tuple[Mapping[str, str], re.Pattern[str] | None]:
    """Return the keys by the letters and digits of titles, and a pattern of the titles that aren't just the key."""
    keys = {_joined(title): key for key, title in titles if title.casefold() != key}
    words = sorted((_LETTERS.findall(title) for key, title in titles if title.casefold() != key), key=len)
    spelled = "|".join(r"[\s_-]?".join(map(re.escape, each)) for each in reversed(words) if each)
    return keys, re.compile(rf"(?<![\w@.+-])(?:{spelled})(?![\w@+-]|\.\w)", re.IGNORECASE) if spelled else None


def _joined(title: str) -> str:
    return "".join(_LETTERS.findall(title.casefold()))


def unusable(game: Game) -> str:
    """Return why a game can't be offered whose key or title already means something else to players."""
    return (
        f"a game can't have the key {game.key} and the title {game.title}, since players write one of these for"
        " something else, such as a command: its package has to choose others"
    )


def _installed() -> dict[str, list[EntryPoint]]:
    """Return the entry points of each key; one of several games is named by all their keys: "chess shogi"."""
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        for key in point.name.split():
            found.setdefault(key, []).append(point)
    return found


def installed() -> tuple[str, ...]:
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
        packs = point.load()
    except Exception as error:
        raise GameMissing(key, f"{_told(point)} can't be loaded: {type(error).__name__}: {error}") from error
    several = packs if isinstance(packs, tuple) else (packs,)
    pack = next((each for each in several if isinstance(each, GamePack) and each.game.key == key), None)
    if pack is None:
        raise GameMissing(key, f"{_told(point)} names {point.value}, which isn't the GamePack of a game {key}")
    if pack.api not in range(OLDEST_API, API + 1):
        raise GameMissing(key, f"{_told(point)} {_too_far(pack.api)}")
    return pack


def _too_far(api: int) -> str:
    accepted = f"version {API}" if OLDEST_API == API else f"versions {OLDEST_API} to {API}"
    install = "a newer pbem" if api > API else "a newer release of the package"
    return f"is written against version {api} of pbem.gamekit, and this pbem accepts {accepted}: install {install}"


def _told(point: EntryPoint) -> str:
    return f"the package {point.dist.name} {point.dist.version}" if point.dist else f"the package of {point.value}"


def _not_enabled(key: str) -> str:
    if key in installed():
        return f'the game {key} is installed but not enabled: add "{key}" to enabled in [games] of the configuration'
    return (
        f"the game {key} isn't installed: install its package, such as pbem-{key}, and name it in enabled in [games]"
        " of the configuration"
    )


GAMES = Games()

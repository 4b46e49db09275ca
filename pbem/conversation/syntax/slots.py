"""What a sentence names: addresses, names, games, how well, who begins, how long, until when, squares."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from notation.games import GAMES
from pbem.conversation.syntax import phrases

ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]+\.)+[\w-]{2,}")
NAME = re.compile(r"[a-z][a-z0-9_-]{0,18}[a-z0-9]")
LONGEST_MONTH = 28
SHORTEST_GAME = 5
"""How many letters a word has at least that may be a game in another spelling."""
_TOKEN = re.compile(r"[^\W_][\w'-]*", re.UNICODE)
_CELL = re.compile(r"(?<![\w])([a-z]\d{1,2})(?![\w])", re.IGNORECASE)
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b|\b(\d{1,2})[./](\d{1,2})\.?(?:(\d{4}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What sentences name; what they don't is empty."""

    addresses: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    name: str = ""
    """The name that somebody gives themselves."""
    people: tuple[str, ...] = ()
    """The names that may be those of others."""
    options: Mapping[str, str] | None = None
    level: str = ""
    begin: str = ""
    time: str = ""
    """How much time there is for a turn, as "3d"."""
    span: str = ""
    """How long something lasts, as "10d"."""
    days: tuple[date, ...] = ()
    cells: tuple[str, ...] = ()
    rated: bool = False

    def with_others(self, other: "Named") -> "Named":
        """Return what both name, the first where they differ."""
        first = {name: getattr(self, name) or getattr(other, name) for name in Named.__slots__}
        several = ("addresses", "games", "people")
        both = {name: tuple(dict.fromkeys((*getattr(self, name), *getattr(other, name)))) for name in several}
        return replace(self, **{**first, **both})


def named(sentence: str, today: date) -> Named:
    addresses = tuple(dict.fromkeys(each.rstrip(".").lower() for each in ADDRESS.findall(sentence)))
    text = ADDRESS.sub(" ", sentence)
    games = tuple(dict.fromkeys(_games(text)))
    time, span = _times(text)
    return Named(
        addresses=addresses,
        games=games,
        name=own_name(text),
        people=tuple(dict.fromkeys(_people(text))),
        options=_options(games, text),
        level=_level(text),
        begin=_begin(text),
        time=time,
        span=span,
        days=tuple(_days(text, today)),
        cells=cells_in(text),
        rated="rated" in _meanings(text) and "unrated" not in text.lower(),
    )


def cells_in(text: str) -> tuple[str, ...]:
    return tuple(cell.lower() for cell in _CELL.findall(text))


def is_negated(text: str) -> bool:
    return "not" in _meanings(text)


def is_doubted(text: str) -> bool:
    """Return whether a text says that something isn't done, or only thinks about it."""
    return not {"not", "doubt"}.isdisjoint(_meanings(text))


def zone_in(text: str) -> str:
    return found[0] if (found := re.search(r"\b(?:UTC|[A-Z][a-z]+/[A-Z][A-Za-z_]+)\b", text)) else ""


def _words(text: str) -> list[str]:
    return phrases.words(text)


def _begin(text: str) -> str:
    asks_how = "how" in phrases.lexicon("concepts").of_text(_words(text))
    said = phrases.table("slots")["begin"].items()
    *others, last = _words(text) or [""]
    who = phrases.lexicon("who")
    if "first" in who.of(last) and "you" in who.of_text(others[-3:]) and not asks_how:
        return "you"
    return next((str(who) for who, listed in said if not asks_how and _stands_in(listed, text)), "")


def _meanings(text: str) -> set[str]:
    return set(phrases.lexicon("words").of_text(_words(text)))


def _stands_in(said: list[str], text: str) -> bool:
    padded = f" {' '.join(_words(text))} "
    return any(f" {' '.join(_words(each))} " in padded for each in said)


# Games -----------------------------------------------------------------------------------


def _games(text: str) -> Iterator[str]:
    if found := GAMES.first_in(text):
        yield found
    for word in _words(text):
        if word in GAMES:
            yield word
        elif len(word) >= SHORTEST_GAME:
            yield from (key for key in phrases.lexicon("games").of(word) if key in GAMES)


def _options(games: tuple[str, ...], text: str) -> dict[str, str]:
    """Return the choices of the game that a text has: "maximum points", or "variant: position"."""
    if len(games) != 1:
        return {}
    padded, found = f" {' '.join(_words(text))} ", {}
    for option in GAMES[games[0]].game.options:
        for choice in option.choices:
            said = " ".join(_words(choice.replace("-", " ")))
            is_clear = len(said) > len("basic") or f" {option.name} " in padded
            if is_clear and not choice.isdecimal() and f" {said} " in padded:
                found[option.name] = choice
    return found


_NUMBERED_LEVEL = re.compile(
    r"\b(?:level|stufe|niveau|n[ií]vel|poziom\w*|livello|уров\w+)\s*:?\s*([1-5])\b", re.IGNORECASE
)


def _level(text: str) -> str:
    if numbered := _NUMBERED_LEVEL.search(text):
        return numbered[1]
    levels = phrases.lexicon("level").of_text(_words(text))
    return levels[0] if len(levels) == 1 else ""


# Names -----------------------------------------------------------------------------------


def is_name(word: str) -> bool:
    """Return whether a word can be a person's: no word that the sentences of any language have.

    >>> [is_name(word) for word in ("tom", "kimś", "komputerem", "ordinateur", "l", "together")]
    [True, False, False, False, False, False]
    """
    bare = phrases.plain(word)
    is_word = bare in phrases.stop_words() or phrases.lexicon("concepts").of(bare)
    is_game = bare in GAMES or phrases.lexicon("games").of(bare)
    is_turn = re.fullmatch(r"(?:[a-z]\d{1,2})+", bare) is not None
    return NAME.fullmatch(word.lower()) is not None and not (is_word or is_game or is_turn)


@cache
def _before(*kinds: str) -> re.Pattern[str]:
    said = sorted((each for kind in kinds for each in phrases.table("names")[kind]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, said))})(?!\w)[\s:\"'\u201c\u201e\u00ab]*", re.IGNORECASE)


def own_name(text: str) -> str:
    """Return the name that somebody gives themselves, if it is one word.

    >>> own_name("Hi, my name is Carol."), own_name("I'm Petra"), own_name("I'm new here"), own_name("I am Tom Smith")
    ('carol', 'petra', '', '')
    """
    text = text.replace("\u2019", "'")
    for kinds, capital in ((("called", "joining"), False), (("i_am",), True)):
        for found in _before(*kinds).finditer(text):
            words = _TOKEN.findall(text[found.end() :])[:2]
            fits = words and is_name(words[0]) and (words[0][:1].isupper() or not capital)
            if fits and not (len(words) > 1 and is_name(words[1])):
                return str(words[0]).lower()
    return ""


def without_name(text: str) -> str:
    """Return what a sentence says beside the name that its author gives themselves.

    >>> without_name("My name is Carol and I'd like to play")
    " and I'd like to play"
    """
    name = own_name(text)
    return re.sub(rf"^.*?\b{re.escape(name)}\b", "", text, count=1, flags=re.IGNORECASE | re.DOTALL) or text


def _people(text: str) -> Iterator[str]:
    text = text.replace("\u2019", "'")
    for found in _before("against").finditer(text):
        for word in _TOKEN.findall(text[found.end() :])[:4]:
            if is_name(word):
                yield word.lower()
                break
            if not ({"friend", "me"} & set(phrases.lexicon("concepts").of(phrases.plain(word)))):
                break


# Time ------------------------------------------------------------------------------------


def _times(text: str) -> tuple[str, str]:
    """Return the time for each turn, and a span that is none.

    >>> _times("with 3 days per move"), _times("drei Tage pro Zug"), _times("I'm away for two weeks")
    (('3d', ''), ('3d', ''), ('', '14d'))
    """
    words, numbers, units, others = _words(text), *map(phrases.lexicon, ("number", "unit", "words"))
    per_move = span = ""
    for at, word in enumerate(words[:-1]):
        count = int(word[:4]) if word.isdecimal() else next(map(int, numbers.of(word)), 0)
        unit = next(iter(units.of(words[at + 1])), "")
        if not count or not unit:
            continue
        length = f"{7 * count}d" if unit == "w" else f"{count}{unit}"
        behind = {meaning for each in words[at + 2 : at + 5] for meaning in others.of(each)}
        if {"per", "move"} <= behind or ("move" in behind and at + 2 < len(words)):
            per_move = per_move or length
        else:
            span = span or length
    return per_move, span


def _days(text: str, today: date) -> Iterator[date]:
    """Yield the days that a text names: dates, and days of the week, which are the next ones."""
    for found in _DATE.finditer(text):
        year, month, day = (found[1], found[2], found[3]) if found[1] else (found[6], found[5], found[4])
        try:
            named = date(int(year or today.year), int(month), int(day))
        except ValueError:
            continue
        yield named if year or named >= today else named.replace(year=today.year + 1)
    words = _words(text)
    for word, *nearby in zip(words, words[1:], [*words[2:], ""], strict=False):
        months = [int(number) for each in nearby for number in phrases.lexicon("month").of(each)][:1]
        if word.isdecimal() and months and 0 < int(word) <= LONGEST_MONTH:
            named = date(today.year + (months[0] < today.month), months[0], int(word))
            yield named
    for word in words:
        for number in phrases.lexicon("weekday").of(word):
            yield today + timedelta(days=(int(number) - today.weekday() - 1) % 7 + 1)
        if phrases.lexicon("words").of(word) == ["tomorrow"]:
            yield today + timedelta(days=1)

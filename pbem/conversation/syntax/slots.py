"""What a sentence names: addresses, names, games, how well, who begins, how long, until when, squares."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import pairwise
from zoneinfo import available_timezones

from notation.games import GAMES
from pbem.conversation.syntax import days, phrases, recogniser

ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]+\.)+[\w-]{2,}")
NAME = re.compile(r"[a-z][a-z0-9_-]{0,18}[a-z0-9]")
JOINING = ("join", "register", "sign")
"""What one name follows: two are other people's words, and may be an advertisement."""
SHORTEST_NAME, MOST_NAMES = 3, 3
"""How many letters a name has at least below a message, and how many words."""
NEAR = 4
"""How many words there are at most between who begins and that they do."""
SHORTEST_GAME = 5
"""How many letters a word has at least that may be a game in another spelling."""
SENTENCE_END = re.compile(r"(?<=[.!?;\u3002\uff1f])(?<!\d\.)\s+(?=\S)")
_TOKEN = re.compile(r"[^\W_][\w'-]*", re.UNICODE)
_CELL = re.compile(r"(?<![\w])([a-z]\d{1,2})(?![\w])", re.IGNORECASE)


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
        several = ("addresses", "games", "people", "days")
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
        days=tuple(dict.fromkeys(days.named(text, today))),
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
    """Return the time zone that a text names, by itself or by a city.

    >>> zone_in("I live in New York now"), zone_in("my zone is Europe/Vienna"), zone_in("it's late here")
    ('America/New_York', 'Europe/Vienna', '')
    """
    if found := re.search(r"\b(?:(?:UTC|GMT)[+-]\d{1,2}(?::\d\d)?|UTC|[A-Z][a-z]+/[A-Z][A-Za-z_]+)\b", text):
        return found[0]
    words = re.findall(r"\b[A-Z][\w']+", text)
    pairs = (f"{one} {other}" for one, other in pairwise(words))
    return next((zone for name in (*pairs, *words) if (zone := _cities().get(phrases.plain(name)))), "")


@cache
def _cities() -> dict[str, str]:
    zones = (zone for zone in sorted(available_timezones()) if "/" in zone and not zone.startswith("Etc/"))
    return {zone.rpartition("/")[2].replace("_", " ").lower(): zone for zone in zones}


_HOUR = re.compile(
    r"(?:\b(?:at|um|à|às|las|alle|om|o|в|about|gegen|towards)\s+)?(\d{1,2})(?::00|\s?h\b|\s?uhr|\s?uur)?\s*(am|pm)?",
    re.IGNORECASE,
)


def hour_in(text: str) -> str:
    """Return the hour of the day that a text names.

    >>> hour_in("every day at 7"), hour_in("um 20 Uhr"), hour_in("in the evening"), hour_in("one of 12 mails")
    ('7', '20', '18', '')
    """
    for found in _HOUR.finditer(text):
        hour = int(found[1]) + (12 if (found[2] or "").lower() == "pm" and int(found[1]) < 12 else 0)
        if found[0].strip() != found[1] and hour < 24:
            return str(hour)
    return next(iter(phrases.lexicon("hour").of_text(_words(text))), "")


def words_of(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _words(text: str) -> list[str]:
    return phrases.words(text)


_CLAUSE = re.compile(
    r"[.,;:!?()\n]+|\s(?:and|because|cuz|since|as|parce|und|weil|denn|et|car|y|porque|e|perché|en|omdat|i|bo|и|так)\s"
)


def _begin(text: str) -> str:
    """Return who begins: "me", "you" for the opponent, "random", or nothing.

    >>> [_begin(text) for text in ("I want to go first", "Arthur may begin", "inizio io", "let us start a game")]
    ['me', 'you', 'me', '']
    """
    return next(filter(None, map(_begins_in, _CLAUSE.split(text))), "")


def _begins_in(clause: str) -> str:
    words, who = _words(clause), phrases.lexicon("who")
    found = [who.of(word) for word in words]
    order = next((at for at, meanings in enumerate(found) if {"begin", "first", "second"} & {*meanings}), None)
    if order is None or {"how", "not"} & {*phrases.lexicon("concepts").of_text(words), *_meanings(clause)}:
        return ""
    if any("lot" in meanings for meanings in found):
        return "random"
    ends = order >= len(words) - 2 or any(who in ("me", "you") for near in found[order + 1 : order + 3] for who in near)
    capitals = {phrases.plain(word) for word in _TOKEN.findall(clause) if word.istitle() and is_name(word)}
    names = [*((abs(order - at), who) for at, meanings in enumerate(found) for who in meanings if who in ("me", "you"))]
    names += [(abs(order - at), "you") for at, word in enumerate(words) if word in capitals]
    if not ends or not names or min(names)[0] > NEAR:
        return ""
    nearest = min(names)[1]
    return {"me": "you", "you": "me"}[nearest] if "second" in found[order] else nearest


def _meanings(text: str) -> set[str]:
    return set(phrases.lexicon("words").of_text(_words(text)))


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
    """Return the choices of the game that a text has: "maximum points", "variant: position", "with 16 men"."""
    if len(games) != 1:
        return {}
    words = _words(text)
    found: dict[str, str] = {}
    said, padded = phrases.lexicon("choice").of_text(words), f" {' '.join(words)} "
    near = {(phrases.lexicon("choice").of(word)[:1] or [word])[0]: at for at, word in enumerate(words)}
    for option in GAMES[games[0]].game.options:
        at = near.get(option.name)
        numbers = words[max(at - 1, 0) : at + 3] if at is not None else []
        for choice in option.choices:
            plain = " ".join(_words(choice.replace("-", " ")))
            is_clear = len(plain) > len("basic") or at is not None
            is_said = choice in said or f" {plain} " in padded
            if choice in numbers if choice.isdecimal() else is_clear and is_said:
                found.setdefault(option.name, choice)
    return found


_NUMBERED_LEVEL = re.compile(
    r"\b(?:level|stufe|niveau|n[ií]vel|poziom\w*|livello|уров\w+)\s*:?\s*([0-6])\b", re.IGNORECASE
)


def _level(text: str) -> str:
    if numbered := _NUMBERED_LEVEL.search(text):
        return numbered[1]
    for word, number in pairwise(_words(text)):
        if word in ("level", "stufe", "niveau", "nivel", "livello", "poziom") and phrases.lexicon("number").of(number):
            return phrases.lexicon("number").of(number)[0]
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


def as_name(word: str) -> str:
    """Return how a name is written here: in letters without accents.

    >>> as_name("Rocío"), as_name("Людмила")
    ('rocio', 'lyudmila')
    """
    return phrases.plain(word.lower().translate(str.maketrans(phrases.table("names")["latin"])))


def own_name(text: str) -> str:
    """Return the name that somebody gives themselves; the first of several.

    >>> own_name("Hi, my name is Carol."), own_name("I'm Petra"), own_name("I'm new here"), own_name("Piet is de naam")
    ('carol', 'petra', '', 'piet')
    """
    return as_name(_naming(text)[0])


def _naming(text: str) -> tuple[str, str]:
    """Return the name that somebody gives themselves, and what the text says beside that; no name, and the text."""
    text = text.replace("\u2019", "'")
    if phrases.language_of(text, "") == phrases.ENGLISH:
        text = _I_AM.sub("I'm ", text)
    for kinds, capital in ((("called", "joining"), False), (("i_am",), True)):
        for found in _before(*kinds).finditer(text):
            after = _TOKEN.findall(text[found.end() :])
            words = after[1:] if after and phrases.plain(after[0]) in _titles() else after
            if not words or (found[0].lower().startswith(JOINING) and len(words) > 1 and is_name(words[1])):
                continue
            name, rest = words[0], text[found.end() :]
            if is_called(name, text, must_have_capital=capital) or (capital and _is_odd(name, rest)):
                return name, f"{text[: found.start()]}{rest[rest.index(name) + len(name) :]}"
    behind = _after().search(text)
    if behind and is_called(behind[1], text, must_have_capital=True):
        return behind[1], f"{text[: behind.start()]}{text[behind.end() :]}"
    return "", text


_I_AM = re.compile(r"\b[Ii]m (?=[\w-]+(?:[.,!]|$| and\b))")


def _is_odd(word: str, rest: str) -> bool:
    """Return whether a word without a capital is a name: nothing else stands beside it, and no wording has it."""
    return bool(re.match(rf"{re.escape(word)}\s*(?:[.,!]|$)", rest)) and is_name(word) and not recogniser.knows(word)


def is_called(word: str, text: str, *, must_have_capital: bool) -> bool:
    """Return whether a word, where a name is expected, is one: Felicity is, though its beginning means something."""
    name = as_name(word)
    if word.istitle():
        means = phrases.lexicon("concepts").of_word(name) and not phrases.is_foreign(name, phrases.language_of(text))
        is_word = name in phrases.nobody() or means or name in GAMES
        return bool(NAME.fullmatch(name)) and not is_word
    return not must_have_capital and is_name(name)


@cache
def _titles() -> frozenset[str]:
    return frozenset(phrases.plain(phrases.table("names")["titles"]).split())


@cache
def _after() -> re.Pattern[str]:
    return re.compile(rf"([^\W_][\w'-]*),? (?:{'|'.join(map(re.escape, phrases.table('names')['is_called']))})(?!\w)")


def signature(lines: Sequence[str]) -> str:
    """Return the name with which a message ends, on a line of its own or behind a greeting.

    >>> signature(["Can we play?", "Harold Whitcombe"]), signature(["See you, Ben"]), signature(["I play Quadrature"])
    ('harold', 'ben', '')
    """
    written = [line.strip() for line in lines if line.strip()]
    parts = re.split(r"[.,!?-]\s+", _INITIALS.sub("", written[-1]).rstrip(" .!,")) if written else [""]
    if len(parts) > 1 and any(_closes(word) for word in parts[0].split()):
        parts = parts[1:]  # "Best wishes, Niamh"
    is_own = len(written) > 1 and len(parts[0].split()) <= MOST_NAMES and len(parts) <= MOST_NAMES
    last = [word for word in parts[0 if is_own else -1].split() if phrases.plain(word) not in _titles()]
    while last and (len(last[0]) < SHORTEST_NAME or _closes(last[0])):
        last = last[1:]  # "LG Mareike"
    fits = 0 < len(last) <= MOST_NAMES and all(word[:1].isupper() and not word[1:].isupper() for word in last)
    first = as_name(last[0]) if fits and (len(written) > 1 or len(last) < len(written[0].split())) else ""
    is_word = phrases.lexicon("concepts").of(first) or first in GAMES or phrases.lexicon("games").of(first)
    return first if NAME.fullmatch(first) and not is_word else ""


_INITIALS = re.compile(r"\b[A-Z]\.\s|\b(?:Dr|Prof|Mrs?|Ms)\.\s|\([^)]*\)")


def _closes(word: str) -> bool:
    return bool({"bye", "thanks"} & set(phrases.lexicon("concepts").of(phrases.plain(word.strip(","))))) or (
        phrases.plain(word) in phrases.table("names")["closing"].split()
    )


def without_name(text: str) -> str:
    """Return what a sentence says beside the name that its author gives themselves.

    >>> without_name("My name is Carol and I'd like to play")
    " and I'd like to play"
    """
    return _naming(text)[1]


def _people(text: str) -> Iterator[str]:
    text = text.replace("\u2019", "'")
    for found in _before("against").finditer(text):
        for word in _TOKEN.findall(text[found.end() :])[:4]:
            if is_name(word):
                yield word.lower()
                break
            if not ({"friend", "me"} & set(phrases.lexicon("concepts").of(phrases.plain(word)))):
                break


def told(sentence: str, name: str) -> str:
    """Return the words that a sentence asks us to pass on to the opponent of that name; empty if it doesn't.

    >>> told("please tell Bob I'll be late", "bob"), told("Kannst du Bob ausrichten, dass ich komme?", "bob")
    ("I'll be late", 'dass ich komme?')
    """
    for way in phrases.table("names")["tell"]:
        for found in re.finditer(way.replace("NAME", r"(\w+)"), sentence, re.IGNORECASE):
            whom = as_name(found[1])
            if whom in phrases.table("names")["them"].split() or (name and whom.startswith(name)):
                *words, last = SENTENCE_END.split(sentence[found.end() :].strip(" ,:"))
                is_thanks = len(last.split()) <= MOST_NAMES and "thanks" in phrases.lexicon("concepts").of_text(
                    _words(last)
                )
                return " ".join(words if words and is_thanks else (*words, last))
    return ""


# Time ------------------------------------------------------------------------------------


def _times(text: str) -> tuple[str, str]:
    """Return the time for each turn, and a span that is none.

    >>> _times("with 3 days per move"), _times("drei Tage pro Zug"), _times("I'm away for two weeks")
    (('3d', ''), ('3d', ''), ('', '14d'))
    """
    words, numbers, units, others = _words(text), *map(phrases.lexicon, ("number", "unit", "words"))
    per_move = span = ""
    for at, word in enumerate(words):
        unit = next(iter(units.of(word)), "")
        before = words[at - 1] if at else ""
        if before and "more" in others.of(before) and at > 1:
            before = words[at - 2]  # "2 more days"
        count = int(before[:4]) if before.isdecimal() else next(map(int, numbers.of(before)), 0)
        count = count or next(map(int, numbers.of(words[at + 1])), 0) if at + 1 < len(words) else count  # "дней пять"
        behind = [others.of(each) for each in words[at + 1 : at + 4]]
        is_each = len(behind) > 1 and "per" in behind[0] and "move" in behind[1]
        if not unit or not (count or is_each):
            continue
        length = f"{7 * (count or 1)}d" if unit == "w" else f"{count or 1}{unit}"
        if any("move" in meanings for meanings in behind):
            per_move = per_move or length
        elif not span or before.isdecimal():
            span = length
    return per_move, span

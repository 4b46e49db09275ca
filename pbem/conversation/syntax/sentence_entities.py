"""What a sentence names: addresses, names, games, how well, who begins, how long, until when, squares."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from itertools import chain, pairwise
from zoneinfo import available_timezones

from notation.games import GAMES
from pbem.conversation.syntax import names_in_sentences, vocabulary
from pbem.matches.turns_in_text import KEYS, TURN, apart, cells_in

ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]+\.)+[\w-]{2,}")
EASY, HARD, UTMOST = "1", ("4", "6"), ("0", "6")  # levels of the house
NEAR, SHORTEST_GAME = 4, 5  # words between who begins and that they do; letters of a game in another spelling
MOST_OF_UNIT = {"h": 999, "d": 366, "w": 52}  # what is longer tells no time
CONDITION_CELLS = 4  # how many squares a condition names at least: a turn of the opponent, and the answer to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What sentences name; what they don't is empty."""

    addresses: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    name: str = ""  # the name that somebody gives themselves
    people: tuple[str, ...] = ()  # the names that may be those of others
    options: Mapping[str, str] | None = None
    level: str = ""
    begin: str = ""
    time: str = ""  # how much time there is for a turn, as "3d"
    span: str = ""  # how long something lasts, as "10d"
    lengths: tuple[str, ...] = ()  # all of these
    days: tuple[date, ...] = ()
    cells: tuple[str, ...] = ()
    rated: bool = False
    is_condition: bool = False  # whether the squares are what to play if the opponent plays something

    def with_others(self, other: "Named") -> "Named":
        """Return what both name, the first where they differ."""
        first = {name: getattr(self, name) or getattr(other, name) for name in Named.__slots__}
        several = ("addresses", "games", "people", "days")
        both = {name: tuple(dict.fromkeys((*getattr(self, name), *getattr(other, name)))) for name in several}
        if self.is_condition != other.is_condition and max(len(self.cells), len(other.cells)) == CONDITION_CELLS:
            first["cells"] = (*other.cells, *self.cells) if self.is_condition else (*self.cells, *other.cells)
        return replace(self, **{**first, **both})


def named(sentence: str, today: date) -> Named:
    addresses = tuple(dict.fromkeys(each.rstrip(".").lower() for each in ADDRESS.findall(sentence)))
    text = without_rejected(in_latin(ADDRESS.sub(" ", sentence)))
    games = tuple(dict.fromkeys(_games(text)))
    (time, span, *lengths), cells = _times(text), cells_in(apart(text))
    if_, is_two = vocabulary.pattern("if").search(text), cells != cells_in(apart(turn_in(text)))
    last = text[if_.end() :] if if_ and is_two else ""
    behind = cells_in(apart(last))
    if len(behind) == 2 and len(cells) == CONDITION_CELLS and "not" not in vocabulary.meanings("concepts", last):
        behind = cells = (*behind, *cells[:2])  # "d1d2 if c2c1"
    return Named(
        addresses=addresses,
        games=games,
        name=names_in_sentences.own_name(text),
        people=tuple(dict.fromkeys(names_in_sentences.opponents(text))),
        options=_options(games, text),
        level=_level(text),
        begin=next(filter(None, map(_begins_in, vocabulary.pattern("reason").split(text))), ""),
        time=time,
        span=span,
        lengths=tuple(lengths),
        days=tuple(dict.fromkeys(days_in(text, today))),
        cells=cells,
        is_condition=len(behind) == CONDITION_CELLS,
        rated="rated" in vocabulary.meanings("words", text) and "unrated" not in text.lower(),
    )


def in_latin(text: str) -> str:
    """Return a text with the turns that it has in Cyrillic letters in Latin ones, and on the keys of those."""
    return vocabulary.pattern("cyrillic_turn").sub(lambda turn: turn[0].lower().translate(KEYS), text)


def turn_in(text: str) -> str:
    """Return the turn of a text, with all that belongs to it."""
    found = vocabulary.pattern("long_turn").search(text)
    return found[0] if found else "".join(cells_in(text)[:2])


def without_rejected(text: str) -> str:
    """Return a text without the turn that it rejects."""
    for turn in TURN.finditer(text):
        before = text[: turn.start()].rstrip()
        if before and is_negated(before.split()[-1]) and TURN.search(before):
            return before.rpartition(" ")[0]
    return text


def is_negated(text: str) -> bool:
    return "not" in vocabulary.meanings("words", text)


def is_doubted(text: str) -> bool:
    """Return whether a text says that something isn't done, or only thinks about it."""
    return not {"not", "doubt"}.isdisjoint(vocabulary.meanings("words", text))


def zone_in(text: str) -> str:
    """Return the time zone that a text names, by itself or by a city."""
    if found := re.search(r"\b(?:(?:UTC|GMT)[+-]\d{1,2}(?::\d\d)?|UTC|[A-Z][a-z]+/[A-Z][A-Za-z_]+)\b", text):
        return found[0]
    words = re.findall(r"\b[A-Z][\w']+", text)
    names = map(vocabulary.plain, (*map(" ".join, pairwise(words)), *words))
    return next((_cities()[name] for name in names if name in _cities()), "")


@cache
def _cities() -> dict[str, str]:
    zones = (zone for zone in sorted(available_timezones()) if "/" in zone and not zone.startswith("Etc/"))
    named = {zone.rpartition("/")[2].replace("_", " ").lower(): zone for zone in zones}
    return named | {city: zone for zone, cities in vocabulary.table("cities").items() for city in cities.split()}


def hour_in(text: str) -> str:
    """Return the hour of the day that a text names."""
    for found in vocabulary.pattern("hour").finditer(text):
        hour = int(found[1]) + (12 if (found[2] or "").lower() == "pm" and int(found[1]) < 12 else 0)
        if found[0].strip() != found[1] and hour < 24:
            return str(hour)
    return next(iter(vocabulary.lexicon("hour").of_text(vocabulary.words(text))), "")


def _begins_in(clause: str) -> str:
    """Return who begins: "me", "you" for the opponent, "random", or nothing."""
    words, who = vocabulary.words(clause), vocabulary.lexicon("who")
    capitals = {vocabulary.plain(word) for word in names_in_sentences.TOKEN.findall(clause) if word.istitle()}
    is_name = names_in_sentences.is_name
    found = [{*who.of(word), *(["you"] if word in capitals and is_name(word) else [])} for word in words]
    order = next((at for at, means in enumerate(found) if {"begin", "first", "second"} & means), None)
    if order is None or "lot" in who.of_text(words):
        return "" if order is None else "random"
    is_verb, after = "begin" in found[order], words[order + 1 : order + 3]
    is_end = order >= len(words) - (2 if is_verb else 3) and "time" not in who.of_text(after[:1])
    is_move = not is_verb and "move" in vocabulary.lexicon("words").of_text(after)
    beside = [*words[order - 1 : order][: is_verb and order > len(words) - NEAR], *after]  # "you begin this time"
    is_said = is_end or is_move or not {"me", "you"}.isdisjoint(who.of_text(beside))
    is_other = after[:1] == ["me"] and len(after) > 1  # "start me a match"
    is_other |= not (is_verb or is_move or capitals.isdisjoint(after[:1]))  # "mein erster Versuch"
    is_asked = "how" in vocabulary.meanings("concepts", clause) or is_negated(clause)
    names = [(abs(order - at), each) for at, means in enumerate(found) for each in means & {"me", "you"}]
    distance, nearest = min(names, default=(NEAR + 1, ""))
    if not is_said or is_other or is_asked or distance > NEAR:
        return ""
    return {"me": "you", "you": "me"}[nearest] if "second" in found[order] else nearest


def _games(text: str) -> Iterator[str]:
    text = vocabulary.pattern("except").sub(" ", text)
    spelled, words = vocabulary.lexicon("games").of, vocabulary.words(text)
    meant = ((word, *(spelled(word) if len(word) >= SHORTEST_GAME else ())) for word in words)
    yield from (key for key in (GAMES.first_in(text), *chain(*meant)) if key in GAMES)


def _options(games: tuple[str, ...], text: str) -> dict[str, str]:
    """Return the choices of the game that a text has: "maximum points", "variant: position", "with 16 men"."""
    if len(games) != 1:
        return {}
    words, found = vocabulary.words(text), dict[str, str]()
    said, padded = vocabulary.lexicon("choice").of_text(words), f" {' '.join(words)} "
    near = {(vocabulary.lexicon("choice").of(word)[:1] or [word])[0]: at for at, word in enumerate(words)}
    for option in GAMES[games[0]].game.options:
        at = near.get(option.name)
        numbers = words[max(at - 1, 0) : at + 3] if at is not None else []
        for choice in option.choices:
            plain = " ".join(vocabulary.words(choice.replace("-", " ")))
            is_clear = len(plain) > len("basic") or at is not None
            is_said = choice in said or f" {plain} " in padded
            if choice in numbers if choice.isdecimal() else is_clear and is_said:
                found.setdefault(option.name, choice)
    return found


def _level(text: str) -> str:
    for numbered in vocabulary.pattern("level").findall(text):
        number = next(iter(vocabulary.lexicon("number").of(vocabulary.plain(numbered))), numbered)
        if number in ("0", "1", "2", "3", "4", "5", "6"):
            return number
    if vocabulary.pattern("level").search(text) and len(digits := re.findall(r"(?<![\w.])[0-6](?!\w|\.\d)", text)) == 1:
        return str(digits[0])
    levels = vocabulary.lexicon("level").of_text(vocabulary.words(text))
    levels = levels if len(levels) == 1 else [level for level in levels if level in UTMOST]  # "le plus facile"
    if len(levels) != 1:
        return ""
    said = vocabulary.meanings("words", text)
    is_refused = levels[0] in HARD and not {"not", "toohard"}.isdisjoint(said)  # "nothing too hard"
    return EASY if is_refused else levels[0] * ("tooeasy" not in said)


def level_beside(text: str, level: int | None) -> str:
    """Return the level that is meant by one harder or easier than a level; empty where neither is said."""
    steps = vocabulary.lexicon("step").of_text(vocabulary.words(text)) if level is not None else []
    return str(min(max((level or 0) + int(steps[0]), 0), 6)) if len(steps) == 1 else ""


def _number(word: str) -> int:
    return int(word[:4]) if word.isdecimal() else next(map(int, vocabulary.lexicon("number").of(word)), 0)


def _times(text: str) -> tuple[str, ...]:
    """Return the time for each turn, a span that is none, and all that is named of both."""
    text = re.sub(r"(?i)\b(?:a )?fortnight\b", "14 days", text)
    units, others = map(vocabulary.lexicon, ("unit", "words"))
    words, per_move, span, lengths = vocabulary.words(text), "", "", list[str]()
    for at, word in enumerate(words):
        unit, before = next(iter(units.of(word)), ""), words[at - 1] if at else ""
        before = words[at - 2] if at > 1 and "more" in others.of(before) else before  # "2 more days"
        count = _number(before) or next((_number(each) for each in words[at + 1 : at + 2] if not each.isdecimal()), 0)
        behind = [others.of(each) for each in words[at + 1 : at + 4]]
        is_each = any("per" in one and "move" in other for one, other in [*pairwise(behind)][: 2 - word.endswith("s")])
        if not unit or not (count or is_each) or count > MOST_OF_UNIT[unit]:
            continue
        length = f"{7 * (count or 1)}d" if unit == "w" else f"{count or 1}{unit}"
        lengths.append(length)
        is_told = any("per" in each for each in behind) or "move" in next(iter(behind), ())
        thinks = any("think" in others.of(each) for each in words[max(at - 4, 0) : at])
        is_shared = any("each" in others.of(one) and not units.of(two) for one, two in pairwise([*words[at + 1 :], ""]))
        if thinks or is_shared or (is_told and any("move" in meanings for meanings in behind)):
            per_move = per_move or length
        elif not span or before.isdecimal():
            span = length
    return per_move, span, *lengths


def days_in(text: str, today: date) -> Iterator[date]:
    """Yield the days that a text names: dates, and days of the week, which are the next ones."""
    dates, words = list(_dates(text, today)), vocabulary.words(text)
    named = [word for word, after in pairwise((*words, "")) if not (dates and after[:1].isdecimal())]
    yield from dates if len(dates) > 1 else (*dates, *_weekdays(named, today))  # "Monday, 2 November" is one


def _dates(text: str, today: date) -> Iterator[date]:
    for found in vocabulary.pattern("range").finditer(text):
        yield from _day(int(found[1]), int(found[2]), today)
    for found in vocabulary.pattern("date").finditer(text):
        year, month, day = (found[1], found[2], found[3]) if found[1] else (found[6], found[5], found[4])
        yield from _day(int(day), int(month), today, int(year or 0))
    words, months = vocabulary.words(text), vocabulary.lexicon("month")
    waits, last, numbered_day = list[int](), 0, vocabulary.pattern("numbered_day")
    for at, word in enumerate(words):
        month = next((int(each) for each in months.of(word)), 0)
        if numbered := numbered_day.fullmatch(word):
            waits.append(int(numbered[1]))
        elif month and (waits or (at + 1 < len(words) and numbered_day.fullmatch(words[at + 1]))):
            last = month
            for number in waits or [int(re.sub(r"\D", "", words[at + 1]))]:
                yield from _day(number, month, today)
            waits = []
        elif not (word in vocabulary.table("slots")["between_days"].split() or vocabulary.lexicon("weekday").of(word)):
            waits = []
    for found in vocabulary.pattern("day").finditer(text):
        if not months.of(next(iter(vocabulary.words(text[found.end() :])), "")):
            of_month = last or (today.month if int(found[1]) > today.day else today.month % 12 + 1)
            yield from _day(int(found[1]), of_month, today)


def _weekdays(words: Sequence[str], today: date) -> Iterator[date]:
    weekdays: list[str] = []
    for word in words:
        for weekday in vocabulary.lexicon("weekday").of(word):
            weeks = weekdays.count(weekday)  # "from Friday to the Friday after"
            yield today + timedelta(days=(int(weekday) - today.weekday() - 1) % 7 + 1 + 7 * weeks)
            weekdays.append(weekday)
        if vocabulary.lexicon("words").of(word) == ["tomorrow"]:
            yield today + timedelta(days=1)


def absence(text: str, found: Sequence[date], length: int, today: date) -> tuple[date, date] | None:
    """Return the first and the last day of an absence of so many days, or 0; None where its end isn't said."""
    if len(found) > 1:
        return min(found), max(found)
    says = {"until", "leave"} & set(vocabulary.lexicon("absence").of_text(vocabulary.words(text)))
    if length and says != {"until"}:
        return found[0], found[0] + timedelta(days=length)
    return None if says == {"leave"} else (today, found[0])


def _day(day: int, month: int, today: date, year: int = 0) -> Iterator[date]:
    with suppress(ValueError):  # 29 February, where that year has none
        named = date(year or today.year, month, day)
        named = named if year or named >= today else named.replace(year=today.year + 1)
        if abs(named.year - today.year) <= 2:
            yield named

"""What wishes come to: one sentence in our words with all that was understood, the lines that do it, and answers.

The lines are printed and stored, and a yes carries out these and no others; what is named beside that is said, too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from notation.games import FEW, GAMES
from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary, wish_classifier
from pbem.conversation.syntax.sentence_entities import Named
from pbem.conversation.syntax.vocabulary import Wish
from pbem.errors import Refused

MOST_ANSWERS, MOST_SUPPOSED, MOST_SEEKS, LONGEST = 3, 2, 2, 300
FIRST_GAME = "quadrupel"
ALL = '"help games" lists them all.'
ONLY_WRITTEN = '"{}" does that; we only do it if you write it.'
_FIELD = re.compile(r"{(\w+)}")
BACK = 6  # how much likelier it is that somebody is back who was away
SUPPOSED = 6.0  # how much a sentence must resemble a wish that is answered in case it is meant


@dataclass(frozen=True, slots=True)
class Guess:
    """A wish that a sentence has, for its words or those of a part."""

    wish: str
    sure: float
    sentence: str
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Who writes, and about which match: that decides what they can want."""

    today: date
    player: str = ""  # the player's name; empty for somebody who isn't one
    match: int = 0
    state: str = ""  # how that match stands
    game: str = ""
    level: int | None = None  # how well the house plays in it; None against a person
    paused: bool = False
    away: bool = False  # whether they have a vacation, now or later
    own: bool = False  # whether they have offered the match
    rival: str = ""  # the name of their opponent in it
    asked: str = ""  # what their opponent offers in it: a draw, a pause
    to_move: bool = True
    admin: bool = False  # whether there is an operator to whom `human` writes
    is_player: Callable[[str], bool] = field(default=lambda _name: True)
    """Returns whether somebody of that name plays here."""

    def can_want(self, wish: Wish) -> bool:
        is_open = (not wish.match or self.state in wish.match) and (not wish.asked or bool(self.asked))
        if (wish.name == "turn_words" and not self.to_move) or (wish.name == "resume" and not self.paused):
            return False
        if self.state == "offered" and ("offered" in wish.usual if self.own else wish.name == "withdraw"):
            return False
        if wish.who == "stranger":
            return not self.player and not self.match
        return is_open and (wish.who != "player" or bool(self.player) or bool(wish.match))

    def usual(self, wish: Wish) -> int:
        """Return how much likelier than others a wish is at this place."""
        is_back = (self.away and wish.name == "back") or (self.paused and wish.name == "resume")
        return BACK if is_back else 2 * wish.asked or int(self.state in wish.usual)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the sentences of a message come to."""

    wishes: tuple[Wish, ...] = ()
    sentence: str = ""  # what we understood, as it follows "you want to"
    lines: tuple[str, ...] = ()  # what a yes carries out
    look: str = ""  # the line that changes nothing, and is the answer
    answers: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  # what the sentences name and nothing above uses, in our words
    supposed: tuple[str, ...] = ()  # answers to what may be wanted where nothing is clear
    board: int | None = None  # the match whose board belongs to the answer
    left: tuple[str, ...] = ()  # the sentences in which nothing was understood

    @property
    def notes(self) -> tuple[str, ...]:
        """What we say to their questions, and what we didn't understand."""
        unread = (f"We didn't understand: {', '.join(self.unread)}.",) if self.unread else ()
        return (*self.answers, *self.supposed, *unread)

    def wants(self, *names: str) -> bool:
        return any(wish.name in names for wish in self.wishes)


def rules_commands() -> str:
    return " or ".join(f'"rules {key}"' for key in islice(GAMES, FEW))


def there_are() -> str:
    return f"The games: {GAMES.some()}." + (f" {ALL}" if len(GAMES) > FEW else "")


Parts = dict[str, tuple[str, str]]  # what sentences name, as lines and as our sentences say it; empty where they don't


def reading_of(found: list[Guess], named: Named, said: list[str], likely: dict[str, float], place: Place) -> Reading:
    """Return what the wishes of a message come to; of several things that begin a match, or can't be undone, one."""
    guesses = {guess.wish: guess for guess in found}
    wishes = [wish for name in guesses if (wish := vocabulary.wishes()[name]).answer or wish.means]
    wishes.sort(key=lambda wish: wish.risky)
    wanting = {guess.sentence: guess.wish for guess in found}
    talk = " ".join(each for each in said if wanting.get(each, "chat") == "chat")
    parts, has_act = _parts(named, said, talk, place), False
    acts, done, known, answers = list[str](), list[str](), list[str](), list[str]()
    for wish in wishes:
        line, doubt = _line(wish, parts), is_doubtful(guesses[wish.name])
        is_more = has_act and wish.name not in {*vocabulary.group("begins"), "chat"}
        if line and (is_more or (wish.risky and wish is not wishes[0] and wish.name != "resign")):
            answers.append(ONLY_WRITTEN.format(line) if doubt else f'To {_means(wish, parts)}, write "{line}".')
            continue  # one thing at a time is done by a yes
        is_act = bool(line) and not doubt
        has_act = has_act or (is_act and wish.name != "chat")
        if means_it := _means(wish, parts):
            (done if is_act else known).append(means_it)
        if is_act:
            first = parts["game"][0]
            keys = named.games[:MOST_SEEKS] if wish.name == "seek" and named.games else (first,)
            acts += (each.replace(f"seek {first}", f"seek {key}") for key in keys for each in line.split("\n"))
        elif line:
            answers.append(ONLY_WRITTEN.format(line))
        elif says := _answer(wish, named, place, parts):
            answers.append(says)
    takes_words = place.state == "offered" or (place.player and not place.match and "challenge" in guesses)
    for sentence in said if takes_words and acts else ():
        if words := names_in_sentences.told(sentence, place.rival):
            done.append(f"write to {place.rival or 'them'}")
            acts.append(f'"{words}"')
            wanting[sentence] = "chat"
    acts.sort(key=lambda line: (line[:4] != "join", line[0] == '"', " say " not in line))
    looks = (_filled(wish.look, parts) for wish in wishes if wish.look)
    return Reading(
        wishes=tuple(wishes),
        sentence=", and to ".join(dict.fromkeys(done or known)),
        lines=tuple(dict.fromkeys(acts)),
        look=next(looks, ""),
        answers=tuple(dict.fromkeys(answers))[:MOST_ANSWERS],
        unread=tuple(_unused(named, parts, wishes, is_act=bool(acts))) if wishes else (),
        supposed=() if wishes else tuple(islice(_supposed(likely, parts), MOST_SUPPOSED)),
        board=(place.match or None) if any(wish.board for wish in wishes) else None,
        left=tuple(each for each in said if each not in wanting),
    )


def _answer(wish: Wish, named: Named, place: Place, parts: Parts) -> str:
    if wish.name == "turn_words" and named.is_condition:
        now, theirs, ours = named.cells[:-4], "".join(named.cells[-4:-2]), "".join(named.cells[-2:])
        only = f'To play {ours} only if your opponent plays {theirs}, write "if {theirs} then {ours}".'
        return f"{_filled(wish.answer, parts | {'cells': (' '.join(now), '')})} {only}" if now else only
    if wish.name == "chat" and place.level is not None:
        return "The house doesn't read what you write to it, but thank you."
    return _filled(wish.answer, parts)


def _says(about: str, what: str) -> str:
    said: dict[str, str] = vocabulary.table("says")[about]
    return said.get(what, "")


def _at_level(level: str) -> tuple[str, str]:
    return (f"level={level}", f"at level {level}, {_says('level', level) or 'of 6'}") if level else ("", "")


def _parts(named: Named, said: list[str], talk: str, place: Place) -> Parts:
    first = FIRST_GAME if FIRST_GAME in GAMES else next(iter(GAMES))
    key = next(iter([*named.games, *filter(None, [place.game])]), first)
    options, known = named.options or {}, [each for each in named.people if place.is_player(each)]
    whom = next((found[0] for found in (named.addresses, known) if len(found) == 1), "")
    text, chosen = " ".join(said), ", ".join(options.values()).replace("-", " ")
    words = names_in_sentences.told(text, place.rival) or talk
    length = int(named.span[:-1]) if named.span.endswith("d") else 0
    last = str(max(named.days)) if named.days else named.span if length else ""
    when = f"until {last}" if named.days else f"for {spoken(last)}" if last else ""
    gone = sentence_entities.absence(text, named.days, length, place.today) if named.days else None
    away = f"{gone[0]} {gone[1]}" if gone else "" if named.days else last
    until = (last, when)
    if gone:
        when = f"from {gone[0]} until {gone[1]}" if gone[0] > place.today else f"until {gone[1]}"
    is_house = place.level is not None
    reminder = "off" if sentence_entities.is_negated(text) else named.span
    remind = f"be reminded {spoken(reminder)} before your time is up" if reminder[:1].isdigit() else ""
    remind = "get no reminders" if reminder == "off" else remind
    more, given = (spoken(named.span), named.span) if named.span else ("a few days", "2d")
    plea = f'Could I have {more} more for my turn, please? "give {given}" gives them to me.'
    if named.days:
        left = max((max(named.days) - place.today).days, 1)
        plea = f'Could I have time for my turn until {max(named.days)}, please? "give {left}d" gives it to me.'
    begin, time = f"begin={named.begin}" if named.begin else "", f"time={named.time}/move" if named.time else ""
    span = f"time={named.span}/move" if named.span and place.state == "offered" else ""
    level = sentence_entities.level_beside(text, place.level) or named.level
    at_level, level_said = _at_level(level)
    terms, says = f"{begin} {time or span}".strip(), _says("begin", named.begin)
    is_other = bool(terms) or key != place.game
    counter = f"challenge {place.rival} {key} {terms}".strip() if is_other and place.rival else ""
    again, another = f"#{place.match} rematch", "have another match"
    if terms or level:
        again = f"play {place.game} {at_level} {begin}" if is_house else f"challenge {place.rival} {place.game} {terms}"
        another = ", ".join(filter(None, (another, level_said if is_house else "", says)))
    return {
        "match": (str(place.match), ""),
        "asked": (place.asked, ""),
        "offer": ("", _says("offer", place.asked)),
        "reminder": (reminder, ""),
        "remind": ("", remind),
        "again": (" ".join(again.split()) if place.state == "over" else "", ""),
        "another": ("", another),
        "counter": (f"#{place.match} decline\n{counter}" if counter and place.player else "", ""),
        "terms": (counter or f"challenge {place.rival or 'NAME'} {key} time=4d/move begin=me", ""),
        "other": _at_level(level or next(iter(re.findall(r"(?<!\w)[0-6](?!\w)", text)), "")),
        "plea": ("" if is_house else plea, ""),
        "hour": (f"hour {hour}" if (hour := sentence_entities.hour_in(text)) else "", f"at {hour}:00" if hour else ""),
        "game": (key, GAMES.title(key)),
        "games": (key, " or ".join(GAMES.title(each) for each in named.games[:MOST_SEEKS] or (key,))),
        "opponent": (whom, whom),
        "options": (" ".join(map("=".join, options.items())), chosen and f"({chosen})"),
        "level": (at_level, level_said),
        "time": (time, f"{spoken(named.time)} a move" if time else ""),
        "rated": ("rated", "rated") if named.rated else ("", ""),
        "begin": (begin, says),
        "name": (named.name, named.name),
        "as": ("", f"as {named.name}" if named.name else ""),
        "until": until,
        "away": (away, ""),
        "when": ("", when if away else ""),
        "span": (named.span, named.span),
        "address": (named.addresses[0] if len(named.addresses) == 1 else "", ""),
        "text": (words if not is_house and len(words) <= LONGEST else "", ""),
        "hint": ("hint" if is_house else "", ""),
        "analyse": ("analyse" if place.state == "over" else "", ""),
        "zone": (sentence_entities.zone_in(text), ""),
        "me": ("me" if place.player else "", ""),
        "cells": (" ".join(named.cells), ""),
        "rival": (place.rival or "NAME", ""),
        "key": (next(iter(named.games), FIRST_GAME), ""),
        "about": (next(iter(named.games), place.game), ""),
        "list": (there_are(), ""),
        "easy": (_says("answer", "easy").format(GAMES.title(FIRST_GAME)), ""),
        "rules": (f'"rules {place.game}"' if place.game else rules_commands(), ""),
        "human": (human(admin=place.admin), ""),
        "you": (_says("answer", "named" if place.player else "nameless").format(place.player), ""),
    }


def _line(wish: Wish, parts: Parts) -> str:
    """Return the line that does what is wanted; empty where something is missing for it."""
    needed = {name: parts[name][0] for name in _FIELD.findall(wish.line)}
    if not wish.line or not all(needed.values()):
        return ""
    return " ".join((wish.line.format(**needed), *(text for name in wish.uses.split() if (text := parts[name][0]))))


def _means(wish: Wish, parts: Parts) -> str:
    needed = {name: parts[name][1] for name in _FIELD.findall(wish.means)}
    if not all(needed.values()):
        return wish.vague
    first, *more = [text for name in wish.uses.split() if (text := parts[name][1])] or [""]
    gap = " " if first.startswith(("(", "as ", "from ", "until ", "for ")) else ", "
    return ", ".join((f"{wish.means.format(**needed)}{gap if first else ''}{first}", *more))


def spoken(length: str) -> str:
    """Return a time in words.

    >>> spoken("3d"), spoken("1h")
    ('3 days', '1 hour')
    """
    count, unit = int(length[:-1]), {"d": "day", "h": "hour"}[length[-1]]
    return f"{count} {unit}{'s' if count != 1 else ''}"


def human(*, admin: bool) -> str:
    """Return how to reach a person."""
    if not admin:
        return "Nobody but this program reads what you write to it."
    return 'Write "human" in the first line and what you want to say below it, and the operator reads it.'


def _filled(text: str, parts: Parts) -> str:
    return text.format(**{name: line for name, (line, _) in parts.items()}).strip()


def _unused(named: Named, parts: Parts, wishes: Sequence[Wish], *, is_act: bool) -> Iterator[str]:
    """Yield what is named and not used, in our own words."""
    names = {wish.name for wish in wishes}
    used = {name for wish in wishes for name in (*wish.uses.split(), *_FIELD.findall(wish.line))}
    if "chat" in names:
        return  # all of it is passed on
    if not names & {"counter", "wrong_game"}:
        yield from (GAMES.title(key) for key in named.games[MOST_SEEKS if "seek" in names else 1 :])
    if named.cells and "accept" in names:
        yield " ".join(named.cells)
    if named.addresses and (len(named.addresses) > 1 or not used & {"opponent", "address"}):
        yield "an address"
    begins_match = not names.isdisjoint(vocabulary.group("plays"))
    for name in ("time", "level", "rated", "begin") if not names & {"counter", "rematch"} else ():
        if parts[name][1] and name not in used and (begins_match or (is_act and name in ("time", "rated"))):
            yield parts[name][1]


def _supposed(guesses: dict[str, float], parts: Parts) -> Iterator[str]:
    """Yield how we answer the likeliest wishes, where none is clear: nothing here is done by a yes."""
    for name in sorted(guesses, key=lambda name: -guesses[name]):
        wish = vocabulary.wishes()[name]
        line = "" if wish.risky else _line(wish, parts)
        says = _filled(wish.answer, parts) or (f'write "{line}".' if line else "")
        is_likely = guesses[name] >= SUPPOSED and name not in vocabulary.group("unsaid")
        if is_likely and says and (means := _means(wish, parts)):
            yield f"If you want to {means}: {says}"


def suggestion(wish: Reading) -> Refused:
    proposal = "\n".join(wish.lines) or None
    first, *notes = (f"You want to {wish.sentence}.", *wish.notes) if wish.sentence else wish.notes
    return Refused(
        first,
        fits=" ".join(notes),
        match=wish.board,
        meant=wish.lines,
        proposal=proposal,
        unsent=wish.left if proposal and not wish.wants("chat") else (),
        wish=True,
        gist=f"wish {wish.wishes[0].name}",
    )


def is_doubtful(guess: Guess) -> bool:
    """Return whether what can't be undone may not be meant: a negation, a question, or words that it doesn't have."""
    wish = vocabulary.wishes()[guess.wish]
    if not wish.risky:
        return False
    words = vocabulary.words(sentence_entities.ADDRESS.sub(" ", guess.part or guess.sentence))
    others = [word for word in words if not wish_classifier.is_of(word, wish.name)]
    is_doubted = sentence_entities.is_doubted(guess.sentence) and wish.name == "resign"
    return "?" in guess.sentence or is_doubted or len(others) > wish.foreign

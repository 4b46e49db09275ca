"""What wishes come to: one sentence in our words with all that was understood, the lines that do it, and answers.

The lines are printed and stored, and a yes carries out these and no others; what is named beside that is said, too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from notation.games import FEW, GAMES
from notation.time_control import parse_duration, spoken
from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary
from pbem.conversation.syntax.sentence_entities import CONDITION_CELLS, Named
from pbem.conversation.syntax.vocabulary import Wish
from pbem.conversation.syntax.wish_classifier import likeliest
from pbem.errors import Refused

MOST_ANSWERS, MOST_SUPPOSED, MOST_SEEKS, MOST_INVITED, MOST_NAMES, LONGEST = 4, 2, 2, 3, 12, 300
FIRST_GAME, ALL = "quadrupel", '"help games" lists them all.'
ONLY_WRITTEN = '"{}" does that; we only do it if you write it.'
_FIELD = re.compile(r"{(\w+)}")
ORDER = [*map(re.compile, ("join ", "set ", r"#\d+ say ", r"#\d+ resign", '(?!human)[^"]', '"', ""))]  # of lines
SUPPOSED, SURE = 0.15, 0.8  # how likely what is answered in case must be, and what can't be undone


@dataclass(frozen=True, slots=True)
class Guess:
    """A wish that a sentence seems to have, and how likely it is."""

    wish: str
    sure: float
    sentence: str
    part: str = ""  # the part of the sentence that has it
    is_aside: bool = False  # whether that is less than all of it


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
    own: bool = False  # whether they have offered the match
    subject: str = ""  # of their message, where it isn't one of ours
    time: str = ""  # how much time there is in it for a turn, as "3d"
    rival: str = ""  # the name of their opponent in it
    asked: str = ""  # what their opponent offers in it: a draw, a pause
    to_move: bool = True
    admin: bool = False  # whether there is an operator to whom `human` writes
    written: tuple[str, ...] = ()  # the lines that the operator gets for a yes; none where that can't be offered
    is_player: Callable[[str], bool] = field(default=lambda _name: True)  # whether somebody of that name plays here

    @property
    def scene(self) -> str:
        """How things stand, as the messages tell it from which the wishes are learned."""
        running = "house" if self.level is not None else "asked" if self.asked else "running"
        scenes = {"offered": "player" if self.own else "invited", "running": running, "over": "over"}
        return scenes.get(self.state, "player" if self.player else "stranger")

    def can_want(self, wish: Wish) -> bool:
        is_open = (not wish.match or self.state in wish.match) and (not wish.asked or bool(self.asked))
        if (wish.name == "turn_words" and not self.to_move) or (wish.name == "resume" and not self.paused):
            return False
        answers = vocabulary.group("replies") if self.own else ("withdraw",)
        if self.state == "offered" and wish.name in answers:
            return False
        if wish.who == "stranger":
            return not self.player and not self.match
        return is_open and (wish.who != "player" or bool(self.player) or bool(wish.match))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the sentences of a message come to."""

    wishes: tuple[Wish, ...] = ()
    sentence: str = ""  # what we understood, as it follows "you want to"
    lines: tuple[str, ...] = ()  # what a yes carries out
    looks: tuple[str, ...] = ()  # the lines that change nothing, and are the answer
    answers: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()  # those answers that no such line gives
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
    return f"The games: {GAMES.some()}." + f" {ALL}" * (len(GAMES) > FEW)


Parts = dict[str, str]  # what sentences name, as lines have it or as our sentences say it; empty where they don't


def reading_of(found: list[Guess], named: Named, said: list[str], likely: dict[str, float], place: Place) -> Reading:
    """Return what the wishes of a message come to; of several things that begin a match, or can't be undone, one."""
    guesses = {guess.wish: guess for guess in found}
    wishes = [wish for name in guesses if (wish := vocabulary.wishes()[name]).answer or wish.means]
    wishes.sort(key=lambda wish: (wish.risky, wish.name != "resign", wish.name == "rematch"))
    wanting = {guess.sentence: guess.wish for guess in found}
    told = {each: names_in_sentences.told(each, place.rival) for each in said}
    is_talk = not (guesses.keys() - {"chat"} or any(told.values()))  # who only speaks to the opponent says all to them
    talk = " ".join(told[each] or each for each in said if is_talk or wanting.get(each) == "chat")
    (parts, says), has_act = _parts(named, said, talk, guesses, place), False
    is_parting = guesses.keys() <= vocabulary.group("partings")
    board, (acts, done, known, looks, beside, shown) = f"#{place.match} show", (list[str]() for _ in range(6))
    takes_words = place.state == "offered" or (place.player and not place.match and "challenge" in guesses)
    for wish in wishes:
        if takes_words and wish.name == "chat":
            continue  # it goes along with the answer
        line, doubt = _line(wish, parts), is_doubtful(guesses[wish.name])
        has_unclear = "turn_words" in guesses and wish.name in vocabulary.group("with_turn")
        is_more = has_unclear or (has_act and wish.name not in vocabulary.group("together") and not is_parting)
        if line and (is_more or (wish.risky and wish is not wishes[0] and not (is_parting or wish.name == "resign"))):
            beside.append(ONLY_WRITTEN.format(line) if doubt else f'To {_means(wish, says)}, write "{line}".')
            continue  # one thing at a time is done by a yes
        is_act = bool(line) and not doubt
        has_act = has_act or (is_act and wish.name != "chat")
        (done if is_act else known).extend(filter(None, [_means(wish, says)]))
        is_open = place.player or not place.match or wish.look.startswith(("rules", "help"))
        look = wish.look.format(**parts) if is_open and all(parts[name] for name in _FIELD.findall(wish.look)) else ""
        if is_act:
            whom = {"challenge": _invited(named, place), "seek": named.games[:MOST_SEEKS]}.get(wish.name, ())
            lines = [line.replace(f" {whom[0]}", f" {each}", 1) for each in whom] or [line]
            acts += (each.strip() for several in lines for each in several.split("\n"))
        elif line:
            beside.append(ONLY_WRITTEN.format(line))
        elif not (wish.name in vocabulary.group("standing") and board in looks):
            looks += [look] * bool(look)
            (shown if look else beside).append(wish.answer.format(**parts).strip())
    speaks = place.state == "offered" and any(names_in_sentences.addressed(each, place.rival) for each in said)
    words = list[str]()  # who speaks to the inviter by name says all of it to them, but questions
    for sentence in said if takes_words else ():
        free = speaks and "?" not in sentence
        is_chat = wanting.get(sentence, "chat" * free) in ("chat", *(vocabulary.group("replies") if free else ()))
        if is_chat or names_in_sentences.words_for(sentence, place.rival):
            words.append(told[sentence] or sentence)
            wanting[sentence] = "chat"
    if words:
        (done if acts else known).append(f"write to {place.rival or 'them'}")
        (acts or shown).append(f'"{" ".join(words)}"' if acts else _says("answer", "inviter"))
    if acts and "human" not in acts:  # all below that line goes to the operator
        done, acts, shown = done + known * bool(looks), acts + looks, []
    acts.sort(key=lambda line: next(at for at, kind in enumerate(ORDER) if kind.match(line)))
    acts += (f'"{line}"' for line in place.written if "human" in acts)
    return Reading(
        wishes=tuple(wishes),
        sentence=", and to ".join(dict.fromkeys(done or known)),
        lines=tuple(dict.fromkeys(acts)),
        looks=() if acts else tuple(dict.fromkeys(looks)),
        answers=tuple(dict.fromkeys(filter(None, (*shown, *beside))))[:MOST_ANSWERS],
        beside=tuple(dict.fromkeys(filter(None, beside))),
        unread=tuple(_unused(named, says, wishes, is_act=bool(acts))) if wishes else (),
        supposed=() if wishes else tuple(islice(_supposed(likely, parts, says), MOST_SUPPOSED)),
        board=(place.match or None) if board not in looks and any(wish.board for wish in wishes) else None,
        left=tuple(each for each in said if not ("human" in acts or each in wanting or likeliest(each) == "greeting")),
    )


def _invited(named: Named, place: Place) -> tuple[str, ...]:
    """Return those who are to be invited: the addresses, or else the names of players; none where they are too many."""
    known = tuple(each for each in named.people if place.is_player(each))
    found = named.addresses or known
    return found if len(found) <= (MOST_INVITED if named.addresses or place.player else 1) else ()


def _person(text: str, place: Place) -> str:
    """Return the player whom a text names; the opponent where it names none."""
    names = (names_in_sentences.as_name(word) for word in names_in_sentences.TOKEN.findall(text))
    likely = islice(filter(names_in_sentences.is_name, dict.fromkeys(names)), MOST_NAMES) if place.player else ()
    others = (name for name in likely if name not in (place.player, "house") and place.is_player(name))
    return next(others, place.rival if place.level is None else "")


def _says(about: str, what: str) -> str:
    return str(vocabulary.table("says")[about].get(what, ""))


def _parts(named: Named, said: list[str], talk: str, guesses: dict[str, Guess], place: Place) -> tuple[Parts, Parts]:
    text, is_house, rival = " ".join(said), place.level is not None, place.rival
    first = FIRST_GAME if FIRST_GAME in GAMES else next(iter(GAMES))
    is_offered, about = place.state == "offered", next(iter(named.games), place.game)
    key = next((each for each in named.games if not is_offered or each != place.game), about) or first
    options, whom = named.options or {}, _invited(named, place)
    own = next((guesses[wish].sentence for wish in vocabulary.group("again") if wish in guesses), "")
    digits = (each for each in re.findall(r"(?<!\w)[0-6](?!\w)", f"{own} {text}") if each != str(place.level))
    beside, digit = sentence_entities.level_beside(text, place.level), next(digits, "")
    level, other = (digit or beside) if beside else named.level or digit * is_house, named.level or beside or digit
    at_level, at_other = (f"level={number}" * bool(number) for number in (level, other))
    others = [each for each in named.lengths if parse_duration(each) != parse_duration(place.time or "0d")]
    length = named.time if not is_offered else next(reversed(others), "")
    time, begin = f"time={length}/move" * bool(length), f"begin={named.begin}" * bool(named.begin)
    terms, game, hour = f"{begin} {time}".strip(), GAMES.title(key), sentence_entities.hour_in(text)
    kept = f"{begin} {time or f'time={place.time}/move' * bool(place.time)}".strip()
    says_level, says_time, says_begin = _at_level(level), _lasts(length, " a move"), _says("begin", named.begin)
    again, another = f"#{place.match} rematch", ["have another match"]
    if terms or key != place.game or (level and is_house):
        same_level = at_level or f"level={place.level}"
        again = f"play {key} {same_level} {begin}" if is_house else f"challenge {rival} {key} {kept}"
        another += [game * (key != place.game), says_level if is_house else says_time, says_begin]
    is_ended = is_house or place.state == "over" or ("resign" in guesses and not is_doubtful(guesses["resign"]))
    is_ended = is_ended or (place.asked == "draw" and "agree" in guesses)
    person = _person(text, place) if guesses.keys() & {"block", "about_player", "opponent_rude"} else rival
    reminding = guesses["remind"].sentence if "remind" in guesses else ""
    is_off = bool({"not", "off"} & vocabulary.meanings("words", reminding))
    before = sentence_entities.named(reminding, place.today).span
    reminder = "" if is_off and before else "off" * is_off or before  # "not 2 days before" may mean either
    mine = f"the operator read your message ({sum(len(line.split()) for line in place.written)} words)"
    cells = named.cells[:-CONDITION_CELLS] if named.is_condition else named.cells
    theirs, ours = ("".join(named.cells[at:][:2]) * named.is_condition for at in (-4, -2))
    remind = "get no reminders" if is_off else f"be reminded {_lasts(before)} before your time is up"
    as_name, no_name = f"as {named.name}" if named.name else "", "" if place.player else named.name
    of_match = {"match": str(place.match), "asked": place.asked, "rival": rival or "NAME", "about": about}
    of_match |= {"hint": "hint" * is_house, "analyse": "analyse" * (place.state == "over"), "list": there_are()}
    of_game = {"key": about or FIRST_GAME, "game": key, "opponent": next(iter(whom), ""), "time": time, "begin": begin}
    of_game |= {"level": at_level, "other": at_other, "rules": f'"rules {about}"' if about else rules_commands()}
    of_game |= {"options": " ".join(map("=".join, options.items())), "again": " ".join(again.split()) * is_ended}
    of_game |= {"goal": f"{GAMES.title(about)} is {GAMES[about].game.summary}." if about else ""}
    of_text = {"zone": sentence_entities.zone_in(text), "hour": f"hour {hour}" * bool(hour), "cells": " ".join(cells)}
    of_text |= {"style": "\nset ".join(vocabulary.lexicon("style").of_text(vocabulary.words(text)))}
    of_text |= {"turn": sentence_entities.turn_in(sentence_entities.in_latin(text))}
    of_text |= {"reminder": reminder, "text": talk * (not is_house and len(talk) <= LONGEST)}
    of_text |= {"address": named.addresses[0] if len(named.addresses) == 1 else ""}
    of_text |= {"mute": f"\n#{place.match} mute" * (place.state == "running" and person == rival and not is_ended)}
    of_author = {"me": "me" * bool(place.player), "as_new": no_name, "human": human(admin=place.admin)}
    of_author |= {"inviter": f", and {rival}, who plays here, gave your address to invite you" * bool(rival)}
    of_author |= {"deaf": _says("answer", "deaf") * is_house, "operator": "human" * bool(place.written)}
    of_author |= {"easy": _says("answer", "easy").format(GAMES.title(FIRST_GAME))}
    of_author |= {"you": _says("answer", "named" if place.player else "nameless").format(place.player)}
    says = {"game": game, "opponent": " and ".join(whom), "offer": _says("offer", place.asked), "time": says_time}
    says |= {"games": " or ".join(GAMES.title(each) for each in named.games[:MOST_SEEKS] or (key,)), "as": as_name}
    says |= {"options": f"({', '.join(options.values()).replace('-', ' ')})" * bool(options), "begin": says_begin}
    says |= {"level": says_level, "other": _at_level(other), "another": ", ".join(filter(None, another))}
    says |= {"as_new": as_name * bool(no_name), "hour": f"at {hour}:00" * bool(hour)}
    says |= {"remind": remind * bool(reminder), "operator": mine * bool(place.written)}
    both = {"person": person, "name": named.name, "span": named.span, "theirs": theirs, "ours": ours}
    both |= {"rated": "rated" * named.rated}
    of_times, says_times = _times(named, text, place)
    lines = of_match | of_game | of_text | of_author | of_times | _counter(named, place, key, terms, kept)
    return both | lines, both | says | says_times


def _at_level(level: str) -> str:
    return f"at level {level}, {_says('level', level) or 'of 6'}" if level else ""


def _lasts(length: str, each: str = "") -> str:
    return f"{spoken(parse_duration(length))}{each}" if length else ""


def _counter(named: Named, place: Place, key: str, terms: str, kept: str) -> Parts:
    """Return the lines that offer a match on other terms, and how to write them."""
    joins = "" if place.player else f"join {named.name or 'NAME'}\n"
    is_other = bool(terms) or key != place.game
    offer = f"challenge {place.rival or 'NAME'} {key} {kept if is_other else ''}".strip()
    *some, last = (f'"{each}"' for each in f"{joins}decline\n{offer}".split("\n"))
    such = "" if is_other else ', with "time=7d/move" or "begin=you" behind it, for example'
    lines = f"{joins}#{place.match} decline\n{offer}" * bool(is_other and place.rival and (place.player or named.name))
    return {"counter": lines, "steps": f"{', '.join(some)} and {last}{such}"}


def _times(named: Named, text: str, place: Place) -> tuple[Parts, Parts]:
    """Return an absence, and what asks the opponent for time."""
    length = int(named.span[:-1]) if named.span.endswith("d") else 0
    last = str(max(named.days)) if named.days else named.span if length else ""
    until = f"until {last}" if named.days else f"for {_lasts(last)}" if last else ""
    gone = sentence_entities.absence(text, named.days, length, place.today) if named.days else None
    away, when = f"{gone[0]} {gone[1]}" if gone else "" if named.days else last, until
    if gone:
        when = f"from {gone[0]} until {gone[1]}" if gone[0] > place.today else f"until {gone[1]}"
    left = f"{max((max(named.days) - place.today).days, 1)}d" if named.days else ""
    given = left or named.span or "2d"
    plea = f'Could I have {_lasts(given)} more for my turn, please? "give {given}" gives them to me.'
    lines = {"until": last, "away": away, "plea": plea * (place.level is None)}
    return lines, {"until": until, "limit": until, "when": when * bool(away)}


def _line(wish: Wish, lines: Parts) -> str:
    """Return the line that does what is wanted; empty where something is missing for it."""
    if not wish.line or not all(lines[name] for name in _FIELD.findall(wish.line)):
        return ""
    return " ".join(filter(None, (wish.line.format(**lines), *(lines.get(name) for name in wish.uses.split()))))


def _means(wish: Wish, says: Parts) -> str:
    if not all(says[name] for name in _FIELD.findall(wish.means)):
        return wish.vague
    first, *more = [text for name in wish.uses.split() if (text := says.get(name))] or [""]
    gap = " " if first.startswith(("(", "as ", "from ", "until ", "for ")) else ", "
    return ", ".join((f"{wish.means.format(**says)}{gap if first else ''}{first}", *more))


def human(*, admin: bool) -> str:
    """Return how to reach a person."""
    return _says("answer", "human" if admin else "nobody")


def _unused(named: Named, says: Parts, wishes: Sequence[Wish], *, is_act: bool) -> Iterator[str]:
    """Yield what is named and not used, in our own words."""
    names = {wish.name for wish in wishes}
    used = {name for wish in wishes for name in (*wish.uses.split(), *_FIELD.findall(wish.line))}
    if "chat" in names:
        return  # all of it is passed on
    if not names & {"counter", "wrong_game"}:
        yield from (GAMES.title(key) for key in named.games[MOST_SEEKS if "seek" in names else 1 :])
    if named.cells and "accept" in names:
        yield " ".join(named.cells)
    if named.addresses and (len(named.addresses) > MOST_INVITED or not used & {"opponent", "address"}):
        yield "an address"
    begins_match = not names.isdisjoint(vocabulary.group("plays"))
    for name in (
        ("time", "rated", "begin", *["level"] * ("seek" not in names))
        if not names & {"counter", "rematch", "easy_game"}
        else ()
    ):
        if says[name] and name not in used and (begins_match or (is_act and name in ("time", "rated"))):
            yield says[name]


def _supposed(guesses: dict[str, float], parts: Parts, says: Parts) -> Iterator[str]:
    """Yield how we answer the likeliest wishes, where none is clear: nothing here is done by a yes."""
    for name in sorted(guesses, key=lambda name: -guesses[name]):
        wish = vocabulary.wishes()[name]
        line = "" if wish.risky else _line(wish, parts)
        answer = wish.answer.format(**parts).strip() or (f'write "{line}".' if line else "")
        is_likely = guesses[name] >= SUPPOSED and name not in vocabulary.group("unsaid")
        if is_likely and answer and (means := _means(wish, says)):
            yield f"If you want to {means}: {answer}"


def suggestion(wish: Reading) -> Refused:
    proposal, gist = "\n".join(wish.lines) or None, f"wish {wish.wishes[0].name}"
    first, *notes = (f"You want to {wish.sentence}.", *wish.notes) if wish.sentence else wish.notes
    left, fits = wish.left if (proposal or wish.wants("turn_words")) and not wish.wants("chat") else (), " ".join(notes)
    match, meant = wish.board, wish.lines
    return Refused(first, fits=fits, match=match, meant=meant, proposal=proposal, unsent=left, gist=gist, wish=True)


def is_doubtful(guess: Guess) -> bool:
    """Return whether what can't be undone may not be meant: a negation, a question, or other words than it has."""
    if guess.wish == "resign":  # is asked about once more
        return sentence_entities.is_doubted(guess.part) or "?" in guess.part
    return vocabulary.wishes()[guess.wish].risky and ("?" in guess.sentence or guess.sure < SURE)

"""What wishes come to: one sentence in our words with all that was understood, the lines that do it, and answers.

The lines are printed and stored, and a yes carries out these and no others; what is named beside that is said, too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from notation.games import FEW, GAMES
from pbem.conversation.syntax import (
    days_in_sentences,
    names_in_sentences,
    sentence_entities,
    vocabulary,
    wish_classifier,
)
from pbem.conversation.syntax.sentence_entities import Named
from pbem.conversation.syntax.vocabulary import Wish
from pbem.errors import Refused

MOST_ANSWERS, MOST_SEEKS, LONGEST = 2, 2, 300
FIRST_GAME = "quadrupel"
ALL = '"help games" lists them all.'
_FIELD = re.compile(r"{(\w+)}")
SUPPOSED = 6.0  # how much a sentence must resemble a wish that is answered in case it is meant
UNSAID = frozenset({"greeting", "nothing", "chat", "thanks", "later", "turn_words", "join", "my_name"})
"""What isn't answered unless it is clear."""
FOREIGN = {"stop": 3, "delete": 1, "new_address": 2, "resign": 1}
"""How many words a sentence can have that none of its wordings has."""


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
        if wish.who == "stranger":
            return not self.player and not self.match
        return is_open and (wish.who != "player" or bool(self.player) or bool(wish.match))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the sentences of a message come to."""

    wishes: tuple[Wish, ...] = ()
    named: Named = field(default_factory=Named)
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


def reading_of(
    found: dict[str, str], named: Named, said: list[str], left: list[str], guesses: dict[str, float], place: Place
) -> Reading:
    wishes = [
        vocabulary.wishes()[name]
        for name in found
        if vocabulary.wishes()[name].answer or vocabulary.wishes()[name].means
    ]
    wishes.sort(key=lambda wish: wish.risky)
    acts: list[str] = []
    done: list[str] = []
    known: list[str] = []
    answers: list[str] = []
    parts = _parts(named, said, place)
    board, look = place.match if any(wish.board for wish in wishes) else 0, ""
    begins_match = False
    for wish in wishes:
        line = _line(wish, parts)
        is_match = wish.name in ("play_house", "challenge", "seek")
        if is_match and begins_match:
            continue
        begins_match = begins_match or (is_match and bool(line))
        if line and wish is not wishes[0] and (wish.risky or (acts and wish.name not in BEGINNING)):
            if not _is_doubtful(wish, found[wish.name]):
                answers.append(f'To {_means(wish, parts)}, write "{line}".')
            continue  # one thing at a time is done by a yes
        is_act = bool(line) and not _is_doubtful(wish, found[wish.name])
        if means_it := _means(wish, parts):
            (done if is_act else known).append(means_it)
        if is_act:
            others = named.games[1:MOST_SEEKS] if wish.name == "seek" else ()
            first = parts["game"][0]
            acts += (
                each.replace(f"seek {first}", f"seek {key}") for key in (first, *others) for each in line.split("\n")
            )
        elif line:
            answers.append(f'"{line}" does that; we only do it if you write it.')
        elif wish.name == "turn_words" and named.is_condition:
            theirs, ours = "".join(named.cells[:2]), "".join(named.cells[2:])
            answers.append(f'To play {ours} only if your opponent plays {theirs}, write "if {theirs} then {ours}".')
        elif wish.name == "chat" and place.level is not None:
            answers.append("The house doesn't read what you write to it, but thank you.")
        elif wish.answer and len(answers) < MOST_ANSWERS:
            answers.append(_filled(wish.answer, named, place))
        if wish.look and not look:
            look = _filled(wish.look, named, place)
    return Reading(
        wishes=tuple(wishes),
        named=named,
        sentence=", and to ".join(dict.fromkeys(done or known)),
        lines=tuple(dict.fromkeys(sorted(acts, key=lambda line: not line.startswith("join")))),
        look=look,
        answers=tuple(dict.fromkeys(answers)),
        unread=tuple(_unused(named, parts, wishes, is_act=bool(acts))) if wishes else (),
        supposed=() if wishes else tuple(islice(_supposed(guesses, parts, named, place), MOST_ANSWERS)),
        board=board or None,
        left=tuple(left),
    )


LEVELS = {"0": "the easiest", "1": "an easy one", "3": "a medium one", "4": "a hard one", "6": "the hardest"}
BEGINS = {"me": "and you begin", "you": "and they begin", "random": "and either of you begins"}
OFFERS = {
    "draw": "the draw",
    "pause": "the pause",
    "undo": "the offer to take back a turn",
    "cancel": "the offer to end this match",
}
BEGINNING = frozenset({"join", "my_name", "play_house", "challenge", "seek"})  # what goes together
REPORTED = ("time", "level", "rated", "begin", "until")  # what is said if it is named and not used

Parts = dict[str, tuple[str, str]]  # what sentences name, as lines and as our sentences say it; empty where they don't


def _parts(named: Named, said: list[str], place: Place) -> Parts:
    key = next(
        iter([*named.games, *filter(None, [place.game])]), FIRST_GAME if FIRST_GAME in GAMES else next(iter(GAMES))
    )
    options, known = named.options or {}, [each for each in named.people if place.is_player(each)]
    whom = next((found[0] for found in (named.addresses, known) if len(found) == 1), "")
    text = " ".join(said)
    words = names_in_sentences.told(text, place.rival) or text
    length = int(named.span[:-1]) if named.span.endswith("d") else 0
    last = str(max(named.days)) if named.days else named.span if length else ""
    until = f"{'until' if named.days else 'for'} {last}" if last else ""
    gone = days_in_sentences.absence(text, named.days, length, place.today) if named.days else None
    away = f"{gone[0]} {gone[1]}" if gone else "" if named.days else last
    when = until
    if gone:
        when = f"from {gone[0]} until {gone[1]}" if gone[0] > place.today else f"until {gone[1]}"
    is_house = place.level is not None
    level = f"at level {named.level}, {LEVELS.get(named.level, 'of 6')}" if named.level else ""
    reminder = "off" if sentence_entities.is_negated(text) else named.span
    remind = "get no reminders" if reminder == "off" else ""
    if reminder and not remind:
        remind = f"be reminded {spoken(reminder)} before your time is up"
    more = spoken(named.span) if named.span else "a few days"
    plea = f'Could I have {more} more for my turn, please? "give {named.span or "2d"}" gives them to me.'
    if named.days:
        left = max((max(named.days) - place.today).days, 1)
        plea = f'Could I have time for my turn until {max(named.days)}, please? "give {left}d" gives it to me.'
    begin, time = f"begin={named.begin}" if named.begin else "", f"time={named.time}/move" if named.time else ""
    span = f"time={named.span}/move" if named.span and place.state == "offered" else ""
    changed = f"{begin} {time or span}".strip()
    other = named.level or next(iter(re.findall(r"(?<!\w)[0-6](?!\w)", text)), "")
    counter = (
        f"#{place.match} decline\nchallenge {place.rival} {place.game} {changed}" if changed and place.rival else ""
    )
    again = f"#{place.match} rematch" if not changed else f"challenge {place.rival} {place.game} {changed}"
    return {
        "match": (str(place.match), ""),
        "easiest": (next((key for key, each in GAMES.items() if each.game.difficulty == 1), FIRST_GAME), ""),
        "asked": (place.asked, ""),
        "offer": ("", OFFERS.get(place.asked, "")),
        "reminder": (reminder, ""),
        "remind": ("", remind),
        "again": (again, ""),
        "counter": (counter, ""),
        "other": (f"level={other}" if other else "", f"at level {other}, {LEVELS.get(other, 'of 6')}" if other else ""),
        "plea": ("" if is_house else plea, ""),
        "hour": (f"hour {hour}" if (hour := sentence_entities.hour_in(text)) else "", f"at {hour}:00" if hour else ""),
        "game": (key, GAMES.title(key)),
        "games": (key, " or ".join(GAMES.title(each) for each in named.games[:MOST_SEEKS] or (key,))),
        "opponent": (whom, whom),
        "options": (
            " ".join(f"{option}={choice}" for option, choice in options.items()),
            f"({', '.join(choice.replace('-', ' ') for choice in options.values())})" if options else "",
        ),
        "level": (f"level={named.level}" if named.level else "", level),
        "time": (time, f"{spoken(named.time)} a move" if time else ""),
        "rated": ("rated", "rated") if named.rated else ("", ""),
        "begin": (begin, BEGINS[named.begin] if begin else ""),
        "name": (named.name, named.name),
        "as": ("", f"as {named.name}" if named.name else ""),
        "until": (last, until),
        "away": (away, ""),
        "when": ("", when if away else ""),
        "span": (named.span, named.span),
        "address": (named.addresses[0] if len(named.addresses) == 1 else "", ""),
        "text": (words if not is_house and len(words) <= LONGEST else "", ""),
        "hint": ("hint" if is_house else "", ""),
        "analyse": ("analyse" if place.state == "over" else "", ""),
        "zone": (sentence_entities.zone_in(text), ""),
        "me": ("me" if place.player else "", ""),
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


def _filled(text: str, named: Named, place: Place) -> str:
    first = GAMES.title(FIRST_GAME)
    return text.format(
        games=there_are(),
        easy=f"{first} is easy to learn and quick: try it against the house at its easiest level.",
        rival=place.rival or "NAME",
        rules=f'"rules {place.game}" sends the rules.'
        if place.game
        else f"{rules_commands()} sends the rules of a game.",
        human=human(admin=place.admin),
        you=f"Your name here is {place.player}." if place.player else "To begin, choose a name that you like.",
        key=named.games[0] if named.games else FIRST_GAME,
        game=(named.games[0] if named.games else place.game) or "",
        match=place.match,
        cells=" ".join(named.cells),
    ).strip()


def _unused(named: Named, parts: Parts, wishes: Sequence[Wish], *, is_act: bool) -> Iterator[str]:
    """Yield what is named and not used, in our own words."""
    names = {wish.name for wish in wishes}
    used = {name for wish in wishes for name in (*wish.uses.split(), *_FIELD.findall(wish.line))}
    if "chat" in names:
        return  # all of it is passed on
    yield from (GAMES.title(key) for key in named.games[MOST_SEEKS if "seek" in names else 1 :])
    if named.addresses and (len(named.addresses) > 1 or not used & {"opponent", "address"}):
        yield "an address"
    for name in REPORTED:
        is_used = name in used or (name == "until" and ("when" in used or "counter" in names))
        is_used = is_used or (name != "time" and not names & {*BEGINNING, "counter", "rematch", "harder", "easy_game"})
        if parts[name][1] and not is_used and (is_act or name in ("time", "rated")):
            yield parts[name][1]


def _supposed(guesses: dict[str, float], parts: Parts, named: Named, place: Place) -> Iterator[str]:
    """Yield how we answer the likeliest wishes, where none is clear: nothing here is done by a yes."""
    for name in sorted(guesses, key=lambda name: -guesses[name]):
        wish = vocabulary.wishes()[name]
        line = "" if wish.risky else _line(wish, parts)
        says = _filled(wish.answer, named, place) or (f'write "{line}".' if line else "")
        if guesses[name] >= SUPPOSED and name not in UNSAID and says and (means := _means(wish, parts)):
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


def _is_doubtful(wish: Wish, sentence: str) -> bool:
    """Return whether what can't be undone may not be meant: a negation, a question, or words that it doesn't have."""
    if not wish.risky:
        return False
    others = [
        word
        for word in vocabulary.words(sentence_entities.ADDRESS.sub(" ", sentence))
        if not wish_classifier.is_of(word, wish.name)
    ]
    is_doubted = sentence_entities.is_doubted(sentence) and wish.name == "resign"
    return "?" in sentence or is_doubted or len(others) > FOREIGN.get(wish.name, 0)

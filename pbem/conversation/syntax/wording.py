"""What wishes come to: one sentence in our words with all that was understood, the lines that do it, and answers.

The lines are printed and stored, and a yes carries out these and no others; what is named beside that is said, too.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from notation.games import FEW, GAMES
from pbem.conversation.syntax import phrases, slots
from pbem.conversation.syntax.phrases import Wish
from pbem.conversation.syntax.slots import Named
from pbem.errors import Refused

MOST_ANSWERS, MOST_MAYBE, LONGEST = 2, 3, 300
FIRST_GAME = "quadrupel"
ALL = '"help games" lists them all.'
FOREIGN = {"stop": 3, "delete": 1, "new_address": 2}
"""How many words a sentence can have that none of its wordings has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Who writes, and about which match: that decides what they can want."""

    today: date
    player: str = ""
    """The player's name; empty for somebody who isn't one."""
    match: int = 0
    state: str = ""
    """How that match stands."""
    game: str = ""
    level: int | None = None
    """How well the house plays in it; None against a person."""
    admin: bool = False
    """Whether there is an operator to whom `human` writes."""
    is_player: Callable[[str], bool] = field(default=lambda _name: True)
    """Returns whether somebody of that name plays here."""

    def can_want(self, wish: Wish) -> bool:
        is_open = not wish.match or self.state in wish.match
        if wish.who == "stranger":
            return not self.player and not self.match
        return is_open and (wish.who != "player" or bool(self.player) or bool(wish.match))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the sentences of a message come to."""

    wishes: tuple[Wish, ...] = ()
    named: Named = field(default_factory=Named)
    sentence: str = ""
    """What we understood, as it follows "you want to"."""
    lines: tuple[str, ...] = ()
    """What a yes carries out."""
    look: str = ""
    """The line that changes nothing, and is the answer."""
    answers: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """What the sentences name and nothing above uses, in our words."""
    maybe: tuple[str, ...] = ()
    """What is likely to be wanted where nothing is clear: lines or what they are for."""
    board: bool = False
    left: tuple[str, ...] = ()
    """The sentences in which nothing was understood."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What we say to their questions, and what we didn't understand."""
        unread = (f"We didn't understand: {', '.join(self.unread)}.",) if self.unread else ()
        return (*self.answers, *unread)

    def wants(self, *names: str) -> bool:
        return any(wish.name in names for wish in self.wishes)


def rules_commands() -> str:
    return " or ".join(f'"rules {key}"' for key in islice(GAMES, FEW))


def there_are() -> str:
    return f"The games: {GAMES.some()}." + (f" {ALL}" if len(GAMES) > FEW else "")


def reading_of(
    found: dict[str, str], named: Named, said: list[str], left: list[str], guesses: dict[str, float], place: Place
) -> Reading:
    wishes = [phrases.wishes()[name] for name in found if name not in ("greeting", "nothing")]
    if len(wishes) > 1 and not place.player and not place.match:
        wishes = [wish for wish in wishes if wish.name != "stop"]  # nobody who asks us something wants no answer
    acts: list[str] = []
    done: list[str] = []
    known: list[str] = []
    answers: list[str] = []
    unread: list[str] = []
    used: set[str] = set()
    board, look = any(wish.board for wish in wishes), ""
    begins_match = False
    for wish in wishes:
        line = _line(wish, named, said, place)
        is_match = wish.name in ("play_house", "challenge", "seek")
        if is_match and begins_match:
            continue
        begins_match = begins_match or (is_match and bool(line))
        used.update(wish.uses.split())
        is_act = bool(line) and not _is_doubtful(wish, found[wish.name])
        if means_it := _means(wish, named, place, bool(line)):
            (done if is_act else known).append(means_it)
        if is_act:
            acts.append(line)
        elif line:
            answers.append(f'"{line}" does that; we only do it if you write it.')
        elif wish.name == "chat" and place.level is not None:
            answers.append("The house doesn't read what you write to it, but thank you.")
        elif wish.answer and len(answers) < MOST_ANSWERS:
            answers.append(_filled(wish.answer, named, place))
        if wish.look and not look:
            look = _filled(wish.look, named, place)
    if wishes:
        unread = list(_unused(named, used, is_act=bool(acts)))
    acts = [line for line in acts if not (line == "join" and len(acts) > 1)]
    return Reading(
        wishes=tuple(wishes),
        named=named,
        sentence=", and to ".join(dict.fromkeys(done or known)),
        lines=tuple(dict.fromkeys(sorted(acts, key=lambda line: not line.startswith("join")))),
        look=look,
        answers=tuple(dict.fromkeys(answers)),
        unread=tuple(unread),
        maybe=() if wishes else tuple(_likely(guesses, named, said, place)),
        board=board,
        left=tuple(left),
    )


def _line(wish: Wish, named: Named, said: list[str], place: Place) -> str:
    """Return the line that does what is wanted; empty where something is missing for it."""
    game = _game(named, place, wish)
    match wish.name:
        case "join" | "my_name":
            return f"join {named.name}" if named.name else ""
        case "play_house":
            return " ".join(filter(None, ("play", game, *_terms(named, level=True))))
        case "seek":
            return " ".join(filter(None, ("seek", game, *_terms(named))))
        case "challenge":
            whom = _opponent(named, place)
            return (
                " ".join(("challenge", whom, game, *_terms(named), *(("rated",) if named.rated else ())))
                if whom
                else ""
            )
        case "hint":
            return f"#{place.match} hint" if place.level is not None else ""
        case "mistakes":
            return f"#{place.match} analyse" if place.state == "over" else ""
        case "chat":
            text = " ".join(said)
            return f"#{place.match} say {text}" if place.level is None and len(text) <= LONGEST else ""
        case "away":
            return f"vacation {until}" if (until := _until(named, place, both=True)) else ""
        case "pause":
            return f"#{place.match} pause {_until(named, place)}".strip()
        case "more_time":
            return ""
        case "give_time":
            return f"#{place.match} give {named.span}" if named.span else ""
        case "new_address":
            return f"change address {named.addresses[0]}" if len(named.addresses) == 1 else ""
        case "my_data" | "delete" if not place.player:
            return ""
        case "opponent_late" | "write_move" | "turn_words":
            return ""
    return wish.line.format(match=place.match)


def _game(named: Named, place: Place, wish: Wish) -> str:
    if named.games:
        return named.games[0]
    if place.game:
        return place.game
    return FIRST_GAME if FIRST_GAME in GAMES else next(iter(GAMES))


def _opponent(named: Named, place: Place) -> str:
    if len(named.addresses) == 1:
        return named.addresses[0]
    known = [name for name in named.people if place.is_player(name) and name != place.player]
    return known[0] if len(known) == 1 else ""


def _terms(named: Named, *, level: bool = False) -> Iterator[str]:
    if level and named.level:
        yield f"level={named.level}"
    for option, choice in (named.options or {}).items():
        yield f"{option}={choice}"
    if named.time:
        yield f"time={named.time}/move"
    if named.begin:
        yield f"begin={named.begin}"


def _until(named: Named, place: Place, *, both: bool = False) -> str:
    if named.days:
        first = named.days[0] if len(named.days) > 1 else place.today
        return f"{first} {named.days[-1]}" if both else str(named.days[-1])
    return named.span if named.span.endswith("d") else ""


LEVELS = {"1": "the easiest", "3": "a medium one", "4": "a hard one", "5": "the hardest"}
BEGINS = {"me": "you begin", "you": "they begin", "random": "either of you begins"}


def _means(wish: Wish, named: Named, place: Place, is_clear: bool) -> str:
    if not wish.means:
        return ""
    if wish.name in ("join", "my_name"):
        return f"play here as {named.name}" if named.name else wish.means
    if wish.name in ("away", "pause") and (until := _until(named, place)):
        return f"{wish.means} {'until' if named.days else 'for'} {until}"
    if wish.name not in ("play_house", "challenge", "seek"):
        return wish.means
    if wish.name == "challenge" and not is_clear:
        return "play with somebody you know"
    title = GAMES.title(_game(named, place, wish))
    text = wish.means.format(game=title, opponent=_opponent(named, place))
    options = ", ".join(choice.replace("-", " ") for choice in (named.options or {}).values())
    terms = [f"({options})"] if options else []
    more = []
    if named.level and wish.name == "play_house":
        more.append(f"at level {named.level}, {LEVELS.get(named.level, 'of 5')}")
    if named.time:
        more.append(f"{spoken(named.time)} a move")
    if named.rated and wish.name == "challenge":
        more.append("rated")
    if named.begin:
        more.append(f"and {BEGINS[named.begin]}")
    return ", ".join((" ".join((text, *terms)), *more))


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
    return text.format(
        games=there_are(),
        rules=f"{rules_commands()} sends the rules of a game.",
        human=human(admin=place.admin),
        you=f"Your name here is {place.player}." if place.player else "To begin, choose a name that you like.",
        key=named.games[0] if named.games else FIRST_GAME,
        game=(named.games[0] if named.games else place.game) or "",
        match=place.match,
    ).strip()


def _unused(named: Named, used: set[str], *, is_act: bool) -> Iterator[str]:
    """Yield what is named and not used, in our own words."""
    if len(named.games) > 1:
        yield from (GAMES.title(key) for key in named.games[1:])
    if named.addresses and not used & {"opponent", "address"}:
        yield "an address"
    if len(named.addresses) > 1 and "opponent" in used:
        yield "more than one address"
    if named.time and "time" not in used:
        yield f"{spoken(named.time)} a move"
    if named.level and "level" not in used and named.level != "1":
        yield f"level {named.level}"
    if named.begin and "begin" not in used and is_act:
        yield f"that {BEGINS[named.begin]}"
    if named.days and "until" not in used and is_act:
        yield " and ".join(map(str, named.days[:2]))
    if named.rated and "rated" not in used:
        yield "rated"


def _likely(guesses: dict[str, float], named: Named, said: list[str], place: Place) -> Iterator[str]:
    """Yield the likeliest lines to write, where nothing is clear; none that can't be undone."""
    best = sorted(guesses, key=lambda name: -guesses[name])
    for name in [each for each in best if each not in ("greeting", "nothing", "chat")][:MOST_MAYBE]:
        wish = phrases.wishes()[name]
        line = "" if wish.risky else _line(wish, named, said, place) or _filled(wish.look, named, place)
        if line:
            yield line


def suggestion(wish: Reading, place: Place) -> Refused:
    proposal = "\n".join(wish.lines) or None
    return Refused(
        f"You want to {wish.sentence}.",
        fits=" ".join(wish.notes),
        match=place.match if wish.board and place.match else None,
        meant=wish.lines,
        proposal=proposal,
        unsent=wish.left if proposal else (),
        wish=True,
        gist=f"wish {wish.wishes[0].name}",
    )


def _is_doubtful(wish: Wish, sentence: str) -> bool:
    """Return whether what can't be undone may not be meant: a negation, a question, or an object of another kind."""
    own = {word for wording in wish.wordings for word in phrases.words(wording)}
    said = phrases.words(slots.ADDRESS.sub(" ", sentence))
    others = [word for word in said if word.isalpha() and word not in own | phrases.stop_words()]
    is_negated = slots.is_negated(sentence) and wish.name == "resign"
    return wish.risky and ("?" in sentence or is_negated or len(others) > FOREIGN.get(wish.name, 0))

"""What a message in plain sentences seems to want: all of it in one sentence of ours, and the lines that would do it.

Nothing here acts. The lines are printed and stored, and a yes carries out these and no others; what the sentences name
beside that is said, too. `recogniser` guesses what is wanted, `slots` reads what is named, and phrases.toml has both.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pbem.conversation.syntax import phrases, recogniser, slots
from pbem.conversation.syntax.slots import Named
from pbem.conversation.syntax.wording import LONGEST, MOST_MAYBE, Place, Reading, reading_of

MOST_LINES, MOST_SENTENCES = 12, 10
"""How many lines a message has at most in which sentences are read, and how many sentences."""
SURE, CLEAR, CLEAR_ENOUGH, SURE_PART, FAR = 15.0, 8.0, 2.0, 45.0, 25.0
"""How much more a sentence must resemble a wish than none; than the next, with a line or without; a clause than none.
"""
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')
"""What our own messages, which machines may return, have in quotes: examples of commands."""
_END = re.compile(r"(?<=[.!?;\u3002\uff1f])(?<!\d\.)\s+(?=\S)")
_CLAUSE = re.compile(r"\s*[,;:]\s+|\s+(?:and|but|und|aber|et|mais|y|pero|ale|и|но|maar)\s+")
LEAST_KNOWN = 0.6
"""The share of a sentence's words that some wording has, where it is written to us."""
FEW_WORDS, FEWEST_WORDS = 6, 3
NEEDED = {
    "play_house": {"play", "game", "against"},
    "challenge": {"play", "game", "friend", "opponent", "invite", "against"},
    "seek": {"play", "game", "opponent", "human", "friend", "anyone", "nobody"},
}
"""What the words of a sentence must mean, one of these, unless it names a game, or asks for the house shortly."""
GROUNDS: dict[str, tuple[set[str], ...]] = {
    "stop": ({"stop", "spam", "delete"}, {"mail", "send", "list", "spam"}),
    "delete": ({"delete", "stop"}, {"account", "data", "me", "list", "address", "name"}),
    "resign": ({"resign", "lose", "win"},),
    "draw": ({"draw"},),
    "new_address": ({"address", "mail"},),
}
"""What the words of a sentence must mean, one of each of these, where it would end or move something."""
WANTING = frozenset({"want", "computer", "start", "again", "can"})
QUESTIONS = frozenset({"how", "what", "who", "when", "where", "why", "thereis"})
PLAYS = frozenset({"play_house", "challenge", "seek", "rules", "games", "which_game", "wrong_game"})


def sentences_in(lines: Iterable[str]) -> list[str]:
    """Return the sentences of a text; none of a long one, which isn't written to us.

    >>> sentences_in(["Hello!", "I would like to play the game of", "quadrupel. Is it free?"])
    ['Hello!', 'I would like to play the game of quadrupel.', 'Is it free?']
    """
    written = [_QUOTED.sub(" ", line.strip()[:LONGEST]) for line in lines if line.strip()]
    if len(written) > MOST_LINES:
        return []
    whole: list[str] = []
    for line in written:
        goes_on = bool(whole) and line[:1].islower() and whole[-1][-1:].isalnum() and len(whole[-1]) > LONGEST // 10
        if goes_on:
            whole[-1] = f"{whole[-1]} {line}"
        else:
            whole.append(line)
    return [each for line in whole for each in _END.split(line) if each.strip()][:MOST_SENTENCES]


def read(lines: Iterable[str], place: Place) -> Reading:
    """Return what the sentences of a message want, of what can be wanted at its place."""
    possible = {name for name, wish in phrases.wishes().items() if wish.phrases and place.can_want(wish)}
    said = sentences_in(lines)
    found: dict[str, str] = {}
    named = Named()
    left: list[str] = []
    guesses: dict[str, float] = {}
    for sentence in said:
        this = slots.named(sentence, place.today)
        named = named.with_others(this)
        wanted = list(_wanted(sentence, this, possible, place, guesses))
        for name in wanted:
            found.setdefault(name, sentence)
        if not wanted:
            left.append(sentence)
    about = phrases.lexicon("concepts").of_text(phrases.words(" ".join(said)))
    is_about_more = len(left) > len(found) + 1
    if not place.player and is_about_more and {"play", "game"}.isdisjoint(about) and not named.games:
        return Reading(left=tuple(left))  # other people's mail
    if is_about_more:
        found = {name: sentence for name, sentence in found.items() if not phrases.wishes()[name].risky}
    if not named.name and "my_name" in possible and (signed := _signature(said, found)):
        named = replace(named, name=signed)
    if len(found) > 1:
        found.pop("greeting", None)
        found.pop("stop", None)
        if "chat" in found:
            left.append(found.pop("chat"))
    return reading_of(found, named, said, left, guesses, place)


def _signature(said: list[str], found: dict[str, str]) -> str:
    """Return the name below a message of somebody who wants to join."""
    last = said[-1].strip(" .,!-") if len(said) > 1 else ""
    return last.lower() if "join" in found and last.istitle() and slots.is_name(last) else ""


# What a sentence wants -------------------------------------------------------------------


def _wanted(sentence: str, named: Named, possible: set[str], place: Place, guesses: dict[str, float]) -> Iterator[str]:
    """Yield the wishes of a sentence, the surest first; note how sure the others are."""
    if named.name and "my_name" in possible:
        yield "my_name"
    if len(named.cells) > 1 and "turn_words" in possible and not slots.is_negated(sentence):
        yield "turn_words"
        return
    if recogniser.share_known(sentence) < LEAST_KNOWN:
        return  # other people's mail
    bare = slots.without_name(sentence) if named.name else sentence
    if len(bare.split()) < FEWEST_WORDS and named.name:
        return
    everything = recogniser.recognised(bare)
    found = [each for each in everything if each[0] in possible]
    if not found or (everything[0][0] != "nothing" and everything[0][1] - found[0][1] > FAR):
        return  # what it says can't be wanted here
    for name, sure in found[:MOST_MAYBE]:
        guesses[name] = max(guesses.get(name, 0.0), sure)
    top = _settled(found, named, sentence, place, possible)
    if top:
        yield top
    for clause in _CLAUSE.split(sentence):
        if len(clause.split()) > 1 and clause != sentence and _asks(clause):
            (name, sure), *others = (each for each in recogniser.recognised(clause) if each[0] in possible)
            is_clear = sure > SURE_PART and sure - others[0][1] > CLEAR
            if is_clear and name != top and phrases.wishes()[name].answer and not phrases.wishes()[name].risky:
                yield name


def _settled(
    found: Sequence[tuple[str, float]], named: Named, sentence: str, place: Place, possible: set[str]
) -> str | None:
    """Return the wish that a sentence has for sure: what it names can decide where its words leave a doubt."""
    (name, sure), *others = found or [("", 0.0)]
    gap = sure - others[0][1] if others else sure
    clear = sure > SURE and gap > (CLEAR if _acts(name) else CLEAR_ENOUGH)
    bare = phrases.words(slots.ADDRESS.sub(" ", sentence))
    meanings = set(phrases.lexicon("concepts").of_text(bare))
    is_short_play = name == "play_house" and len(bare) <= FEW_WORDS and meanings & {"computer", "easy"}
    if name in NEEDED and not named.games and meanings.isdisjoint(NEEDED[name]) and not is_short_play:
        return None
    if len(bare) >= FEW_WORDS and any(meanings.isdisjoint(each) for each in GROUNDS.get(name, ())):
        return None
    if name == "delete" and meanings.isdisjoint(GROUNDS[name][1]):
        return None  # "close 1"
    names_somebody = bool(named.addresses) or any(map(place.is_player, named.people))
    if named.days and name in PLAYS and "want" not in meanings:
        return None  # "On Friday we play Quadrupel at the club."
    if "othergame" in meanings and not named.games and name in PLAYS and "wrong_game" in possible:
        return "wrong_game"
    if names_somebody and "challenge" in possible and (name in PLAYS or (named.games and named.addresses)):
        return "challenge"
    if name == "play_house" and place.match and not named.games and meanings.isdisjoint(WANTING):
        return None  # "You play well."
    if name == "challenge" and "computer" in meanings and not names_somebody and "friend" not in meanings:
        return "play_house"
    if name == "rules" and others and others[0][0] == "play_house" and meanings & {"want", "computer"} and named.games:
        return "play_house"
    if name == "play_house" and {"friend", "opponent", "human"} & meanings and "computer" not in meanings:
        return "challenge" if "friend" in meanings else "seek"
    is_game_alone = bool(named.games) and meanings.isdisjoint({"human", "opponent", "anyone", "rules", "how", "what"})
    both = {name, *(other for other, _ in others[:1])}
    if (
        not clear
        and sure > SURE
        and both <= {"play_house", "join", "challenge", "seek", "rules"}
        and "?" not in sentence
    ):
        return "play_house" if is_game_alone and "play" in meanings else name
    return name if clear else None


def _acts(name: str) -> bool:
    """Return whether a wish has a line that a yes carries out; others are only answered."""
    return bool(name) and bool(phrases.wishes()[name].line)


def _asks(clause: str) -> bool:
    meanings = phrases.lexicon("concepts").of_text(phrases.words(clause))
    return clause.endswith("?") or not QUESTIONS.isdisjoint(meanings)

"""What a message in plain sentences seems to want: all of it in one sentence of ours, and the lines that would do it.

Nothing here acts. The lines are printed and stored, and a yes carries out these and no others; what the sentences name
beside that is said, too. `wish_classifier` guesses what is wanted, `sentence_entities` reads what is named; the words
for both are in phrases.toml.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary, wish_classifier
from pbem.conversation.syntax.sentence_entities import Named
from pbem.conversation.syntax.suggested_commands import LONGEST, Place, Reading, reading_of

MOST_LINES, LONGEST_LINE, MOST_SENTENCES, MOST_WISHES = 12, 1_000, 10, 2
"""How many lines a message has at most in which sentences are read, how long they are, and how many sentences and
wishes are read."""
SURE = 5.8  # how much more a sentence must resemble a wish than none, and twice as much than the next
EACH_MORE, FEW_SENTENCES, ALONE = 1.1, 3, 0.8
"""How much surer it must be for each sentence beside a few, how many these are, and what share is enough for one."""
CERTAIN, BESIDE, ASKED_TOO, ANOTHER = 17.0, 0.7, 0.55, 0.45
"""How sure what is named makes a wish; and how sure a second one, a question, or one of another sentence must be, as a
share of the first."""
NEARLY = 0.7
"""What a vague wish counts beside another, and how sure that must be, as a share, to be taken in its place."""
MOST_SUPPOSED = 3  # how many wishes of a sentence may be answered in case they are meant
FEWEST_WORDS = 3
LEAST_AWAY = -9.0  # how sure an absence with its dates must be at least: "out of office" is less
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')
"""What our own messages, which machines may return, have in quotes: examples of commands."""
_CLAUSE = re.compile(r"\s*[,;:]\s+|\s+(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|ale|и|но)\s+")
VAGUE = frozenset({"how_works", "chat", "moves"})  # what is wanted where nothing else is nearly as likely
PLAYS = frozenset({"play_house", "challenge", "seek", "which_game", "easy_game", "harder"})
ACTS = PLAYS | {"join"}
REPLIES = frozenset({"accept", "accept_alone", "agree", "decline", "decline_alone", "refuse", "counter"})
PRIVATE = frozenset({"human", "opponent_rude"})  # what is said with these isn't for the opponent
SOFT = frozenset({"chat", "thanks", "later", "greeting"})
ALIKE: tuple[frozenset[str], ...] = (
    ACTS,
    SOFT,
    frozenset({"join", "my_name"}),
    frozenset({"rating", "rating_rules", "ladder", "tournaments"}),
    frozenset({"whose_turn", "time_left", "show_board", "lost_mail", "colour"}),
    frozenset({"moves", "why_refused", "write_move"}),
    frozenset({"rules", "variant"}),
    frozenset({"games", "which_game", "wrong_game"}),
)
"""Wishes of which the surer one does, where a sentence may mean either: their answers are much the same."""
ELSEWHERE = PLAYS | {"wrong_game", "who_plays", "games"}
"""What isn't about a match: beside one, it has to name a game, or playing."""


@dataclass(frozen=True, slots=True)
class Guess:
    wish: str
    sure: float
    sentence: str


def sentences_in(lines: Iterable[str]) -> list[str]:
    """Return the sentences of a text; none of a long one, which isn't written to us.

    >>> sentences_in(["Hello!", "I would like to play the game of", "quadrupel. Is it free?"])
    ['Hello!', 'I would like to play the game of quadrupel.', 'Is it free?']
    """
    written = [_QUOTED.sub(" ", line.strip()[:LONGEST_LINE]) for line in lines if line.strip()]
    if len(written) > MOST_LINES:
        return []
    whole: list[str] = []
    for line in written:
        goes_on = bool(whole) and line[:1].islower() and whole[-1][-1:].isalnum() and len(whole[-1]) > LONGEST // 10
        if goes_on:
            whole[-1] = f"{whole[-1]} {line}"
        else:
            whole.append(line)
    return [each for line in whole for each in names_in_sentences.SENTENCE_END.split(line) if each.strip()][
        :MOST_SENTENCES
    ]


def read(lines: Iterable[str], place: Place) -> Reading:
    """Return what the sentences of a message want, of what can be wanted at its place."""
    written = list(lines)
    said = sentences_in(written)
    possible = {wish.like or name: name for name, wish in vocabulary.wishes().items() if place.can_want(wish)}
    names = {sentence: sentence_entities.named(sentence, place.today) for sentence in said}
    guesses: list[Guess] = []
    least = SURE * (ALONE if len(said) == 1 and len(said[0].split()) >= FEWEST_WORDS else 1)
    likely: dict[str, float] = {}
    for sentence, this in names.items():
        guesses += _guesses(sentence, this, possible, place, likely, least)
    about = vocabulary.lexicon("concepts").of_text(vocabulary.words(" ".join(said)))
    plays = any(this.games for this in names.values()) or not {"play", "game"}.isdisjoint(about)
    invited = [sentence for sentence, this in names.items() for _ in this.addresses]
    if len(invited) == 1 and plays and "challenge" in possible:
        guesses.append(Guess("challenge", CERTAIN, invited[0]))
    needed = least + EACH_MORE * max(len(said) - FEW_SENTENCES, 0)
    found = _chosen(guesses, needed, gives_name=any(this.name for this in names.values()))
    left = [sentence for sentence in said if sentence not in {guess.sentence for guess in found}]
    named = Named()
    for sentence in (*(guess.sentence for guess in found), *names):
        named = named.with_others(names[sentence])
    name = named.name or names_in_sentences.signature(written)
    if name and "my_name" in possible and ACTS & {guess.wish for guess in found}:
        named = replace(named, name=name)
        found = [*(guess for guess in found if guess.wish != "join"), Guess("my_name", CERTAIN, "")]
    return reading_of({guess.wish: guess.sentence for guess in found}, named, said, left, likely, place)


def _chosen(guesses: list[Guess], least: float, *, gives_name: bool) -> list[Guess]:
    """Return the surest guess, and another that is about as sure and goes with it, or is clear in its own sentence.

    Somebody who gives their name wants to play, whatever they ask besides.
    """
    wishes = vocabulary.wishes()
    found: list[Guess] = []
    for guess in sorted(guesses, key=lambda guess: -guess.sure * (NEARLY if guess.wish in VAGUE else 1)):
        wish = wishes[guess.wish]
        is_asked = ("?" in guess.sentence and not wish.line) or (gives_name and guess.wish in ACTS)
        is_another = guess.sentence not in {other.sentence for other in found}
        share = ANOTHER if is_another else ASKED_TOO if is_asked else BESIDE
        is_sure = guess.sure >= (max(least, found[0].sure * share) if found else least)
        is_act = bool(wish.line) and any(wishes[other.wish].line for other in found)
        rivals = {guess.wish}.union(*(only for only in (ACTS, REPLIES) if guess.wish in only))
        fits = rivals.isdisjoint(other.wish for other in found) and (is_another or not (is_act or wish.risky))
        if is_sure and fits and len(found) < MOST_WISHES and guess.wish != "greeting":
            found.append(guess)
    if not PRIVATE.isdisjoint(guess.wish for guess in found):
        return [guess for guess in found if guess.wish != "chat"]
    return found


# What a sentence wants -------------------------------------------------------------------


def _guesses(
    sentence: str, named: Named, possible: Mapping[str, str], place: Place, likely: dict[str, float], least: float
) -> Iterator[Guess]:
    """Yield what a sentence may want, by what it names and by its words; note how sure all is."""
    is_possible = "turn_words" in possible or (named.is_condition and place.state == "running")
    if len(named.cells) > 1 and is_possible and not sentence_entities.is_negated(sentence):
        yield Guess("turn_words", CERTAIN, sentence)
        return
    if named.addresses and vocabulary.words(sentence_entities.ADDRESS.sub(" ", sentence)) == ["join"]:
        return  # an address is no name, and nobody is invited by it
    if named.name and "my_name" in possible:
        yield Guess("my_name", SURE, sentence)
    if "chat" in possible and names_in_sentences.told(sentence, place.rival):
        yield Guess("chat", CERTAIN, sentence)
        return
    bare = names_in_sentences.without_name(sentence) if named.name else sentence
    if named.name and len(bare.split()) < FEWEST_WORDS:
        return  # a name alone
    whole = _ranked(bare, possible)
    meanings = set(vocabulary.lexicon("words").of_text(vocabulary.words(sentence)))
    is_absence = len(named.days) > 1 or ("away" in meanings and "not" not in meanings)
    if place.player and named.days and is_absence and dict(whole).get("away", LEAST_AWAY) > LEAST_AWAY:
        yield Guess("away", CERTAIN, sentence)
    for name, sure in whole[:MOST_SUPPOSED] if len(bare.split()) >= FEWEST_WORDS else ():
        likely[name] = max(likely.get(name, 0.0), sure)
    clauses = (clause for clause in _CLAUSE.split(bare) if len(clause.split()) > 1 and clause != bare)
    for part, ranked in ((bare, whole), *((clause, _ranked(clause, possible)) for clause in clauses)):
        if guess := _settled(part, ranked, named, possible, place, least):
            yield replace(guess, sentence=sentence)


def _ranked(part: str, possible: Mapping[str, str]) -> list[tuple[str, float]]:
    return [(possible[name], sure) for name, sure in wish_classifier.recognised(part) if name in possible]


def _settled(
    part: str,
    ranked: Sequence[tuple[str, float]],
    named: Named,
    possible: Mapping[str, str],
    place: Place,
    least: float,
) -> Guess | None:
    """Return the wish that a part of a sentence has for sure: what it names can decide where words leave a doubt."""
    if not ranked or ranked[0][1] < least:
        return None
    (name, sure), *others = ranked
    names_game = bool(named.games or place.game)
    is_near = bool(others) and others[0][1] > max(least, NEARLY * sure)
    if name in VAGUE and is_near and (names_game or others[0][0] != "rules"):
        (name, sure), *others = [*others, ranked[0]]
    meanings = set(vocabulary.lexicon("concepts").of_text(vocabulary.words(sentence_entities.ADDRESS.sub(" ", part))))
    if place.asked and name == "draw":
        is_agreed = meanings.isdisjoint({"not", "noanswer", "win"}) and "?" not in part
        return Guess("agree" if is_agreed else "refuse", sure, part)
    if place.match and name in ELSEWHERE and not named.games and meanings.isdisjoint({"play", "game"}):
        return None
    rivals = named.addresses or [each for each in named.people if place.is_player(each) and not place.match]
    if rivals and "challenge" in possible and name in PLAYS:
        return Guess("challenge", max(sure, CERTAIN), part)
    if "othergame" in meanings and not named.games and name in PLAYS and "wrong_game" in possible:
        return Guess("wrong_game", sure, part)
    gap = sure - others[0][1] if others else sure
    if any({name, *(other for other, _ in others[:1])} <= alike for alike in ALIKE):
        return Guess(name, sure, part)
    return Guess(name, min(sure, 2 * gap), part)

"""What a message in plain sentences seems to want. Nothing here acts: `commands_for_wishes` says what it comes to.

`wish_classifier` guesses what is wanted, `sentence_entities` reads what is named; the words for both are in
phrases.toml.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary, wish_classifier
from pbem.conversation.syntax.commands_for_wishes import LONGEST, Guess, Place, Reading, reading_of
from pbem.conversation.syntax.sentence_entities import CONDITION_CELLS, Named
from pbem.conversation.syntax.vocabulary import group
from pbem.matches.turns_in_text import apart, cells_in

MOST_LINES, LONGEST_LINE, MOST_SENTENCES, MOST_WISHES = 12, 1_000, 10, 4  # of a message that is read
SURE, ASKED, GAP = 4.5, 0.5, 3
"""How much more a sentence must resemble an act, or a question, than nothing, and a third of it than the next."""
CERTAIN, BESIDE = 17.0, 0.6  # how sure what is named makes a wish; and the share of that for a second in its sentence
REPLIES = (("yes", "accept"), ("no", "decline"))  # what the words for these mean
IN_CLAUSE, LEAST_AWAY = 2.4, -12.0
"""How much surer a clause must be; how sure an absence with dates: no "out of office"."""
BACK = 9.0  # how much surer going on is for who was away
MOST_SUPPOSED, FEWEST_WORDS = 3, 3  # of a sentence: wishes that may be answered in case they are meant, and its words
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')  # machines return our messages, which have commands in quotes


def sentences_in(lines: Iterable[str]) -> list[str]:
    """Return the sentences of a text; none of a long one, which isn't written to us."""
    whole: list[str] = []
    written = [_QUOTED.sub(" ", line.strip()[:LONGEST_LINE]) for line in lines if line.strip()]
    for line in written if len(written) <= MOST_LINES else ():
        if whole and line[:1].islower() and whole[-1][-1:].isalnum() and len(whole[-1]) > LONGEST // 10:
            whole[-1] = f"{whole[-1]} {line}"
        else:
            whole.append(line)
    said = (each for line in whole for each in names_in_sentences.SENTENCE_END.split(line) if each.strip())
    return list(said)[:MOST_SENTENCES]


def read(lines: Iterable[str], place: Place) -> Reading:
    """Return what the sentences of a message want, of what can be wanted at its place."""
    said = sentences_in(written := list(lines))
    names = {sentence: sentence_entities.named(sentence, place.today) for sentence in said}
    reader = _Reader(place)
    guesses = [guess for sentence, this in names.items() for guess in reader.of_sentence(sentence, this)]
    is_stray = not (place.player or place.match) and 2 * reader.idle > len(said)
    found = _chosen(guesses)
    wanted, sentences = {guess.wish for guess in found}, [guess.sentence for guess in found]
    named = Named()
    for sentence in (*sentences, *names):
        has_days = sentence in sentences or not wanted.isdisjoint(("away", "more_time"))
        named = named.with_others(names.get(sentence, Named()) if has_days else replace(names[sentence], days=()))
    name = named.name or names_in_sentences.signature(written)
    if name and place.match and not place.player:
        named = replace(named, name=name)
    if name and "my_name" in reader.possible and (named.name or wanted & group("acts") - {"which_game"}):
        named = replace(named, name=name)
        found = [*(guess for guess in found if guess.wish not in ("join", "my_name")), Guess("my_name", CERTAIN, "")]
    return reading_of(found, named, said, {} if is_stray else reader.likely, place)


def _chosen(guesses: list[Guess]) -> list[Guess]:
    """Return the surest guesses that go together: those that are clear, but one of the acts or replies."""
    terms, found = {guess.sentence for guess in guesses if guess.wish == "counter"}, list[Guess]()
    guesses = [guess for guess in guesses if guess.wish not in ("accept", "decline") or guess.sentence not in terms]
    for guess in sorted(guesses, key=lambda guess: -guess.sure):
        only = (each for each in map(group, ("acts", "replies")) if guess.wish in each)
        rivals = {guess.wish}.union(*only)
        is_rival = any(other.wish in rivals for other in found)
        is_second = any(other.sentence == guess.sentence for other in found) and guess.sure < BESIDE * found[0].sure
        if guess.sure >= _least(guess.wish) and not is_rival and not is_second:
            found.append(guess)
    wanted = {guess.wish for guess in found}
    idle = (group("soft") - {"chat"}) | group("alone")
    return [guess for guess in found if guess.wish not in idle or not wanted - idle][:MOST_WISHES]


def _least(name: str) -> float:
    """Return how sure a wish must be."""
    wish = vocabulary.wishes()[name]
    return wish.least or (SURE if wish.line else ASKED)


class _Reader:
    """Guesses what the sentences of a message want, and notes how sure each wish is in the one that has it most."""

    def __init__(self, place: Place) -> None:
        self.place, self.likely, self.idle = place, dict[str, float](), 0  # idle: sentences in which nothing is wanted
        self.before = wish_classifier.FIRST  # what the sentence before resembles
        wishes = filter(place.can_want, vocabulary.wishes().values())
        self.possible = {like: wish.name for wish in wishes for like in (wish.like or wish.name).split()}

    def of_sentence(self, sentence: str, named: Named) -> list[Guess]:
        found = list(self.guesses(sentence, named))
        self.before = wish_classifier.likeliest(sentence, self.place.scene, self.before)
        return found

    def guesses(self, sentence: str, named: Named) -> Iterator[Guess]:
        """Yield what a sentence may want, by what it names and by its words."""
        place, possible = self.place, self.possible
        if wishes := self._of_turn(sentence, named) if len(named.cells) > 1 else []:
            wishes += ["chat"] * bool("chat" in possible and names_in_sentences.told(sentence, place.rival))
            yield from (Guess(wish, CERTAIN, sentence) for wish in wishes)
            for part in vocabulary.pattern("clause").split(sentence) if wishes != ["preview"] else ():
                if not cells_in(apart(part)):
                    yield from (
                        each for each in self.guesses(part, replace(named, cells=())) if each.wish not in wishes
                    )
            return
        plain = sentence.strip(" .!,").lower().replace("\u2019", "'")
        said = [name for kind, name in REPLIES if plain in vocabulary.table("answers")[kind] and name in possible]
        if said and (place.state == "offered" or place.asked):
            yield Guess(possible[said[0]], CERTAIN, sentence)
            return
        if named.addresses and vocabulary.words(sentence_entities.ADDRESS.sub(" ", sentence)) in ([], ["join"]):
            return  # an address is no name, and nobody is invited by it alone
        if named.name and "my_name" in possible:
            yield Guess("my_name", SURE, sentence)
        if names_in_sentences.told(sentence, place.rival):
            yield from [Guess("chat", CERTAIN, sentence)] * ("chat" in possible)
            asides = vocabulary.pattern("clause").split(sentence)
            for part in (sentence, *(each for each in asides if not names_in_sentences.told(each, place.rival))):
                settled = self._settled(part, self._ranked(part), named)
                is_reply = settled is not None and settled.wish in ("accept", "decline")
                is_own = settled is not None and part is not sentence and settled.sure >= IN_CLAUSE * SURE
                yield from [settled] if settled and (is_reply or is_own) else []
            return
        bare = names_in_sentences.naming(sentence)[1] if named.name else sentence
        if named.name and len(bare.split()) < FEWEST_WORDS:
            return  # a name alone
        whole = self._ranked(bare)
        is_clear = any(sure >= SURE and name not in group("soft") for name, sure in whole[:1])
        if "chat" in possible and names_in_sentences.addressed(bare, place.rival) and not is_clear:
            yield Guess("chat", CERTAIN, sentence)
        self.idle += not whole or whole[0][1] <= 0
        meanings = vocabulary.meanings("words", sentence)
        is_other = {*named.games} - {place.game} and "but" in meanings and "?" not in sentence
        is_time = bool(named.time) and ("but" in meanings or "?" in sentence)
        if "counter" in possible and (is_other or is_time) and "how" not in vocabulary.meanings("concepts", sentence):
            yield Guess("counter", CERTAIN, sentence)
        is_absence = len(named.days) > 1 or ("away" in meanings and "not" not in meanings)
        if place.player and named.days and is_absence and dict(whole).get("away", LEAST_AWAY) > LEAST_AWAY:
            yield Guess("away", CERTAIN, sentence)
        for name, sure in whole[:MOST_SUPPOSED] if len(bare.split()) >= FEWEST_WORDS else ():
            self.likely[name] = max(self.likely.get(name, 0.0), sure)
        clauses = (clause for clause in vocabulary.pattern("clause").split(bare) if clause and clause != bare)
        for part, ranked in ((bare, whole), *((clause, self._ranked(clause)) for clause in clauses)):
            if guess := self._settled(part, ranked, named):  # a clause has a wish if its sentence has it, a little
                is_long = len(part.split()) > 1 or guess.wish in group("replies")
                is_own = is_long and guess.sure >= IN_CLAUSE * SURE and dict(whole)[ranked[0][0]] > 0
                yield from [replace(guess, sentence=sentence, part=part)] * (part is bare or is_own)

    def _of_turn(self, sentence: str, named: Named) -> list[str]:
        """Return what is wanted with the turns that a sentence has; nothing where that isn't clear."""
        likely = [name for name, sure in self._ranked(sentence)[:1] if sure >= SURE]
        if "preview" in likely and len(sentence.split()) >= FEWEST_WORDS:
            return ["preview"]
        if named.is_condition and "condition" in self.possible:
            return ["turn_words", "condition"] if len(named.cells) > CONDITION_CELLS else ["condition"]
        return ["turn_words"] * ("turn_words" in self.possible and not sentence_entities.is_negated(sentence))

    def _ranked(self, part: str) -> list[tuple[str, float]]:
        recognised = wish_classifier.recognised(part, self.place.scene, self.before)
        found = ((self.possible.get(name, ""), sure) for name, sure in recognised)
        wishes, is_back = vocabulary.wishes(), self.place.is_back
        ranked = ((name, sure + BACK * is_back(wishes[name])) for name, sure in found if name)
        surest = dict(sorted(ranked, key=lambda each: each[1]))  # several can be like one
        return sorted(surest.items(), key=lambda each: -each[1])

    def _settled(self, part: str, ranked: list[tuple[str, float]], named: Named) -> Guess | None:
        """Return the wish that a part of a sentence has for sure: what it names can decide where words don't."""
        if not ranked or ranked[0][1] < _least(ranked[0][0]):
            return None
        place, possible = self.place, self.possible
        (name, sure), *others = (each for each in ranked if each[1] >= _least(each[0]))
        if name == "misdirected" and (named.cells or named.games):
            return None
        said = vocabulary.meanings("words", part)
        is_reply = name in group("replies") and name != "counter"
        if is_reply and (("?" in part and len(part.split()) > FEWEST_WORDS) or vocabulary.pattern("if").match(part)):
            return None  # "if I say yes, who sees my address?"
        games = {*named.games} - {place.game} if is_reply or "but" in said or place.state == "offered" else set()
        is_other = bool(games or ((named.begin or named.time or named.span) and "but" in said))
        if is_other and "counter" in possible and (is_reply or name in group("plays")):
            return Guess("counter", sure, part)
        rivals = named.addresses or [each for each in named.people if place.is_player(each) and not place.match]
        if rivals and "challenge" in possible and name in group("plays"):
            return Guess("challenge", max(sure, CERTAIN), part)
        if name == "challenge" and not (named.people or {"friend", "opponent"} & vocabulary.meanings("concepts", part)):
            name = next((other for other, _ in others if other in group("plays")), name)  # "I'd like to play quadrupel"
        if name == "easy_game" and named.level:
            name = "play_house"
        gap = sure - others[0][1] if others else sure
        near = {name, *(other for other, _ in others[:1])}
        is_alike = any(near <= group(alike) for alike in vocabulary.table("groups")["alike"])
        return Guess(name, sure if is_alike else min(sure, GAP * gap), part)

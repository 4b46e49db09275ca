"""What a message in plain sentences seems to want. Nothing here acts: `commands_for_wishes` says what it comes to.

`wish_classifier` guesses what is wanted, `sentence_entities` reads what is named; the words for both are in
phrases.toml.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary, wish_classifier
from pbem.conversation.syntax.commands_for_wishes import LONGEST, Guess, Place, Reading, is_doubtful, reading_of
from pbem.conversation.syntax.sentence_entities import CONDITION_CELLS, Named
from pbem.conversation.syntax.vocabulary import group
from pbem.matches.turns_in_text import apart, cells_in

MOST_LINES, LONGEST_LINE, MOST_SENTENCES, MOST_WISHES = 12, 1_000, 10, 3  # of a message that is read
SURE, GAP = 5.8, 3  # how much more a sentence must resemble a wish than none, and a third of it than the next
EACH_MORE, FEW_SENTENCES = 1.1, 3  # how much surer it must be for each sentence beside a few, and how many these are
CERTAIN, BESIDE, ANOTHER, ANOTHER_ASKED = 17.0, 0.6, 0.4, 0.3
"""How sure what is named makes a wish; and the share of that for a second one: beside it, an act, or a question."""
ON_TERMS, REPLIES = 1.5, (("yes", "accept"), ("no", "decline"))
"""How much surer a bare yes or no must be than that it depends on other terms; and what the words for these mean."""
IN_CLAUSE, LEAST_OF_CLAUSE, LEAST_AWAY = 1.8, -3.0, -9.0
"""How much surer a clause must be; how sure its sentence at least, and an absence with dates: no "out of office"."""
LIKELY, STRAY = 1.5, 2  # how much surer a wish is at its usual place, and must be from a stranger who mostly wants none
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
    guesses = [guess for sentence, this in names.items() for guess in reader.guesses(sentence, this)]
    text = " ".join(said)
    about, words = (vocabulary.meanings(each, text) for each in ("concepts", "words"))
    plays = any(this.games for this in names.values()) or not about.isdisjoint(group("playing"))
    invited = [sentence for sentence, this in names.items() if this.addresses]
    if invited and plays and "challenge" in reader.possible:
        guesses = [each for each in guesses if each.wish not in group("plays")]
        guesses.append(Guess("challenge", CERTAIN, invited[0]))
    is_stray = not (plays or place.player or place.match) and 2 * reader.idle > len(said)
    needed = max(SURE + EACH_MORE * max(len(said) - FEW_SENTENCES, 0), STRAY * SURE * is_stray)
    found = _chosen(guesses, needed)
    is_sorry = "not" in about and not about.isdisjoint({"sorry", "notnow"})  # "I'm sorry, I can't. Another time!"
    left_out = group("replies") if "undecided" in words else {"accept"} if is_sorry else ()
    found = [guess for guess in found if guess.wish not in left_out or guess.sure >= CERTAIN]
    is_house = "computer" in about and "?" not in text and not is_stray and "play_house" in reader.possible
    if (
        is_house
        and {guess.wish for guess in found} <= group("alone")
        and any(this.games for this in names.values())
        and place.state in ("", "over")
    ):
        found = [Guess("play_house", needed, said[0])]
    is_kind = place.player and not about.isdisjoint({"thanks", "luck"}) and not re.search(r"[\d?]", text)
    if is_kind and not found and max(reader.likely.values(), default=0) < SURE:
        found = [Guess("thanks", SURE, said[0])]
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


def _chosen(guesses: list[Guess], least: float) -> list[Guess]:
    """Return the surest guess, and others that go with it: clear in their own sentences, or about as sure in its."""
    wishes, found = vocabulary.wishes(), list[Guess]()
    terms = max((guess.sure for guess in guesses if guess.wish == "counter"), default=0)
    plain = max((guess.sure for guess in guesses if guess.wish in ("accept", "decline")), default=0)
    if terms >= CERTAIN or ON_TERMS * terms >= plain:
        guesses = [guess for guess in guesses if guess.wish not in ("accept", "decline")]
    for guess in sorted(guesses, key=lambda guess: -guess.sure):
        beside = [other for other in found if other.sentence == guess.sentence]
        line = wishes[guess.wish].line
        share = BESIDE if beside else ANOTHER if line else ANOTHER_ASKED
        firm = (other.sure for other in beside or found if other.wish not in group("soft") or other.wish == "chat")
        share *= max(firm, default=0) if guess.wish != "my_name" else 0
        acts = {guess.wish, *(other.wish for other in found if wishes[other.wish].line)} - {"chat"}
        is_second = bool(beside and line) and len(acts) > 1 and guess.wish != "stop"
        rivals = {guess.wish}.union(*(only for only in map(group, ("acts", "replies")) if guess.wish in only))
        fits = rivals.isdisjoint(other.wish for other in found) and not is_second
        if fits and guess.sure >= max(least, share) and len(found) < MOST_WISHES and guess.wish != "greeting":
            found.append(guess)
    wanted = {guess.wish for guess in found}
    if "turn_words" in wanted:  # "Any sane person would resign here. I play a4a5."
        found = [guess for guess in found if not wishes[guess.wish].risky]
    idle = {*group("alone")} if len(wanted) > 1 else set[str]()
    covers: dict[str, str] = vocabulary.table("groups")["covers"]
    idle |= {name for wish in wanted for name in covers.get(wish, "").split()}
    if wanted - (group("soft") - {"chat"}) - idle:
        idle |= group("soft") - {"chat"}
    if wanted - {"chat"} and wanted.isdisjoint(group("talked")):  # "May I pass? I can't see the wood for the stones."
        idle |= {guess.wish for guess in found if guess.wish == "chat" and guess.sure < CERTAIN}
    clear = {guess.wish: guess for guess in guesses if guess.sure >= least and not is_doubtful(guess)}
    return [clear.get(guess.wish, guess) for guess in found if guess.wish not in idle]


class _Reader:
    """Guesses what the sentences of a message want, and notes how sure each wish is in the one that has it most."""

    def __init__(self, place: Place) -> None:
        self.place, self.likely, self.idle = place, dict[str, float](), 0  # idle: sentences in which nothing is wanted
        wishes = filter(place.can_want, vocabulary.wishes().values())
        self.possible = {like: wish.name for wish in wishes for like in (wish.like or wish.name).split()}

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
                is_own = is_long and guess.sure >= IN_CLAUSE * SURE and dict(whole)[ranked[0][0]] > LEAST_OF_CLAUSE
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
        found = ((self.possible.get(name, ""), sure) for name, sure in wish_classifier.recognised(part))
        wishes, usual = vocabulary.wishes(), self.place.usual
        ranked = ((name, sure + LIKELY * usual(wishes[name])) for name, sure in found if name)
        surest = dict(sorted(ranked, key=lambda each: each[1]))  # several can be like one
        return sorted(surest.items(), key=lambda each: -each[1])

    def _settled(self, part: str, ranked: list[tuple[str, float]], named: Named) -> Guess | None:
        """Return the wish that a part of a sentence has for sure: what it names can decide where words don't."""
        if not ranked or ranked[0][1] < SURE or (ranked[0][0] == "variant" and named.options):
            return None
        place, possible = self.place, self.possible
        (name, sure), *others = ranked
        meanings = vocabulary.meanings("concepts", sentence_entities.ADDRESS.sub(" ", part))
        said = vocabulary.meanings("words", part)
        if place.asked and name == "draw":
            is_refused = not meanings.isdisjoint({"not", "noanswer", "win"})
            return None if "?" in part and not is_refused else Guess("refuse" if is_refused else "agree", sure, part)
        if place.match and name in group("elsewhere") and not named.games and meanings.isdisjoint({"play", "game"}):
            return None
        is_reply = name in group("replies") and name != "counter"
        if is_reply and (("?" in part and len(part.split()) > FEWEST_WORDS) or vocabulary.pattern("if").match(part)):
            return None  # "if I say yes, who sees my address?"
        games = {*named.games} - {place.game} if is_reply or "but" in said else set()
        is_other = bool(games or ((named.begin or named.time or named.span) and "but" in said))
        if is_other and "counter" in possible and (is_reply or name in group("plays")):
            return Guess("counter", sure, part)
        if place.match and place.state == "offered" and {*named.games} - {place.game} and name in group("plays"):
            return Guess("counter", sure, part) if "counter" in possible else None
        if name in group("plays") | {"accept"} and "before" in said:
            return None
        is_about_rival = "opponent" in meanings or (place.rival and place.rival in vocabulary.words(part))
        if name in group("skill") and is_about_rival and place.level is None and "about_player" in possible:
            return Guess("about_player", sure, part)
        rivals = named.addresses or [each for each in named.people if place.is_player(each) and not place.match]
        if rivals and "challenge" in possible and name in group("plays"):
            return Guess("challenge", max(sure, CERTAIN), part)
        if "othergame" in meanings and not named.games and name in group("plays") and "wrong_game" in possible:
            return Guess("wrong_game", sure, part)
        if name == "easy_game" and named.level:
            name = "play_house"
        if name == "how_works" and place.game and not meanings.isdisjoint(group("playing")):
            name = "rules"
        near = {name, *(other for other, _ in others[:1])}
        is_close = bool(others) and others[0][1] >= BESIDE * sure
        if near == {"rules", "how_works"} and is_close and not (place.game or named.games):
            name = "how_works"  # "what is this"
        if "counter" in near and near <= group("plays") | {"counter"}:
            return Guess("counter", sure, part)
        gap = sure - others[0][1] if others else sure
        is_alike = any(near <= group(alike) for alike in vocabulary.table("groups")["alike"])
        return Guess(name, sure if is_alike else min(sure, GAP * gap), part)

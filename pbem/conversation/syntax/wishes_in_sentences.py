"""What a message in plain sentences seems to want. Nothing here acts: `commands_for_wishes` says what it comes to.

`wish_classifier` guesses what is wanted, `sentence_entities` reads what is named; phrases.toml has their words.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from notation.time_control import parse_duration
from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary, wish_classifier
from pbem.conversation.syntax.commands_for_wishes import LONGEST, Guess, Place, Reading, is_doubtful, reading_of
from pbem.conversation.syntax.sentence_entities import CONDITION_CELLS, Named
from pbem.conversation.syntax.vocabulary import group, meanings
from pbem.matches.turns_in_text import apart, cells_in

MOST_LINES, LONGEST_LINE, MOST_SENTENCES, MOST_WISHES = 12, 1_000, 10, 4  # of a message that is read
ACT, STRAY, ASKED, IN_CLAUSE, BRIEF = 0.5, 0.7, 0.3, 0.75, 0.86
"""How likely an act must be, that of a stranger, a question, what a clause has, and what a word or two want."""
CERTAIN, UNLIKELY, ASIDE = 1.0, 0.1, 0.9  # what is named; what a sentence hardly has; words to pass on beside a wish
MOST_OF_SENTENCE, FEWEST_WORDS = 3, 3  # wishes; and words
_QUOTED = re.compile(r'["\u201c](?:[^"\u201d]*\s[^"\u201d]*|accept|decline|stop|yes|no|help|rules|human)["\u201d]')
"""Machines return our messages, which have commands in quotes; another word may be a name."""


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
    body, signature = names_in_sentences.signed(lines)
    below, reader = sentences_in(body), _Reader(place, signature)
    said = [*(head := [each for each in sentences_in([place.subject]) if each not in below]), *below]
    guesses, names = [guess for sentence in said for guess in reader.of_sentence(sentence)], reader.named
    terms = {each for this in names.values() for each in (*this.games, *this.lengths, this.begin)}
    found = _chosen(guesses, head, has_terms=not terms <= {"", place.game, place.time})
    wanted, sentences = {guess.wish for guess in found}, [guess.sentence for guess in found]
    named = Named(lengths=tuple(each for this in names.values() for each in this.lengths))
    for sentence in (*sentences, *names):
        whole = sentence in sentences or not wanted.isdisjoint(("away", "more_time"))
        named = named.with_others(names.get(sentence, Named()) if whole else replace(names[sentence], days=(), span=""))
    invites = any(guess.wish == "challenge" and guess.sure >= STRAY for guess in found)
    if named.addresses and reader.likely.get("new_address", 0) > ASKED and not invites:
        found = [replace(guess, wish="new_address") if guess.wish in group("addressed") else guess for guess in found]
    elif named.addresses and "challenge" not in wanted and "computer" not in meanings("concepts", " ".join(said)):
        found = [replace(guess, wish="challenge") if guess.wish in group("friendly") else guess for guess in found]
    if len({parse_duration(each) for each in (named.time, place.time) if each}) > 1:  # "yes, but 5 days a move"
        found = [replace(guess, wish="counter") if guess.wish == "accept" else guess for guess in found]
    name = named.name or reader.author or next(filter(None, map(names_in_sentences.likeliest_name, reader.naming)), "")
    joins = "my_name" in reader.possible and (name != reader.author or bool(wanted & group("acts") - {"which_game"}))
    if name and (joins or (place.match and not place.player)):
        named = replace(named, name=name)
    if name and joins:
        found = [*(guess for guess in found if guess.wish not in ("join", "my_name")), Guess("my_name", CERTAIN, "")]
    return reading_of(found, named, [each for each in said if each not in reader.naming], reader.likely, place)


def _chosen(guesses: list[Guess], head: list[str], *, has_terms: bool) -> list[Guess]:
    """Return the surest guesses that go together: of the acts and of the replies one."""
    below = [guess for guess in guesses if guess.sentence not in head or guess.wish not in group("acts")]
    guesses = below if {guess.wish for guess in below} - group("soft") - group("alone") else guesses
    order = {"counter": -2 * has_terms, "decline": -1, "join": 1}  # a "yes, but" is no yes, and whoever plays joins
    least = STRAY * any(guess.wish == "accept" for guess in guesses)
    firm, found = [guess for guess in guesses if guess.wish != "counter" or guess.sure >= least], list[Guess]()
    likely = sorted(firm, key=lambda guess: (guess.is_aside, -guess.sure))
    for guess in sorted(likely, key=lambda guess: (is_doubtful(guess), order.get(guess.wish, 0))):
        rivals = {guess.wish}.union(*(its for its in map(group, ("acts", "replies", "addressed")) if guess.wish in its))
        if guess.wish == "chat" or not any(other.wish in rivals for other in found):
            found.append(guess)
    wanted = {guess.wish for guess in found}
    if wanted & group("learning"):  # whoever wants to know the game doesn't turn it down
        found = [guess for guess in found if guess.wish != "decline" or guess.sure >= ASIDE]
    least = (CERTAIN if "turn_words" in wanted else ASIDE) if wanted - group("soft") else 0
    found = [guess for guess in found if guess.wish != "chat" or guess.sure >= least]
    idle = (group("soft") - {"chat"}) | group("alone")
    kept = list(dict.fromkeys(guess.wish for guess in found if guess.wish not in idle or not wanted - idle))
    return [guess for guess in found if guess.wish in kept[:MOST_WISHES]]


class _Reader:
    """Guesses what the sentences of a message want, and notes how likely each wish is in the one that has it most."""

    def __init__(self, place: Place, author: str) -> None:
        self.place, self.author, self.likely = place, author, dict[str, float]()
        self.before, self.naming, self.named = wish_classifier.FIRST, list[str](), dict[str, Named]()
        wishes = filter(place.can_want, vocabulary.wishes().values())
        self.possible = {like: wish.name for wish in wishes for like in (wish.like or wish.name).split()}

    def of_sentence(self, sentence: str) -> list[Guess]:
        named = sentence_entities.named(sentence, self.place.today)
        ranked = wish_classifier.recognised(sentence, self.place.scene, self.before)
        label, is_sure = ranked[0][0] if ranked else wish_classifier.NOTHING, sum(dict(ranked).values()) < 1 / IN_CLAUSE
        is_myself = any(said in sentence.lower() for said in vocabulary.table("names")["myself"])
        name, self.author = named.name * (label in group("naming")), named.name * is_myself or self.author
        self.named[sentence] = replace(named, name=name, level="" if name and label == "my_name" else named.level)
        found = list(self.guesses(sentence, self.named[sentence]))
        self.before, self.naming = label, self.naming + [sentence] * (is_sure and label == "my_name")
        return found

    def guesses(self, sentence: str, named: Named) -> Iterator[Guess]:
        """Yield what a sentence may want, by what it names and by its words."""
        place, possible = self.place, self.possible
        clauses = [clause for clause in vocabulary.pattern("clause").split(sentence) if clause and clause != sentence]
        if wishes := self._of_turn(sentence, named) if len(named.cells) > 1 else []:
            wishes += ["chat"] * bool("chat" in possible and names_in_sentences.told(sentence, place.rival))
            yield from (Guess(wish, CERTAIN, sentence) for wish in wishes)
            for part in (sentence, *clauses) if wishes != ["preview"] else ():
                if not cells_in(apart(part)):
                    further = self.guesses(part, replace(named, cells=()))
                    yield from (each for each in further if each.wish not in wishes)
            return
        if named.addresses and vocabulary.words(sentence_entities.ADDRESS.sub(" ", sentence)) in ([], ["join"]):
            return  # an address is no name, and nobody is invited by it alone
        whole = self._ranked(sentence)
        is_told = names_in_sentences.told(sentence, place.rival) != ""
        is_clear = any(chance >= ACT and name not in group("soft") for name, chance in whole[:1])
        if "chat" in possible and (is_told or (names_in_sentences.addressed(sentence, place.rival) and not is_clear)):
            yield Guess("chat", CERTAIN, sentence)
        for name, chance in whole[:MOST_OF_SENTENCE] if len(sentence.split()) >= FEWEST_WORDS and not is_told else ():
            self.likely[name] = max(self.likely.get(name, 0.0), chance)
        for part in (sentence, *clauses):
            is_aside, is_long = part is not sentence, len(part.split()) > 1
            for guess in self._settled(part, self._ranked(part) if is_aside else whole, named):
                is_reply = guess.wish in group("replies")
                is_own = guess.sure >= IN_CLAUSE and dict(whole).get(guess.wish, 0) > UNLIKELY
                is_own &= guess.wish != "agree" or not sentence_entities.is_negated(part)  # "I don't accept yet"
                is_clause = (is_long or is_reply) and is_own and not names_in_sentences.told(part, place.rival)
                is_meant = is_clause if is_aside else is_reply or not is_told
                yield from [replace(guess, sentence=sentence, part=part, is_aside=is_aside)] * is_meant

    def _of_turn(self, sentence: str, named: Named) -> list[str]:
        """Return what is wanted with the turns that a sentence has; nothing where that isn't clear."""
        likely = [name for name, chance in self._ranked(sentence)[:1] if chance >= ACT]
        if "preview" in likely and len(sentence.split()) >= FEWEST_WORDS:
            return ["preview"]
        if named.is_condition and "condition" in self.possible:
            return ["turn_words", "condition"] if len(named.cells) > CONDITION_CELLS else ["condition"]
        return ["turn_words"] * ("turn_words" in self.possible and not sentence_entities.is_negated(sentence))

    def _ranked(self, part: str) -> list[tuple[str, float]]:
        """Return what can be wanted here, the likeliest first, and how likely it is."""
        chances = dict[str, float]()
        for name, chance in wish_classifier.recognised(part, self.place.scene, self.before):
            wish = self.possible.get(name, wish_classifier.NOTHING)  # several can be like one
            chances[wish] = chances.get(wish, 0.0) + chance
        whole = sum(chances.values())
        return sorted(((name, chance / whole) for name, chance in chances.items()), key=lambda each: -each[1])

    def _settled(self, part: str, ranked: list[tuple[str, float]], named: Named) -> Iterator[Guess]:
        """Yield the wishes that a part of a sentence has for sure; of those that are alike, the likeliest for all."""
        chances, settled = dict(ranked), set[str]()
        for name, _ in ranked[:MOST_OF_SENTENCE]:
            alike = {name}.union(*(each for each in map(group, vocabulary.table("groups")["alike"]) if name in each))
            wish, chance = vocabulary.wishes()[name], sum(chances.get(each, 0) for each in alike)
            least = wish.least or ((ACT if self.place.player or self.place.match else STRAY) if wish.line else ASKED)
            least = ASKED if name == "counter" and {*named.games} - {self.place.game} else least
            least = least if len(part.split()) >= FEWEST_WORDS else max(least, BRIEF)
            if name in settled or chance < least:
                continue
            settled |= alike
            is_void = name == "join" and not {"not", "before"}.isdisjoint(meanings("words", part))
            if name not in group("idle") and not (is_void or (name == "misdirected" and (named.cells or named.games))):
                yield Guess(self._meant(part, name, named), chance, part)

    def _meant(self, part: str, name: str, named: Named) -> str:
        """Return what a likely wish comes to by what is named."""
        place, possible = self.place, self.possible
        if place.level is not None and name in group("again"):
            return "rematch"  # at the level that is named, or the same
        said = meanings("words", part)
        is_reply = name in group("replies") and name != "counter"
        games = {*named.games} - {place.game} if is_reply or "but" in said or place.state == "offered" else set()
        is_other = bool(games or ((named.begin or {*named.lengths} - {place.time}) and "but" in said))
        if is_other and "counter" in possible and (is_reply or name in group("plays")):
            return "counter"
        if name in group("begins") and "othergame" in meanings("concepts", part) and not named.games:
            return "wrong_game"
        rivals = named.addresses or [each for each in named.people if place.is_player(each) and not place.match]
        if rivals and "challenge" in possible and name in group("plays"):
            return "challenge"
        return "play_house" if name == "easy_game" and named.level else name

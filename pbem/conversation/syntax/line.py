"""One line of a message -> a command, or None for prose. Nothing is executed here.

A line is a command if its first word is one, or if it starts like a turn. Otherwise it is read once more without
courtesies, and counts if nothing is left to guess.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from notation.games import GAMES, GamePack
from pbem.conversation.command import Command, Commands, Line
from pbem.conversation.syntax import courtesies, names_in_sentences
from pbem.conversation.syntax.arguments import CONDITION, GAME, MATCH_THEN, TURN, shape
from pbem.conversation.syntax.prose_or_turn import cells, is_board_or_record, is_sentence
from pbem.errors import Refused
from pbem.matches import condition_parsing, turn_parsing

NUMBER = re.compile(r"#?(\d{1,9})(?:#(\d{1,4}))?(?:\s+|$)")
ADDRESSED = re.compile(r"#\s?(\d{1,9})(?:#(\d{1,4}))?(?:\s*[:,;.)\]]+(?=\s|$)|(?=\s|$))\s*")
"""The number of a match at the beginning of a line: the line is about that match, and never words."""
NAMED = re.compile(r"(?<!\S)#(\d{1,9})\b")
MAY_BEGIN = re.compile(r"(?<![\w#])(?:[~@]?[a-z]\d|\d{1,2}\s)", re.IGNORECASE)
MOST_BEGINNINGS = 6  # at how many places of a line a turn is looked for among words
TURN_NUMBER = re.compile(r"\s*#(\d{1,4})$")
AROUND = "\"'`*<>[](){}.,:;!?"  # what may stand around a name
MOST_NAMES = 3  # how many words somebody's name may have; more are no name
MOST_GAMES = 6  # in how many games a turn is looked for, where nothing says which match it is for

GameOf = Callable[[int], GamePack | None]
"""Returns the game of a match by number, or None if there is no such match, or its game isn't there."""
Played = Callable[[], Collection[str]]  # returns the keys of the games that the sender plays


class LineReader:
    """Reads one line at a time, in a message about `match`, if it is about one."""

    def __init__(self, commands: Commands, game_of: GameOf, match: int | None, played: Played = lambda: ()) -> None:
        self._commands = commands
        self._game_of = game_of
        self._played = played
        self._match = match
        self._parsed: dict[tuple[str, str, int], turn_parsing.ParsedTurn] = {}

    def line(self, text: str, *, opening: bool, first: bool = False) -> Line | None:
        """Return the line as a command, or None for prose.

        In front of the first command, "please register me as carol" joins; below a command it may be meant for others.
        """
        line = self.exactly(text)
        if line is not None and not line.malformed:
            is_bare = courtesies.BRACKETED.search(line.words) is None
            if self.is_sure(line) if line.command.plays else is_bare:
                return line
        plain, was_quoted = courtesies.plainer(text, opening=opening)
        other = None if is_board_or_record(text) else self.exactly(plain)
        if other is None or (was_quoted and other.command.plays) or (text.endswith("?") and other.command.changes):
            return line
        joins = first and other.command.newcomer_rank == 1 and not other.malformed
        return other if joins or self.is_sure(other) else line

    def exactly(self, text: str) -> Line | None:
        """Return the line as a command exactly as it is, or None for prose."""
        tied = TURN_NUMBER.search(text)
        line = self._untied(text[: tied.start()]) if tied and tied.start() else None
        if tied is not None and line is not None and line.command.plays and not line.malformed:
            return replace(line, text=text, turn_number=int(tied[1]))
        line = self._untied(text)
        if line is None or (line.command.grammar.is_kept and line.text != line.command.usage):
            return line
        stands_for = self._commands.placeholder_in(text)
        if stands_for is None:
            return line
        wrong = Refused(f"Replace {stands_for} with your own word.", read=text, fits=line.command.advice)
        return replace(line, malformed=True, refusal=wrong)

    def _untied(self, text: str) -> Line | None:
        """Like `exactly`, without the number of a turn. Titles of games stand for their keys, but not in free text."""
        words = GAMES.keyed(text)
        line = self._keyed(words, text)
        if words == text or line is None or not line.command.grammar.is_free:
            return line
        return self._keyed(text, text) or line

    def _keyed(self, words: str, text: str) -> Line | None:
        """Return the words as a command, where each game has its key; the text is what the person wrote."""
        match, ply = self._match, None
        pointed = ADDRESSED.match(words)
        if pointed is not None:
            match, ply, words = int(pointed[1]), pointed[2], words[pointed.end() :]
        verb, _, rest = words.partition(" ")
        game = verb.lower().rstrip(":") if rest else ""
        if game in GAMES:
            verb, _, rest = rest.strip().partition(" ")
        else:
            game = ""
        command = self._commands.named(verb.rstrip(":!.") if not rest else verb.rstrip(":"))
        if command is None:
            # "quadraphages c1b1 g9h9 3": a game in front of a bare move does no harm, but "quadrupel c3e5" means it.
            moved = self._move(words, match, text, pointed=pointed is not None)
            if moved is None and game and pointed is None:
                moved = self._move(f"{verb} {rest}", match, text, pointed=False)
            return replace(moved, malformed=True) if moved and ply is not None else moved
        if command.grammar.has(CONDITION):
            return self._condition(command, verb, rest, match, text)
        rest = rest.strip() if command.grammar.is_free or command.of_admin else rest.strip(" .,;!")
        command, rest = self._in_our_words(command, f"{game} {rest}".strip() if command.grammar.has(GAME) else rest)
        if command.newcomer_rank == 1 and rest:
            return self._joining(command, rest, match, is_rognlie=verb.lower() == "signup")
        number = NUMBER.match(rest) if command.of_match and pointed is None else None
        if number and (rest.startswith("#") or self._leads(command, rest, number, has_game=bool(game))):
            match, ply, rest = int(number[1]), number[2], rest[number.end() :].strip()
        given, fits = command.grammar.read(rest), command.grammar.means(rest)
        if rest and command.grammar.is_strict and not (given.fits or fits):
            return None
        is_prose = command.grammar.has(TURN) and bool(rest) and not self._may_be_turn(rest, match)  # "board looks good"
        is_then = ply is not None and not command.grammar.has(MATCH_THEN)
        malformed = is_prose or is_then or not (given.fits or fits)
        return Line(command, given.words, match, text, malformed=malformed, ply=int(ply) if ply else None)

    def _in_our_words(self, command: Command, words: str) -> tuple[Command, str]:
        """Return the command that those words behind that one's name mean, with its own words."""
        for pattern, line in command.grammar.also.items():
            if (found := shape(pattern).fullmatch(words)) is not None:
                verb, _, words = found.expand(line).partition(" ")
                return self._commands.get(verb, command), " ".join(words.split())
        return command, words

    def _condition(self, command: Command, verb: str, rest: str, match: int | None, text: str) -> Line | None:
        """Return the line as a condition, with the word that it begins with; None for prose that begins with it."""
        number = NUMBER.match(rest)
        if number and (rest.startswith("#") or (match is None and self._game_of(int(number[1])) is not None)):
            match, rest = int(number[1]), rest[number.end() :]
        words = f"{verb.lower()} {rest}"
        return Line(command, words, match, text) if condition_parsing.seems_meant(words) else None

    def _joining(self, command: Command, rest: str, match: int | None, *, is_rognlie: bool) -> Line:
        """Rognlie's players write "signup alice PASSWORD": we have no use for the password, and never repeat it."""
        names = [name for word in courtesies.plainer(rest, opening=True)[0].split() if (name := word.strip(AROUND))]
        if len(names) > 1 and (own := names_in_sentences.own_name(f"join {rest}")):
            names = [own]
        if is_rognlie or not all(map(str.isalpha, names)):
            names = names[:1]
        text = " ".join(("join", *names)) if len(names) < MOST_NAMES else "join"
        return Line(command, " ".join(names), match, text, malformed=len(names) != 1)

    def _move(self, words: str, match: int | None, text: str, *, pointed: bool) -> Line | None:
        """Return the line as a turn: readable, readable at its beginning, or after the number of a match."""
        move = self._commands.move
        if pointed:
            word = words.strip().partition(" ")[0].lower()
            if not self._may_be_turn(words, match) and courtesies.nearest_word(word, self._commands.verbs):
                return None  # "#42 resing"
            return Line(move, words.strip(), match, text, malformed=not words.strip())
        if is_board_or_record(words):
            return None
        for turn in self._read_for(words, match):
            begun = words[: turn.length] if match is not None and not is_sentence(words) else ""
            if turn.error is None or (any(map(str.isalpha, begun)) and any(map(str.isdigit, begun))):
                return Line(move, words, match, text)
        return None

    def _may_be_turn(self, rest: str, match: int | None) -> bool:
        """Return whether the text after `move` is meant as a turn: it has digits, or is readable up to its end."""
        return any(map(str.isdigit, rest)) or any(turn.length == len(rest) for turn in self._read_for(rest, match))

    def _leads(self, command: Command, rest: str, number: re.Match[str], *, has_game: bool) -> bool:
        """Return whether a number without # names a match, since turns and notes may start with a number."""
        if not command.grammar.has(TURN) or self._match is None or has_game or number[2]:
            return True
        turn = next(self._read_for(rest, None))
        if turn.error is None or (command.grammar.has(MATCH_THEN) and turn.length > 0):
            return False
        return self._game_of(int(number[1])) is not None

    def is_turn(self, words: str, number: int | None) -> bool:
        """Return whether the words are a turn in some position of that match, or of the one the message is about."""
        return any(turn.error is None for turn in self._read_for(words, number))

    def held_turn(self, text: str) -> str | None:
        """Return the turn that words hold, of the match that they name or of the one the message is about; or None.

        Two squares in a row that the notation can read are enough: "My move is c1b1 g9h9 3."
        """
        number = self.match_named_in(text)
        for begun in islice(MAY_BEGIN.finditer(text), MOST_BEGINNINGS):
            rest = text[begun.start() :].rstrip(" .,;:!?)\"'*")
            lengths = (turn.length for turn in self._read_for(rest, number))
            if held := next((rest[:end] for end in lengths if cells(rest[:end]) > 1), ""):
                return held.strip(" ,")
        return None

    def match_named_in(self, text: str) -> int | None:
        """Return the first match that words name by its number, if there is that match.

        >>> LineReader(Commands(()), {17: GAMES["kvadratik"]}.get, None).match_named_in("I play #17 b3b4, you know")
        17
        """
        numbers = (int(found[1]) for found in islice(NAMED.finditer(text), MOST_BEGINNINGS))
        return next((number for number in numbers if self._game_of(number) is not None), None)

    def _read_for(self, words: str, number: int | None) -> Iterator[turn_parsing.ParsedTurn]:
        """Yield the words as read for that match, or for the one the message is about, or else for likely games."""
        number = self._match if number is None else number
        pack = None if number is None else self._game_of(number)
        for each in [GAMES[key] for key in self._likely] if pack is None else [pack]:
            if (known := (words, each.game.key, each.version)) not in self._parsed:  # once in a message
                self._parsed[known] = turn_parsing.parse(each.notation, words)
            yield self._parsed[known]

    @cached_property
    def _likely(self) -> Sequence[str]:
        """The games in which a turn is looked for, where nothing says which match it is for: the sender's first."""
        return tuple(islice(dict.fromkeys(key for key in (*self._played(), *GAMES) if key in GAMES), MOST_GAMES))

    def is_sure(self, line: Line) -> bool:
        """Return whether nothing is left to guess: no word of the line could be prose."""
        grammar = line.command.grammar
        if line.malformed or (grammar.is_free and not grammar.has(TURN)):
            return False
        if grammar.has(CONDITION):
            return True
        if grammar.has(TURN):
            return self.is_turn(line.words, line.match) or not line.words
        words = line.words.lower().split()
        if grammar.has(GAME) and line.command.changes:
            return any(word in GAMES for word in words)
        return all(word in GAMES or word in self._commands.verbs or NUMBER.fullmatch(word) for word in words)

    def guess(self, text: str) -> Line | None:
        bare = courtesies.plainer(courtesies.without_list_mark(text), opening=True)[0]
        for respelt in (bare, self.respelt(bare)):
            line = self.exactly(respelt)
            if line is not None and not line.malformed:
                return line
        return None

    def respelt(self, text: str) -> str:
        """Return the line with the command and the games that its words are most similar to."""
        words, games = text.split(), frozenset(GAMES)
        at = _place_of_verb(words)
        if at is None:
            return text
        words[at] = _respelt(words[at], self._commands.verbs | games)
        command = self._commands.named(words[at])
        if command is not None and command.grammar.has(GAME):
            words[at + 1 :] = [_respelt(word, games) for word in words[at + 1 :]]
        return " ".join(words)


def _place_of_verb(words: Sequence[str]) -> int | None:
    """Return where the command's name stands, or should: behind the number of a match, and perhaps a game."""
    at = next((place for place, word in enumerate(words) if word and not NUMBER.fullmatch(word)), None)
    return at + 1 if at is not None and words[at].lower() in GAMES and len(words) > at + 1 else at


def _respelt(word: str, known: frozenset[str]) -> str:
    bare = word.lower()
    return word if bare in known else courtesies.nearest_word(bare.strip(".,:;!?"), known) or word

"""One line of a message -> a command, or None for prose. Nothing is executed here.

A line is a command if its first word is one, or if it starts like a turn. Otherwise it is read once more without
courtesies, and counts if nothing is left to guess.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

from notation.games import GAMES, GamePack
from pbem.conversation.command import Command, Commands, Line
from pbem.conversation.syntax import names_in_sentences, prose
from pbem.conversation.syntax.arguments import CONDITION, GAME, MATCH_THEN, TURN, shape
from pbem.errors import Refused
from pbem.matches import condition_parsing, turn_parsing, turns_in_text

NUMBER = re.compile(r"#?(\d{1,9})(?:#(\d{1,4}))?(?:\s+|$)")
ADDRESSED = re.compile(r"#\s?(\d{1,9})(?:#(\d{1,4}))?(?:\s*[:,;.)\]]+(?=\s|$)|(?=\s|$))\s*")
"""The number of a match at the beginning of a line: the line is about that match, and never words."""
NAMED = re.compile(r"(?<!\S)#(\d{1,9})\b")
MAY_BEGIN = re.compile(r"(?<![\w#])(?:[~@]?[a-z]\d|\d{1,2}\s)", re.IGNORECASE)
PLACEHOLDER = re.compile(r"[A-Z]{2,}")  # a word of a usage line that stands for one of the player's
TURN_NUMBER = re.compile(r"(?<=\S)\s*#(\d{1,4})$")
MOST_BEGINNINGS, MOST_GAMES = 6, 6  # at how many places of a line, and in how many games, a turn is looked for

GameOf = Callable[[int], GamePack | None]  # returns the game of a match; None if that match or its game isn't there
Played = Callable[[], Collection[str]]  # returns the keys of the games that the sender plays


class LineReader:
    """Reads one line at a time, in a message about `match`, if it is about one."""

    def __init__(self, commands: Commands, game_of: GameOf, match: int | None, played: Played = lambda: ()) -> None:
        self._commands, self._game_of, self._match = commands, game_of, match
        self._likely = cache(
            lambda: [GAMES[key] for key in dict.fromkeys((*played(), *GAMES)) if key in GAMES][:MOST_GAMES]
        )

    def line(self, text: str, *, opening: bool = False) -> Line | None:
        """Return the line as a command, or None for prose. The first may be quoted, or join: "please register me"."""
        line = self.exactly(text)
        if line is not None and not line.malformed:
            is_plain = self.is_sure(line) if line.command.plays else not prose.BRACKETED.search(line.words)
            if is_plain:
                return line
        bare = prose.without_quotes(text) if opening else text
        other = None if prose.is_board_or_record(text) else self.exactly(prose.without_courtesies(bare))
        if other is None or (other.command.changes and text.endswith("?")) or (bare != text and other.command.plays):
            return line
        joins = opening and other.command.newcomer_rank == 1 and not other.malformed
        return other if joins or self.is_sure(other) else line

    def exactly(self, text: str) -> Line | None:
        """Return the line as a command exactly as it is, or None for prose."""
        tied = TURN_NUMBER.search(text)
        line = self._read(text[: tied.start()]) if tied else None
        if tied and line and line.command.plays and not line.malformed:
            return replace(line, text=text, turn_number=int(tied[1]))
        line = self._read(text)
        if line is None or (line.command.grammar.is_kept and line.text != line.command.usage):
            return line
        stands_for = next(filter(PLACEHOLDER.findall(line.command.usage).__contains__, PLACEHOLDER.findall(text)), None)
        if stands_for is None:
            return line
        wrong = Refused(f"Replace {stands_for} with your own word.", read=text, fits=line.command.advice)
        return replace(line, malformed=True, refusal=wrong)

    def _read(self, text: str) -> Line | None:
        words = text
        match, ply, pointed = self._match, None, ADDRESSED.match(words)
        if pointed is not None:
            match, ply, words = int(pointed[1]), pointed[2], words[pointed.end() :]
        words = words if self._commands.named(words.split(" ")[0].rstrip(":!.")) else GAMES.keyed(words)
        verb, _, rest = words.partition(" ")
        game = key if rest and (key := verb.lower().rstrip(":")) in GAMES else ""
        if game:
            verb, _, rest = rest.strip().partition(" ")
        command = self._commands.named(verb.rstrip(":") if rest else verb.rstrip(":!."))
        if command is None:
            # "quadraphages c1b1 g9h9 3": a game in front of a bare move does no harm, but "quadrupel c3e5" means it.
            tried = (words, f"{verb} {rest}")[: 1 + bool(game)]
            moves = (self._move(each, match, text, pointed=pointed is not None) for each in tried)
            moved = next(filter(None, moves), None)
            return replace(moved, malformed=True) if moved and ply is not None else moved
        is_free = command.grammar.is_free or command.of_admin
        rest = rest.strip() if is_free else GAMES.keyed(rest.strip(" .,;!"))
        command, rest = self._in_our_words(command, f"{game} {rest}".strip() if command.grammar.has(GAME) else rest)
        grammar = command.grammar
        if command.newcomer_rank == 1 and rest:
            return self._joining(command, rest, match, is_rognlie=verb.lower() == "signup")
        number = NUMBER.match(rest) if command.of_match and pointed is None else None
        if number and (rest.startswith("#") or self._leads(command, rest, number, has_game=bool(game))):
            match, ply, rest = int(number[1]), number[2], rest[number.end() :].strip()
        if grammar.has(CONDITION):
            words = f"{verb.lower()} {rest}"
            return Line(command, words, match, text) if condition_parsing.seems_meant(words) else None
        given, fits = grammar.read(rest), grammar.means(rest)
        if rest and grammar.is_strict and not (given.fits or fits):
            return None
        is_prose = grammar.has(TURN) and bool(rest) and not self._may_be_turn(rest, match)  # "board looks good"
        malformed = is_prose or (ply is not None and not grammar.has(MATCH_THEN)) or not (given.fits or fits)
        return Line(command, given.words, match, text, malformed=malformed, ply=int(ply) if ply else None)

    def _in_our_words(self, command: Command, words: str) -> tuple[Command, str]:
        """Return the command that those words behind that one's name mean, with its own words."""
        for pattern, line in command.grammar.also.items():
            if (found := shape(pattern).fullmatch(words)) is not None:
                verb, _, words = found.expand(line).partition(" ")
                return self._commands.get(verb, command), " ".join(words.split())
        return command, words

    def _joining(self, command: Command, rest: str, match: int | None, *, is_rognlie: bool) -> Line:
        """Rognlie's players write "signup alice PASSWORD": we have no use for the password, and never repeat it."""
        names = [name for word in prose.without_courtesies(rest).split() if (name := word.strip("\"'`*<>[](){}.,:;!?"))]
        own = names_in_sentences.own_name(f"join {rest}") if len(names) > 1 else ""
        names = [own] if own else names[: 1 if is_rognlie or not all(map(str.isalpha, names)) else None]
        text = " ".join(("join", *names)) if len(names) < 3 else "join"  # more are no name
        return Line(command, " ".join(names), match, text, malformed=len(names) != 1)

    def _move(self, words: str, match: int | None, text: str, *, pointed: bool) -> Line | None:
        """Return the line as a turn: readable, readable at its beginning, or after the number of a match."""
        move = Line(self._commands.move, words.strip(), match, text, malformed=not words.strip())
        if pointed:
            near = prose.nearest_word(words.strip().partition(" ")[0].lower(), self._commands.verbs)
            return None if near and not self._may_be_turn(words, match) else move  # "#42 resing"
        if prose.is_board_or_record(words):
            return None
        for turn in self._read_for(words, match):
            begun = words[: turn.length] if match is not None and not prose.is_sentence(words) else ""
            if turn.error is None or (any(map(str.isalpha, begun)) and any(map(str.isdigit, begun))):
                return replace(move, words=words)
        return None

    def _may_be_turn(self, rest: str, match: int | None) -> bool:
        """Return whether the text after `move` is meant as a turn: it has digits, or is readable up to its end."""
        return any(map(str.isdigit, rest)) or any(turn.length == len(rest) for turn in self._read_for(rest, match))

    def _leads(self, command: Command, rest: str, number: re.Match[str], *, has_game: bool) -> bool:
        """Return whether a number without # names a match, since turns, conditions and notes may start with one."""
        if command.grammar.has(CONDITION):
            return self._match is None and self._game_of(int(number[1])) is not None
        if not command.grammar.has(TURN) or self._match is None or has_game or number[2]:
            return True
        turn = next(self._read_for(rest, None))
        is_whole = turn.error is None or (command.grammar.has(MATCH_THEN) and turn.length > 0)
        return not is_whole and self._game_of(int(number[1])) is not None

    def is_turn(self, words: str, number: int | None) -> bool:
        """Return whether the words are a turn in some position of that match, or of the one the message is about."""
        return any(turn.error is None for turn in self._read_for(words, number))

    def held_turn(self, text: str) -> str | None:
        """Return the turn that words hold, or None: two squares in a row that can be read in the match they name."""
        number = self.match_named_in(text)
        for begun in islice(MAY_BEGIN.finditer(text), MOST_BEGINNINGS):
            rest = text[begun.start() :].rstrip(" .,:;!?)\"'*")
            for turn in self._read_for(rest, number):
                if turns_in_text.cells(held := rest[: turn.length]) > 1:
                    return held.strip(" ,")
        return None

    def match_named_in(self, text: str) -> int | None:
        """Return the first match that words name by its number, if there is that match: "I play #17 b3b4, you know"."""
        numbers = (int(found[1]) for found in islice(NAMED.finditer(text), MOST_BEGINNINGS))
        return next((number for number in numbers if self._game_of(number) is not None), None)

    def _read_for(self, words: str, number: int | None) -> Iterator[turn_parsing.ParsedTurn]:
        """Return the words as read for that match, or for the one the message is about, or else for likely games."""
        number = self._match if number is None else number
        pack = None if number is None else self._game_of(number)
        return (turn_parsing.parse(each.notation, words) for each in (self._likely() if pack is None else [pack]))

    def is_sure(self, line: Line) -> bool:
        """Return whether nothing is left to guess: no word of the line could be prose."""
        grammar = line.command.grammar
        if line.malformed or grammar.has(CONDITION):
            return not line.malformed and condition_parsing.is_plain(line.words)
        if grammar.is_free:
            return grammar.has(TURN) and (self.is_turn(line.words, line.match) or not line.words)
        words = line.words.lower().split()
        if grammar.has(GAME) and line.command.changes:
            return any(word in GAMES for word in words)
        return all(word in GAMES or word in self._commands.verbs or NUMBER.fullmatch(word) for word in words)

    def guess(self, text: str) -> Line | None:
        """Return the command that the line most resembles."""
        bare = prose.without_courtesies(prose.undecorated(text))
        found = (self.exactly(each) for each in (bare, self.respelt(bare)))
        return next((line for line in found if line is not None and not line.malformed), None)

    def respelt(self, text: str) -> str:
        """Return the line with the command and the games that its words are most similar to."""
        words, games = text.split(), frozenset(GAMES)
        known = self._commands.verbs | games
        for at, word in enumerate(words):
            if not (NUMBER.fullmatch(word) or word.lower() in games):
                words[at] = prose.nearest_word(word.lower().strip(".,:;!?"), known) or word
                command = self._commands.named(words[at])
                known = games if known is games or (command and command.grammar.has(GAME)) else frozenset()
        return " ".join(words)

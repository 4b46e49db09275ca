"""Scripted players in many matches at once: they reply whenever it's their turn, sometimes with slips and repeats."""

import random
from dataclasses import replace
from email.message import EmailMessage

from notation.record import Record
from pbem import tokens
from pbem.tokens import Purpose, Token
from tests.operating import matches
from tests.operating.people import written
from tests.reliability.scene import Letter, Scene, refused


class Players:
    """Both sides of some matches; each match repeats the turns of the sample."""

    def __init__(self, scene: Scene, number: int, chance: random.Random) -> None:
        self._scene, self._chance = scene, chance
        self._game: Record = matches.sample()
        self._writing = True
        self._read = 0
        self._played: set[tuple[int, int]] = set()
        for letter in scene.seed(number):
            self._play(letter)

    def stop(self) -> None:
        """Stop writing."""
        self._writing = False

    def have_finished(self) -> bool:
        """Return whether every match has come to the end of its record, and every message was read."""
        last = len(self._game.moves)
        return (
            all((match, last) in self._played for match, _ in self._played)
            and self._read == len(self._scene.post.taken)
            and self._scene.is_quiet()
        )

    def look(self) -> None:
        """Read new messages and reply to them, but not to one that was answered before and comes again."""
        taken = self._scene.post.taken
        while self._writing and self._read < len(taken):
            recipient, mail = taken[self._read]
            self._read += 1
            self._answer(recipient, mail)

    def _answer(self, recipient: str, mail: EmailMessage) -> None:
        token = _token(mail)
        if token is None or token.purpose is not Purpose.PLAY:
            return
        ply = token.ply + 1
        first = self._game.start().turn or 0
        mine = recipient[0] == "xo"[(first + token.ply) % 2]
        if not mine or ply > len(self._game.moves) or (token.subject, ply) in self._played:
            return
        to, turn = mail["Reply-To"].addresses[0].addr_spec, self._game.moves[token.ply]
        opponent = f"{'o' if recipient[0] == 'x' else 'x'}{recipient[1:]}"
        raw = written(recipient, to, f"{turn}\n", Subject=f"Re: {mail['Subject']}")
        self._play(Letter(recipient, to, raw, (token.subject, ply, turn), (recipient, opponent)))

    def _play(self, letter: Letter) -> None:
        """Send the turn: alone, after a slip, twice, again in a new message, or followed by a `say`."""
        assert letter.ply is not None
        match, ply, turn = letter.ply
        self._played.add((match, ply))
        match self._chance.choice(("", "", "", "", "slip", "copy", "again", "say")):
            case "slip":
                self._scene.write(refused(letter), letter)
            case "copy":
                self._scene.write(letter, letter)
            case "again":
                again = written(letter.sender, letter.to, f"{turn}\n\nDid you get my turn?\n")
                self._scene.write(letter, replace(letter, raw=again, ply=None, told=(letter.sender,)))
            case "say":
                says = f"word{len(self._scene.written)}word"
                word = written(letter.sender, letter.to, f"say {says}\n")
                self._scene.write(letter, replace(letter, raw=word, ply=None, says=says))
            case _:
                self._scene.write(letter)


def _token(mail: EmailMessage) -> Token | None:
    """Return the token that a reply to the message would carry."""
    return tokens.parse(mail["Reply-To"].addresses[0].username.partition("+")[2])

"""A whole match by mail, through a real server; and its messages as a golden file in the author's repository."""

import random
import re
import tempfile
from email.message import EmailMessage
from itertools import zip_longest
from pathlib import Path

from structlog.testing import capture_logs

from engines.core import Outcome
from notation import record
from notation.core import BadNotation
from notation.games import GamePack
from pbem.conformance import Nonconforming, require
from pbem.conformance.engine import near_misses, refused
from pbem.conformance.server_harness import Letters, letters, text
from pbem.messages.templating import WIDTH

READABLE = 60
"""The most turns of a match; a longer one ends with a resignation."""
MOST_WRITTEN = 50_000
"""How many turns are written down to find such a match."""
MOST = 100_000
"""The most bytes of a message without its attachments: Gmail cuts longer ones."""
WHO = ("alice", "bob")
TOKEN = re.compile(r"games\+[a-z2-7]{40}@")


def a_match_goes_by_mail(pack: GamePack, seed: int = 0) -> None:
    """Two people play a match by mail from the challenge to the end, and read its record."""
    transcript(pack, seed)


def messages_stay_as_they_are(pack: GamePack, golden: Path, *, write: bool = False) -> None:
    """The messages of a match are those in the golden file."""
    messages = transcript(pack)
    if write:
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(messages, encoding="utf-8")
    require(golden.is_file(), f"There is no {golden.name}: PBEM_GOLDEN=write pytest writes it.")
    lines = messages.splitlines(), golden.read_text(encoding="utf-8").splitlines()
    for number, (now, then) in enumerate(zip_longest(*lines, fillvalue=""), start=1):
        require(
            now == then,
            f"Line {number} of {golden.name} is different now: {now!r}, not {then!r}."
            " If that is what you want, write it anew with PBEM_GOLDEN=write pytest, and review the changes.",
        )


def transcript(pack: GamePack, seed: int = 0) -> str:
    """Play a match by mail; return its messages that differ between games, as text."""
    turns, outcome = drawn(pack, seed)
    with tempfile.TemporaryDirectory(prefix="pbem-game-") as folder, capture_logs(), letters(Path(folder)) as post:
        post.match(f"challenge bob {pack.game.key}")
        (page,) = post.write("alice@mail.example", f"rules {pack.game.key}")
        require(pack.title.upper() in text(page), "The command for the rules doesn't show the page.")
        post.received["alice@mail.example"].pop()  # turns reply to the message with the board
        messages = [post.received["bob@mail.example"][2], *map(post.last, WHO)]
        messages += _refused(pack, post, turns)
        for number, turn in enumerate(turns):
            sent = post.reply(post.last(_mover(post)), turn)
            require(len(sent) == len(WHO), f"After turn {number + 1}, {turn}, the server sent {len(sent)} messages.")
            messages += sent if number == 0 else []
        if outcome is None:
            (question,) = post.reply(post.last(_mover(post)), "resign")
            post.reply(question, "yes")
        ends = [*map(post.last, WHO)]
        (answer,) = post.reply(post.last("alice"), "record 1")
        _require_end(pack, ends, answer, turns, outcome)
        for mail in (mail for direction, mail in post.log if direction == "out"):
            files = sum(len(part.as_bytes()) for part in mail.iter_attachments() if part.is_attachment())
            size = len(mail.as_bytes())
            require(size - files < MOST, f'The message "{mail["Subject"]}" has {size:,} bytes.')
            for line in text(mail).splitlines():
                require(len(line) <= WIDTH, f'A line of the message "{mail["Subject"]}" is too long: {line}')
    return "\n".join(_readable(mail) for mail in (*messages, *ends, answer))


def drawn(pack: GamePack, seed: int = 0) -> tuple[tuple[str, ...], Outcome | None]:
    """Return the turns of a random match with the usual options and how it ended: the first one that is readable.

    If none is, its first turns, and None.
    """
    first: tuple[str, ...] = ()
    written = 0
    while written < MOST_WRITTEN or not first:
        chance = random.Random(f"{pack.game.key} {seed} {written}")  # noqa: S311 - the same match on every call
        position = pack.game.position({})
        turns: list[str] = []
        while position.turn is not None and len(turns) < READABLE:
            texts = sorted(pack.notation.format(move, position) for move in position.moves())
            written += len(texts)
            turns.append(chance.choice(texts))
            position = position.play(pack.notation.parse(turns[-1]))
        if position.turn is None:
            return tuple(turns), position.outcome
        first = first or tuple(turns)
    return first, None


def _mover(post: Letters) -> str:
    asked = [name for name in WHO if text(post.last(name)).startswith("Your turn against ")]
    require(len(asked) == 1, f"{len(asked)} players are asked for a turn.")
    return asked[0]


def _refused(pack: GamePack, post: Letters, turns: tuple[str, ...]) -> list[EmailMessage]:
    """Send a turn that the rules forbid, if there is one like the first; return the answer."""
    start = pack.game.position({})
    for wrong in near_misses(turns[0]):
        try:
            refusal = refused(start, pack.notation.parse(wrong))
        except BadNotation:
            continue
        if refusal is not None:
            sent = post.reply(post.last(_mover(post)), wrong)
            answer = " ".join(text(mail) for mail in sent)
            require(len(sent) == 1 and wrong in answer, f"The forbidden turn {wrong} isn't answered.")
            post.received[str(sent[0]["To"])].pop()
            return sent
    return []


def _require_end(
    pack: GamePack, ends: list[EmailMessage], answer: EmailMessage, turns: tuple[str, ...], outcome: Outcome | None
) -> None:
    for mail in ends:
        words = " ".join(text(mail).split())
        require("The match is over" in words, f"The last message to {mail['To']} doesn't say that the match is over.")
        if outcome is not None:
            require(outcome.reason in words, f'The last message to {mail["To"]} doesn\'t say why: "{outcome.reason}".')
    try:
        read = record.loads(text(answer).replace("\r\n", "\n"))
    except record.BadRecord as bad:
        raise Nonconforming(f"The record of the match can't be read: {bad}.") from bad
    require((read.game, read.moves) == (pack.game.key, turns), "The record of the match has other turns.")


def _readable(mail: EmailMessage) -> str:
    said = TOKEN.sub("games+...@", "\n".join(line.rstrip() for line in text(mail).splitlines()))
    return f"<<< to {mail['To']}\nSubject: {mail['Subject']}\n\n{said}\n"

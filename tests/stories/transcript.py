"""A correspondence as readable text: every message in and out, with random and secret values replaced.

What was shown before isn't repeated. A quoted message is one line. A message of ours that is mostly like one shown in
full before, in this story or in one of the stories before it, is shown as the difference: "~" in place of a line of
the other message, "-" a line that is gone, "+" a new one, which follows the line shown without a sign.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from email.message import EmailMessage
from functools import cache
from heapq import nlargest
from pathlib import Path

from pbem import tokens
from tests.correspondence import quoted, text

HERE = Path(__file__).parent
SENDER = "PBeM <games@pbem.example>"
TOKEN = re.compile(r"games\+([a-z2-7]{40})@")
FOOT = re.compile(r'\s+To get no more of these messages, reply "stop[a-z ]*"\.(?=\s*$)')
"""The same below all news; tests/templates/mails has it."""
DELETED = re.compile(r"(?<=\bdeleted-)[0-9]+")
HEAD = re.compile(r"^(?:>>>|<<<) ([0-9]+) (?:from|to) [^,\n]*?(, like .*)?$\n", flags=re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of ours that is shown in full."""

    name: str
    lines: list[str]


def transcript(
    log: Sequence[tuple[str, EmailMessage]], stories: Sequence[str] = (), only: Collection[int] | None = None
) -> str:
    """Return all messages in order, or only those with these numbers; `stories` are those before this one."""
    before = [shown for story in stories for shown in _shown_in(story)]
    here: list[Shown] = []
    numbers = _Numbers()
    told = []
    named = {mail["Message-ID"]: (number, mail) for number, (_, mail) in reversed([*enumerate(log, start=1)])}
    for number, (way, mail) in enumerate(log, start=1):
        if only and number not in only:
            continue
        lines = numbers.replaced("\n".join(_lines(way, mail, named))).splitlines()
        if way == "in":
            head = f">>> {number} from {mail['From']}"
        elif short := _shortened(lines, [*here, *before]):
            head = f"<<< {number} to {mail['To']}, like {short.name}"
            lines = short.lines
        else:
            head = f"<<< {number} to {mail['To']}"
            here.append(Shown(str(number), lines))
        told.append("\n".join((head, *lines, "")))
    return "\n".join(told)


def _lines(way: str, mail: EmailMessage, named: Mapping[str, tuple[int, EmailMessage]]) -> Iterator[str]:
    """Yield the headers except those in the first line, and the text, without the quoted message and the foot."""
    body = text(mail) if way == "in" else FOOT.sub("", text(mail))
    if way == "in":
        yield f"To: {mail['To']}"
        if mail["In-Reply-To"] in named:
            number, earlier = named[mail["In-Reply-To"]]
            lines = len(FOOT.sub("", text(earlier)).splitlines())
            body = body.replace(quoted(earlier), f"> [{number}, quoted: {lines} lines]")
    elif mail["From"] != SENDER:
        yield f"From: {mail['From']}"
    if mail["Subject"]:
        yield f"Subject: {mail['Subject']}"
    if way == "out":
        thread = "threaded" if mail["References"] else "a new thread"
        yield f"Reply-To: {mail['Reply-To']} ({mail['Auto-Submitted']}, {thread})"
    yield ""
    yield from (line.rstrip() for line in body.rstrip().splitlines())


def _shortened(lines: list[str], known: list[Shown]) -> Shown | None:
    """Return the difference from the most similar message, with its name; nothing if that isn't much shorter."""
    mine = {*lines}
    near = nlargest(5, known, key=lambda shown: len(mine.intersection(shown.lines)))
    found = [Shown(shown.name, list(_difference(shown.lines, lines))) for shown in near]
    best = min(found, key=lambda short: len(short.lines), default=None)
    return best if best and 2 * len(best.lines) < len(lines) else None


def _difference(old: list[str], new: list[str]) -> Iterator[str]:
    for kind, old1, old2, new1, new2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "insert" and old1:
            yield f"  {old[old1 - 1]}".rstrip()
        if old2 - old1 != new2 - new1:
            yield from (f"- {line}".rstrip() for line in old[old1:old2])
            yield from (f"+ {line}".rstrip() for line in new[new1:new2])
        elif kind != "equal":
            yield from (f"~ {line}".rstrip() for line in new[new1:new2])


@cache
def _shown_in(story: str) -> tuple[Shown, ...]:
    """Return the messages of ours that are shown in full in a golden file."""
    parts = HEAD.split((HERE / f"{story}.txt").read_text(encoding="utf-8"))[1:]
    return tuple(
        Shown(f"{number} of {story}", body.rstrip("\n").splitlines())
        for number, short, body in zip(*(iter(parts),) * 3, strict=True)
        if not short
    )


class _Numbers(dict[tuple[str, int], int]):
    """The ids in tokens and of deleted players, numbered as they appear: databases give them differently."""

    def __missing__(self, key: tuple[str, int]) -> int:
        self[key] = 1 + sum(kind == key[0] for kind, _ in self)
        return self[key]

    def replaced(self, words: str) -> str:
        """Return the words with readable tokens."""
        return DELETED.sub(lambda found: str(self["player", int(found[0])]), TOKEN.sub(self._readable, words))

    def _readable(self, found: re.Match[str]) -> str:
        token = tokens.parse(found[1])
        assert token is not None
        kind = token.purpose.name.lower()
        subject = self[kind, token.subject] if token.subject else 0
        return f"games+[{kind} player {self['player', token.player]} {subject}.{token.ply}]@"

"""The seeds of the fuzzers: real messages, bounces, commands, turns and records."""

from collections.abc import Iterator
from pathlib import Path

from tests.bounces import KINDS
from tests.correspondence import parsed
from tests.hostile import HEAD, MAILS

ROOT = Path(__file__).parent.parent.parent
SMALL = 4_000
OURS = b"From: games@pbem.example\nTo: bob@mail.example\nSubject: x\nMessage-ID: <0@pbem.example>\n\nhello\n"
SENDERS = (
    b"Authentication-Results: mx.example; dkim=pass header.d=mail.example; spf=pass smtp.mailfrom=a@mail.example\n",
    b"Authentication-Results: mx.example (c (d)); dmarc=pass (p=none) header.from=mail.example\n",
    b"DKIM-Signature: v=1; a=rsa-sha256; d=mail.example; s=x; h=from:to:subject:date:message-id; bh=AAAA; b=AAAA\n",
)


def mails() -> Iterator[bytes]:
    """Yield messages of all kinds."""
    for path in sorted((ROOT / "tests" / "mails").glob("*.eml")):
        yield path.read_bytes()
    yield from (make() for make in MAILS.values() if len(make()) <= SMALL)
    yield from bounces()
    yield from (above + HEAD + b"Date: Mon, 2 Mar 2026 00:00:00 +0000\n\nhelp\n" for above in SENDERS)


def bounces() -> Iterator[bytes]:
    """Yield bounces of a message."""
    for make in KINDS.values():
        yield make(parsed(OURS))


def lines() -> Iterator[bytes]:
    """Yield what people write: the expected lines of messages, old commands, usage lines."""
    for path in sorted((ROOT / "tests" / "mails").glob("*.txt")):
        yield path.read_bytes()
    yield from (b"join alice", b"challenge bob quadraphages first=o", b"#3 1 a7b7 i3i2", b"show 42#7", b"undo")
    yield from (b"quadraphages move 1 1 a7b7 i3i2", b"say hello\nthere\nend", b"set mail batch", b"resign 3")


def records() -> Iterator[bytes]:
    """Yield records of every game and variant."""
    for path in sorted((ROOT / "tests" / "playthroughs").rglob("*.txt")):
        yield path.read_bytes()[:20_000]
    for path in sorted((ROOT / "tests" / "records").rglob("*.txt")):
        yield path.read_bytes()


def turns() -> Iterator[bytes]:
    """Yield turns as written in records."""
    for text in records():
        yield from text.splitlines()[:40]


def pages() -> Iterator[bytes]:
    """Yield HTML messages, and the beginnings of hostile pages."""
    for path in sorted((ROOT / "tests" / "mails").glob("*html*.eml")):
        yield path.read_bytes().partition(b"\n\n")[2]
    yield from (
        MAILS[name]()[:SMALL] for name in ("elements that overlap", "attributes", "entities", "comments", "forms")
    )


def conditional_moves() -> Iterator[bytes]:
    """Yield conditional moves at the beginning of a match."""
    yield b"if e3f4 then e9f8 then if f4g5 then f8g7\nif d3e4 then b9b8\nelse c9c8"
    yield b"queue e9f8"
    yield b"if 1 a7b7 i3i2 then 3 b7b4 i2f2"


def commands() -> Iterator[bytes]:
    """Yield each command, as players and the admin write it, and with odd words at its end."""
    for written in TRIED:
        begun, _, last = written.rpartition(" ")
        yield from (f"\n{begun} {each}".encode() for each in (last, "/".join("A" * 260), "9" * 300))


TRIED = (
    *("join alice2", "challenge bob kvadratik time=14d+1d<=21d,nag=3d,auto begin=random weekends=off rated"),
    *("challenge zoe@far.example quadraphages first=o", "play hexaphages level=1", "rematch 1", "accept 1"),
    *("decline 1", "withdraw 1", "seek quadrupel time=3d/move rating=100-300 reliable repeat=2", "take 1"),
    *("unseek 1", "enter 1", "climb 1 bob", "retire 1", "host knock-out kvadratik time=3d/move closes=3d"),
    *("move 1 b7d7 i2g2 1 d7d6 g2g1", "#1 b7d7 i2g2", "give 1 2d", "if b7d7 then resign", "if 1 b7d7 i2g2 then g9g8"),
    *("queue 1 g9g8", "undo 1", "resign 1", "draw 1", "pause 1 2026-04-01", "cancel 1", "claim 1", "hint 1"),
    *("replay 1#1 bob", "analyse 1", "say 1 hello", "mute 1 24h", "games bob 2", "show 1#2"),
    *("say 1 plan\nb7d7 i2g2", "preview 1 b7d7 / i2g2", "record 1 full", "who 2", "whois bob"),
    *("history alice bob", "standings 1", "watch 42", "unwatch", "block bob", "unblock bob", "refuse kvadratik"),
    *("allow kvadratik", "limit 10", "stop", "start", "set zone Europe/Vienna", "set mail daily for 1"),
    *("set mail daily hour=7", "set days mon-fri", "set remind 50% 1d", "set watchers delayed"),
    *("vacation 2026-12-24 2027-01-03", "change address new@far.example", "revoke", "export me", "delete me"),
    *("help set", "rules quadraphages", "tournament 1", "tournaments", "seeks", "conditions 1", "players bob"),
    *("acts", "close 1", "adjudicate 1 alice", "ban bob lost", "unban bob", "rename bob rob"),
    "announce News\nfor all",
)
"""What messages that prove nothing are made of."""


SEEDS = {
    "mail": mails,
    "machine": mails,
    "html": pages,
    "words": lines,
    "failure": bounces,
    "sender": mails,
    "command": lines,
    "notation": turns,
    "record": records,
    "conditions": conditional_moves,
    "unproven": commands,
}

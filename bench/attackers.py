"""The attackers of bench/siege.py: connections that send hostile mail without pause, in a process of their own.

    python -P bench/attackers.py PORT SECONDS CONNECTIONS RATE KIND PERSONAL MATCH PLAYER ...

RATE is how many messages they send in a minute altogether, or 0 for as many as they can; KIND what all connections do,
or "all". PERSONAL is the address with a token of a hostile player, who asks for what takes long, and MATCH a match of
theirs. It prints how often each kind of connection got each reply, as JSON. Real attackers have machines of their own,
so this process leaves the processor to the server when both want it.
"""

import contextlib
import itertools
import json
import os
import random
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.hostile import HEAD, MAILS

US = b"games@pbem.example"
SENDER = b"alice@mail.example"
ID = b"<1@mail.example>"
LARGEST_OF_A_STRANGER = 240_000
"""Of larger messages of strangers only the header is kept (`LARGEST_OF_STRANGERS`)."""
EMPTY_LINES = HEAD + b"\n" * 490_000
HOSTS = 10
"""How many addresses the connections come from; one alone is refused its fifty-first connection."""
PATIENCE_SECONDS = 120.0
PAUSE_SECONDS = 0.2
"""How long an attacker waits who is told to come back later, and how fast the slow ones are."""

Act = Callable[["Post"], str]


class Post:
    """A connection to the server."""

    def __init__(self, port: int, host: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS, (host, 0))
        self._lines = self._socket.makefile("rb")

    def hello(self) -> str:
        """Begin. Return the code of the reply."""
        reply = self._reply()
        return self.say(b"LHLO attacker.example") if reply == "220" else reply

    def say(self, words: bytes) -> str:
        """Send a line. Return the code of the reply."""
        self.send(words + b"\r\n")
        return self._reply()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self._socket.sendall(data)

    def begin(self, sender: bytes, to: bytes = US) -> str:
        """Begin a message. Return the reply to DATA, or to what was refused before."""
        for words in (b"MAIL FROM:<%s>" % sender, b"RCPT TO:<%s>" % to):
            if (reply := self.say(words)) != "250":
                return reply
        return self.say(b"DATA")

    def deliver(self, sender: bytes, data: bytes, to: bytes = US) -> str:
        """Send a message. Return the reply."""
        reply = self.begin(sender, to)
        if reply != "354":
            return reply
        self.send(data)
        return self.say(b"\r\n.")

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()

    def _reply(self) -> str:
        while line := self._lines.readline():
            if line[3:4] != b"-":
                return line[:3].decode("ascii", "replace")
        raise ConnectionResetError


class Forms:
    """All hostile messages: of strangers, whole or as large as is kept, and forged in the players' names."""

    def __init__(self, players: list[bytes]) -> None:
        raws = [as_sent(build()) for build in MAILS.values()]
        self._messages: list[tuple[bytes, bytes]] = []
        for number, raw in enumerate(raws):
            self._messages += ((b"", raw), (b"", raw[:LARGEST_OF_A_STRANGER]), (players[number % len(players)], raw))

    def __len__(self) -> int:
        return len(self._messages)

    def message(self, number: int) -> tuple[bytes, bytes]:
        """Return the sender of one of them, empty for a stranger, and what is sent."""
        return self._messages[number % len(self._messages)]


@dataclass(frozen=True)
class Hostile:
    """A player with a token who asks for what takes long."""

    address: bytes
    personal: bytes
    match: int


class Attacker:
    """One of the connections."""

    def __init__(
        self, number: int, kind: str, forms: Forms, players: list[bytes], hostile: Hostile, interval: float
    ) -> None:
        self.replies: Counter[str] = Counter()
        self._chance = random.Random(number)  # the same attack each time
        self._ids = itertools.count()
        self._own = b"%d.%d" % (os.getpid(), number)
        self._forms = forms
        self._next = self._chance.randrange(len(forms))
        self._players, self._hostile = players, hostile
        self._interval = interval
        self._due = time.monotonic() + interval * self._chance.random()
        self._host = f"127.0.0.{2 + number % HOSTS}"
        acts = {"forms": self.form, "joins": self.join, "lines": self.lines, "slow": self.trickle, "drops": self.drop}
        acts |= {"forged": self.forge, "token": self.ask}
        self._kind = kind if kind != "all" else (*["forms"] * 3, *acts)[number % 10]
        self._act: Act = acts[self._kind]

    def attack(self, port: int, until: float) -> None:
        """Send over one connection after the other until that time."""
        while time.monotonic() < until:
            for reply in self._session(port, until):
                self.replies[f"{self._kind} {reply}"] += 1
                if reply.startswith("4") or not reply.isdigit():
                    time.sleep(PAUSE_SECONDS)

    def _session(self, port: int, until: float) -> Iterator[str]:
        """Yield the replies to all messages of a connection."""
        try:
            with contextlib.closing(Post(port, self._host)) as post:
                reply = post.hello()
                if reply != "250":
                    yield reply
                while reply != "421" and max(self._due, time.monotonic()) < until:
                    time.sleep(max(0.0, self._due - time.monotonic()))
                    self._due += self._interval
                    reply = self._act(post)
                    yield reply
        except OSError as error:
            yield type(error).__name__

    def form(self, post: Post) -> str:
        """Send the next hostile form."""
        player, data = self._forms.message(self._next)
        self._next += 1
        sender = player or self._stranger()
        return post.deliver(sender, self._signed(data, sender))

    def join(self, post: Post) -> str:
        """Ask for an answer to somebody else's address."""
        sender = self._stranger()
        return post.deliver(sender, self._signed(as_sent(HEAD + b"\njoin x%d" % self._chance.randrange(10**9)), sender))

    def forge(self, post: Post) -> str:
        """Ask for twenty records in a player's name."""
        sender = self._chance.choice(self._players)
        return post.deliver(sender, self._signed(self._asking(b"record %d#%d"), sender))

    def ask(self, post: Post) -> str:
        """Ask for twenty records or boards with a token."""
        asked = self._asking(self._chance.choice((b"record %d#%d", b"show %d#%d", b"preview %d#%d")))
        sender, to = self._hostile.address, self._hostile.personal
        return post.deliver(sender, self._signed(asked, sender), to)

    def _asking(self, words: bytes) -> bytes:
        lines = (words % (self._hostile.match, self._chance.randrange(20)) for _ in range(20))
        return as_sent(HEAD + b"\n" + b"\n".join(lines))

    def lines(self, post: Post) -> str:
        """Send empty lines."""
        sender = self._stranger()
        return post.deliver(sender, self._signed(as_sent(EMPTY_LINES), sender))

    def trickle(self, post: Post) -> str:
        """Send a message very slowly."""
        sender = self._stranger()
        if (reply := post.begin(sender)) != "354":
            return reply
        for line in as_sent(HEAD + b"\nhelp\n" * 20).splitlines(keepends=True):
            post.send(self._signed(line, sender))
            time.sleep(PAUSE_SECONDS)
        return post.say(b"\r\n.")

    def drop(self, post: Post) -> str:
        """Hang up in the middle of a message."""
        if (reply := post.begin(self._stranger())) != "354":
            return reply
        post.send(as_sent(EMPTY_LINES)[: self._chance.randrange(900_000)])
        raise ConnectionAbortedError

    def _stranger(self) -> bytes:
        return b"x%d@d%d.example" % (self._chance.randrange(10**9), self._chance.randrange(1_000))

    def _signed(self, data: bytes, sender: bytes) -> bytes:
        """Return the message with its sender, and an ID of its own, so that it is no duplicate."""
        return data.replace(SENDER, sender, 1).replace(ID, b"<%d.%s@a.example>" % (next(self._ids), self._own), 1)


def as_sent(raw: bytes) -> bytes:
    """Return the message as it is sent after DATA."""
    return b"\r\n".join(b"." + line if line.startswith(b".") else line for line in raw.splitlines())


def main() -> None:
    """Attack and report."""
    port, seconds, connections, rate = (int(word) for word in sys.argv[1:5])
    kind = sys.argv[5]
    hostile = Hostile(b"mallory@mail.example", sys.argv[6].encode(), int(sys.argv[7]))
    players = [player.encode() for player in sys.argv[8:]]
    os.nice(10)
    forms, interval = Forms(players), 60 * connections / rate if rate else 0.0
    attackers = [Attacker(number, kind, forms, players, hostile, interval) for number in range(connections)]
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=attacker.attack, args=(port, until)) for attacker in attackers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(sum((attacker.replies for attacker in attackers), Counter())))


if __name__ == "__main__":
    main()

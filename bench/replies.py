"""How well and how fast the lines that a person wrote are found, compared with other libraries in the same run.

Run `make bench`, with the third-party replies beside the project (see tests/corpora.py). Exact: the lines listed in
tests/mails/corpora.toml and no others. Lost: a line that the person wrote is missing. Leaked: a line that they didn't
write was kept. Blank lines and surrounding whitespace don't count. Hostile texts are read in a separate process, which
is killed if it takes too long; our time is also given as a multiple of `str.splitlines` on the same text.
"""

import importlib
import multiprocessing
from collections.abc import Callable, Sequence
from time import perf_counter

from rich.console import Console
from rich.table import Table

from pbem.config import ServerSettings
from pbem.mail.reading.text import reply_text
from pbem.messages import quoting
from tests.corpora import CORPORA, Labelled, bare, labelled

PATIENCE = 10.0
SIZES = (12_500, 25_000, 50_000, 100_000)
HOSTILE = {
    '"On " in one line': "On ",
    '"On Mon someone" in lines': "On Mon someone\n",
    '"> " in one line': "> ",
    "blanks in one line": "\u00a0 ",
    '"a@b wrote: " in one line': "a@b wrote: ",
    "hyphens in lines": "--\n",
    "headings in lines": "From: a@b\nTo: c\n",
}
REPEATS = 3
OURS = quoting.ours(ServerSettings(address="games@pbem.example"))

Reader = Callable[[str], Sequence[str]]


def ours(text: str) -> Sequence[str]:
    return reply_text.lines(text, is_html=False, ours=OURS)


def quotequail(text: str) -> Sequence[str]:
    found = importlib.import_module("quotequail").unwrap(text)
    parts = [text] if found is None else [found.get("text_top", ""), found.get("text_bottom", "")]
    return "\n".join(filter(None, parts)).split("\n")


def mail_parser_reply(text: str) -> Sequence[str]:
    library = importlib.import_module("mailparser_reply")
    languages = [
        name for name in importlib.import_module("mailparser_reply.constants").MAIL_LANGUAGES if name != "david"
    ]
    return (library.EmailReplyParser(languages=languages).read(text).latest_reply or "").split("\n")


def email_reply_parser(text: str) -> Sequence[str]:
    return str(importlib.import_module("email_reply_parser").EmailReplyParser.parse_reply(text)).split("\n")


def nothing(text: str) -> Sequence[str]:
    return text.split("\n")


READERS: dict[str, Reader] = {
    "pbem": ours,
    "quotequail": quotequail,
    "mail-parser-reply": mail_parser_reply,
    "email-reply-parser": email_reply_parser,
    "nothing taken off": nothing,
}


def missing(name: str) -> str | None:
    """Return why a reader can't be measured; None if it can."""
    try:
        READERS[name]("Hello")
    except ImportError:
        return f"{name} is not installed: pip install {name} (extra `bench`)"
    return None


def score(reader: Reader, mails: Sequence[Labelled]) -> tuple[int, int, int]:
    """Return how many messages are read exactly, how many with a line lost, and how many with a line leaked."""
    exact = lost = leaked = 0
    for mail in mails:
        text = mail.text.replace("\ufeff", "")
        found, wanted = bare(tuple(reader(text))), tuple(line.replace("\ufeff", "").strip() for line in mail.words)
        wanted = tuple(filter(None, wanted))
        exact += found == wanted
        lost += not set(wanted) <= set(found)
        leaked += not set(found) <= set(wanted)
    return exact, lost, leaked


def best(reader: Reader, text: str) -> float:
    """Return the shortest of a few reading times in seconds."""
    times = []
    for _ in range(REPEATS):
        begun = perf_counter()
        reader(text)
        times.append(perf_counter() - begun)
        if times[-1] > 1:
            break
    return min(times)


def patient(name: str, text: str) -> float | None:
    """Return the reading time in seconds, measured in a process; None if it had to be killed for taking too long."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(best(READERS[name], text)), daemon=True)
    process.start()
    answered = receiver.poll(PATIENCE)
    seconds: float | None = receiver.recv() if answered else None
    process.kill()
    process.join()
    return seconds


def main() -> None:
    """Print both tables."""
    console = Console(width=120)
    there = {name: reader for name, reader in READERS.items() if (why := missing(name)) is None or console.print(why)}
    if CORPORA.is_dir():
        mails = list(labelled())
        table = Table("reader", "exact", "lost", "leaked", title=f"{len(mails)} third-party replies")
        for name, reader in there.items():
            table.add_row(name, *map(str, score(reader, mails)))
        console.print(table)
    else:
        console.print(f"The third-party replies are not at {CORPORA}: nothing to score.")
    rivals = [name for name in there if name != "nothing taken off"]
    table = Table("text", "size", *(f"{name}, ms" for name in rivals), "pbem / splitlines", title="hostile texts")
    for about, piece in HOSTILE.items():
        given_up: set[str] = set()
        for size in SIZES:
            text = (piece * (size // len(piece) + 1))[:size]
            times = {name: None if name in given_up else patient(name, text) for name in rivals}
            given_up |= {name for name, seconds in times.items() if seconds is None}
            cells = [f"over {PATIENCE * 1000:.0f}" if t is None else f"{t * 1000:.1f}" for t in times.values()]
            mine = times["pbem"]
            ratio = "" if mine is None else f"{mine / best(str.splitlines, text):.0f}"
            table.add_row(about, str(size), *cells, ratio)
    console.print(table)


if __name__ == "__main__":
    main()

"""Third-party messages for tests; they are stored beside the project and never copied into it."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
LABELS = ROOT / "tests" / "mails" / "corpora.toml"


def _project() -> Path:
    """Return the project's own folder, even if this is a worktree of it elsewhere."""
    pointer = ROOT / ".git"
    if pointer.is_file():
        return Path(pointer.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).parents[2]
    return ROOT


CORPORA = _project().parent / "shared" / "corpora"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message, and the lines of it that the person wrote."""

    name: str
    text: str
    words: tuple[str, ...]


def labelled() -> Iterator[Labelled]:
    """Yield the messages that tests/mails/corpora.toml labels."""
    for folder, files in tomllib.loads(LABELS.read_text(encoding="utf-8")).items():
        for name, ranges in files.items():
            text = (CORPORA / folder / "emails" / name).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
            lines = text.split("\n")
            words: list[str] = []
            for span in filter(None, (span.strip() for span in ranges.split(","))):
                first, _, last = span.partition("-")
                words += lines[int(first) - 1 : int(last or first)]
            yield Labelled(f"{folder}/{name}", text, bare(words))


def bare(lines: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines for comparison, without blank lines and surrounding whitespace."""
    return tuple(line.strip() for line in lines if line.strip())

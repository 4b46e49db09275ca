"""What players read is plain English: short sentences, and none of the phrases that made earlier texts stiff."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("templates/rules/*.md"), *ROOT.glob("templates/help/*.md")])
MAILS = sorted(ROOT.glob("tests/templates/mails/*.txt"))
TEMPLATES = sorted(ROOT.glob("templates/**/*.j2"))
MOST_WORDS = 30
"""The words of the longest sentence; a reader in a hurry loses the thread of longer ones."""
STIFF = re.compile(
    r"""\b(?: so\ many | so\ often | whoever | whatever | is\ asked\ of | lets?\ go\ of | may\ yet | not\ to\ be\ had
    | stands?\ otherwise | shall | has\ not | have\ not | nothing\ of | by\ right | need\ not | of\ all\ four\ own
    | he | him | his | I | e?mails )\b (?! \s*\()""",
    re.VERBOSE,
)
"""What we don't write to players: see docs/decisions/how-we-write.md."""


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of our prose, without headings, boards, quotes and examples."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d\.) )|\n.*\n=+\n", f"\n{text}"):
        prose = [line for line in paragraph.splitlines() if not re.match(r"\s{6,}|\s*\|", line)]
        yield from re.split(r"(?<=[.!?:;])\s+", " ".join(" ".join(prose).split()))


def body(path: Path) -> str:
    """Return a page, or the text of an example of a message."""
    text = path.read_text(encoding="utf-8")
    return text.partition("\n\n")[2] if path.suffix == ".txt" else text


def test_no_sentence_is_long() -> None:
    for path in (*PAGES, *MAILS):
        long = [each for each in sentences(body(path)) if len(re.findall(r"[A-Za-z][A-Za-z'-]*", each)) > MOST_WORDS]

        assert long == [], path


def test_no_page_or_template_has_a_stiff_phrase() -> None:
    for path in (*PAGES, *TEMPLATES):
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)

        assert STIFF.findall(" ".join(re.sub(r'class="[^"]*"|id="[^"]*"', "", text).split())) == [], path

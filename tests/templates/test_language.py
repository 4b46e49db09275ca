"""What players read is plain English: short sentences, and none of the phrases that made earlier texts stiff."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.features.all import FEATURES

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("templates/rules/*.md"), *ROOT.glob("templates/help/*.md")])
CAPTIONS = sorted(ROOT.glob("templates/rules/*.toml"))
MAILS = sorted(ROOT.glob("tests/templates/mails/*.txt"))
TEMPLATES = sorted(ROOT.glob("templates/**/*.j2"))
FOLDERS = (
    "engines",
    "notation",
    *(f"pbem/{name}" for name in ("conversation", "features", "matches", "players")),
)
MODULES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
MOST_WORDS = 30
"""The words of the longest sentence; a reader in a hurry loses the thread of longer ones."""
MOST_NAMES = 2
"""A text with more words than that could be a sentence."""
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


def literals(path: Path) -> Iterator[str]:
    """Yield the texts in a module that could be sentences, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.value


def test_no_caption_has_a_stiff_phrase() -> None:
    for path in CAPTIONS:
        assert STIFF.findall(path.read_text(encoding="utf-8")) == [], path


def test_sentences_are_found() -> None:
    assert list(sentences("Goal\n====\n  Bring one\n  home. Then: rest.\n\n      a b c\n")) == [
        "",
        "Bring one home.",
        "Then:",
        "rest.",
        "",
    ]


def test_no_sentence_is_long() -> None:
    for path in (*PAGES, *MAILS):
        long = [each for each in sentences(body(path)) if len(re.findall(r"[A-Za-z][A-Za-z'-]*", each)) > MOST_WORDS]

        assert long == [], path


def test_no_page_or_template_has_a_stiff_phrase() -> None:
    for path in (*PAGES, *TEMPLATES):
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)

        assert STIFF.findall(" ".join(re.sub(r'class="[^"]*"|id="[^"]*"', "", text).split())) == [], path


@pytest.mark.slow
def test_no_sentence_in_the_code_has_a_stiff_phrase() -> None:
    keywords = {command.keywords for command in FEATURES.commands.values()} | {*FEATURES.topics.values()}
    texts = ((path.name, text) for path in MODULES for text in literals(path) if len(text.split()) > MOST_NAMES)
    found = ((name, text) for name, text in texts if not any(text in words for words in keywords))

    assert [(name, text) for name, text in found if STIFF.search(text)] == []

"""The lines a person wrote: the text of a mail without quotes, attributions and signatures, in linear time.

When in doubt a line is kept: the grammar of commands ignores what is no command, but a lost line is a lost
move.
"""

from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

SIGNATURES = ("sent from my ", "get outlook for ", "von meinem ", "envoyé de mon ", "enviado desde mi ")
BLOCKS = frozenset(
    {"address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4"}
    | {"hr", "li", "ol", "p", "pre", "section", "table", "tr", "ul"}
)
SILENT = frozenset({"head", "script", "style", "title", "template", "blockquote"})
QUOTE_CLASSES = frozenset(
    {"gmail_quote", "gmail_quote_container", "gmail_attr", "yahoo_quoted", "moz-cite-prefix"}
    | {"protonmail_quote", "gmail_signature"}
)
OUTLOOK_QUOTES = frozenset({"divrplyfwdmsg", "appendonsend", "ms-outlook-mobile-reference-message"})
RULE = 20
ATTRIBUTION_LENGTH = 400
MOST_LINES = 5_000
LONGEST_HTML = 100_000  # the parser takes quadratic time for nested elements


def lines(text: str, is_html: bool) -> tuple[str, ...]:
    """What the person wrote, line by line; no blank lines at the ends, and never two together."""
    kept: list[str] = []
    source = _plain(text) if is_html else text
    waiting = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:MOST_LINES]
    for number, line in enumerate(waiting):
        clean = line.replace("\u00a0", " ").rstrip()
        if _ends_the_text(clean, line, waiting, number):
            break
        if clean.lstrip().startswith((">", "|>")):
            _drop_attribution(kept)
            continue
        if clean.strip() or (kept and kept[-1].strip()):
            kept.append(clean)
    while kept and not kept[-1].strip():
        kept.pop()
    while kept and not kept[0].strip():
        kept.pop(0)
    return tuple(kept)


def _ends_the_text(clean: str, line: str, waiting: Sequence[str], number: int) -> bool:
    """Whether a signature or a whole quoted mail begins here."""
    bare = clean.strip()
    if clean == "--" or line.startswith("-- \u200b"):
        return True
    if bare.startswith("-----") and bare.endswith("-----") and len(bare) > 10:  # -----Original Message-----
        return True
    if len(bare) >= RULE and not bare.strip("_"):  # Outlook's rule above the header block
        return True
    if bare.lower().startswith(SIGNATURES) and len(bare) < 80:
        return True
    return _is_header_block(waiting[number : number + 4]) or _is_attribution(bare, waiting, number)


def _is_header_block(block: Sequence[str]) -> bool:
    """Whether these are the From, Sent, To, Subject of a quoted mail, in whatever language."""
    if len(block) < 4:
        return False
    labels = [line.strip().strip("*").partition(":") for line in block]
    named = all(colon and 0 < len(label) <= 20 and " " not in label.strip() for label, colon, _ in labels)
    return named and any("@" in line for line in block[:3])


def _is_attribution(bare: str, waiting: Sequence[str], number: int) -> bool:
    """Whether a mail is quoted below without marks ("On …, PBeM <pbem@…> wrote:")."""
    if not (bare.endswith(":") and "@" in bare and "<" in bare and len(bare) <= ATTRIBUTION_LENGTH):
        return False
    following = next((line.strip() for line in waiting[number + 1 :] if line.strip()), "")
    return not following.startswith(">")


def _drop_attribution(kept: list[str]) -> None:
    """Take back the "On …, … wrote:" that stands right above a quote, also where it was wrapped."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    if not end or not kept[end - 1].rstrip().endswith(":") or len(kept[end - 1]) > ATTRIBUTION_LENGTH:
        return
    start = end - 1
    while start and kept[start - 1].strip() and end - start < 4 and not _opens_attribution(kept[start]):
        start -= 1
    if _opens_attribution(kept[start]):
        del kept[start:]
    else:
        del kept[end - 1 :]


def _opens_attribution(line: str) -> bool:
    return line.lstrip().startswith(("On ", "Am ", "Le ", "El ", "Il ", "Op ", "Em ", "Den ", "W dniu "))


def _plain(html: str) -> str:
    """The text of an HTML mail, a line for each block, without what it quotes."""
    root = LexborHTMLParser(html[:LONGEST_HTML]).root
    return "".join(_pieces(root)) if root is not None else ""


def _pieces(root: LexborNode) -> Iterator[str]:
    """Text and line ends in document order; iterative, since nesting is the sender's choice."""
    waiting: list[LexborNode | str] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
            continue
        tag = node.tag or ""
        if tag == "-text":
            yield (" ".join((node.text_content or "").split("\n")) if not _is_pre(node) else node.text_content or "")
            continue
        classes = set((node.attributes.get("class") or "").lower().split())
        if (node.attributes.get("id") or "").lower() in OUTLOOK_QUOTES:
            return
        if tag in SILENT or classes & QUOTE_CLASSES or tag.startswith("-c"):
            continue
        if tag in BLOCKS:
            yield "\n"
            waiting.append("\n")
        waiting.extend(reversed(list(node.iter(include_text=True))))


def _is_pre(node: LexborNode) -> bool:
    return node.parent is not None and node.parent.tag == "pre"

"""The text of an HTML message: one line per line shown, quotes marked with "> " as in plain text."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

LONGEST = 400_000
DEEPEST = 500  # the parser takes quadratic time for nested elements; mail programs nest a few dozen
MOST_TAGS = 12_000
MOST_ATTRIBUTES = 100  # per tag: the parser compares each with all others
MOST_PAGES = 50  # how often html and body may begin: the attributes of all of them are put together
MOST_FORMATTING = 200_000
"""How many formatting elements may be open at all tags together: the parser may open each again in each paragraph."""
MOST_NODES = 25_000  # elements and texts. There may be more than tags: the parser closes what isn't closed.
FORMATTING = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
MOST_STEPS = 4_000_000
"""How many characters of tags are looked at: ten times a page, since one tag can be in the marks of another."""
_ATTRIBUTE = (
    r"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"
    r"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*+|(?=>)))?+"
)
_TAG = re.compile(rf"[^\t\n\f\r />]*+(?:{_ATTRIBUTE}){{0,{MOST_ATTRIBUTES}}}+({_ATTRIBUTE})?+[\t\n\f\r /]*+")
"""The rest of a tag, cut into pieces as a browser does it; its group is an attribute more than it may have."""
UNNESTED = frozenset(
    {"p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "br", "hr", "img", "input", "meta"}
    | {"link", "col", "colgroup", "base", "area", "wbr", "source", "body", "html", "head"}
)
"""Elements that are never inside themselves, closed or not."""
PAGES = frozenset({"html", "body"})
BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "center", "dd", "div", "dl", "dt", "fieldset", "figure", "footer"}
    | {"form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre", "section", "table"}
    | {"tbody", "tr", "ul", "body"}
)
SPACED = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote", "dl", "hr"})
SILENT = frozenset({"head", "script", "style", "title", "template", "noscript", "svg", "object", "select", "textarea"})
SILENT_CLASSES = frozenset({"gmail_signature", "gmail_signature_prefix", "moz-signature", "protonmail_signature_block"})
SILENT_IDS = frozenset({"signature", "ms-outlook-mobile-signature", "x_signature", "divtaggedcontent"})
SILENT_NAMES = frozenset({"messagesignaturesection"})
QUOTED_CLASSES = frozenset(
    {"yahoo_quoted", "moz-cite-prefix", "moz-email-headers-table", "gmail_quote_attribution", "tutanota_quote"}
    | {"sh-quoted-content", "front-blockquote", "ydp_quoted", "mailspring-quote", "moz-quote-pre"}
    | {"moz-forward-container"}
)
OUR_MARK = "pbem-"  # the prefix of the classes in our own messages; mail programs may put a prefix of theirs before it
QUOTED_NAMES = frozenset({"quote", "messagereplysection", "quoted-content"})
MARKED = ("__quoted_text__", "__headers__")
BEGINNINGS_OF_QUOTES = frozenset(
    {"divrplyfwdmsg", "appendonsend", "ms-outlook-mobile-reference-message", "mail-editor-reference-message-container"}
    | {"olk_src_body_section", "zwchr", "stopspelling", "x_divrplyfwdmsg", "x_appendonsend", "replysplit", "divfwdmsg"}
)
FIRST_WORDS_DEPTH = 5
LONGEST_NAME = 20
SEPARATOR = "-----Original Message-----"
_HIDDEN = re.compile("display:none|visibility:hidden|mso-hide:all|font-size:0(?:;|px)|max-height:0|opacity:0;")
_SPACES = re.compile(r"[^\S\u00a0]+")
_BAR = re.compile(r"border-left:[^;]*(?:solid|double)")  # the bar on the left of a quote
_INDENTED_BY_HAND = re.compile("border:none|border:0|border-width:0|border-style:none")


@dataclass(frozen=True, slots=True)
class _Inside:
    quoted: bool = False
    kept_spaces: bool = False


def text(html: str, *, bare: bool = False) -> str:
    """Return the lines that a reader sees, quoted ones after "> "; with `bare`, a plain blockquote quotes nothing."""
    from selectolax.lexbor import LexborHTMLParser  # only the process that parses needs it

    root = LexborHTMLParser(_shallow(html[:LONGEST])).root
    page = _Page()
    if root is not None:
        _write(root, page, bare=bare)
    return page.text()


def _shallow(html: str) -> str:
    """Return the page up to where it has more tags, attributes or open elements than any mail program would write.

    Every "<" counts as the beginning of a tag, also in a comment or in an attribute: what the parser takes for one is
    among them.
    """
    opened: Counter[str] = Counter()
    depth, formatting, reopened, tags, steps, at = 0, 0, 0, 0, 0, html.find("<")
    while at >= 0:
        tags += 1
        reopened += formatting
        closes = html.startswith("/", at + 1)
        begun = end = at + 1 + closes
        while end < len(html) and end < begun + LONGEST_NAME and html[end].isalnum():
            end += 1
        name = html[begun:end].lower()
        if name in PAGES and not closes:
            opened[name] += 1
        elif name and name not in UNNESTED and not (closes and not opened[name]):
            change = -1 if closes else 1
            opened[name] += change
            depth += change
            formatting += change * (name in FORMATTING)
        rest = _TAG.match(html, end) if name else None
        steps += rest.end() - end if rest else 0
        if (
            tags > MOST_TAGS
            or steps > MOST_STEPS
            or depth > DEEPEST
            or reopened > MOST_FORMATTING
            or opened[name] > (MOST_PAGES if name in PAGES else DEEPEST)
            or (rest and rest[1])
        ):
            return html[:at]
        at = html.find("<", at + 1)
    return html


class _Page:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._quoted = False

    def write(self, words: str, inside: _Inside) -> None:
        """Append words to the current line; a change into or out of a quote begins a new one."""
        if inside.quoted != self._quoted and words.strip():
            self.end_line()
            self._quoted = inside.quoted
        if inside.kept_spaces:
            first, *rest = words.split("\n")
            self._line.append(first)
            for line in rest:
                self.new_line()
                self._line.append(line)
            return
        collapsed = _SPACES.sub(" ", words)
        if collapsed.startswith(" ") and (not self._line or self._line[-1].endswith(" ")):
            collapsed = collapsed[1:]
        if collapsed:
            self._line.append(collapsed)

    def end_line(self) -> None:
        if "".join(self._line).strip(" \n\t"):
            self.new_line()
        self._line.clear()

    def new_line(self) -> None:
        line = "".join(self._line).rstrip()
        self._line.clear()
        self._lines.append((f"> {line}" if line else ">") if self._quoted else line)

    def space(self, inside: _Inside) -> None:
        self.end_line()
        if self._lines and self._lines[-1] not in ("", ">"):
            self._lines.append(">" if inside.quoted and self._quoted else "")

    def text(self) -> str:
        self.end_line()
        return "\n".join([*self._lines, ""]).lstrip("\n")


def _write(root: "LexborNode", page: _Page, *, bare: bool) -> None:
    """Write the elements in document order, without recursion, because the sender chooses the nesting."""
    waiting: list[tuple[LexborNode | None, str, _Inside]] = [(root, "", _Inside())]
    seen = 0
    while waiting and seen < MOST_NODES:
        node, closed, inside = waiting.pop()
        seen += 1
        if node is None:
            page.space(inside) if closed in SPACED else page.end_line()
            continue
        tag = node.tag or ""
        if tag == "-text":
            page.write(node.text_content or "", inside)
            continue
        if tag in SILENT or (tag.startswith(("-", "!")) and tag != "-document"):
            continue
        marks = _Marks.of(node)
        if marks.hidden or (marks.signed and not inside.quoted):
            continue
        if marks.begins_quote and not inside.quoted:
            page.end_line()
            page.write(SEPARATOR, _Inside())
            page.end_line()
        if tag == "br":
            page.new_line()
            continue
        within = _Inside(
            quoted=inside.quoted
            or marks.quotes
            or (tag == "blockquote" and not (marks.bare if bare else marks.indents)),
            kept_spaces=inside.kept_spaces or tag in ("pre", "plaintext") or marks.preformatted,
        )
        if tag in ("td", "th"):
            page.write(" ", inside)
        if tag in BLOCKS:
            spaced = tag in SPACED and not marks.close
            page.space(inside) if spaced else page.end_line()
            waiting.append((None, tag if spaced else "div", inside))
        waiting.extend((child, "", within) for child in reversed(list(node.iter(include_text=True))))


@dataclass(frozen=True, slots=True)
class _Marks:
    hidden: bool = False
    signed: bool = False
    quotes: bool = False
    begins_quote: bool = False
    bare: bool = True  # without a class or a type
    indents: bool = False
    preformatted: bool = False
    close: bool = False  # a paragraph without space around it

    @classmethod
    def of(cls, node: "LexborNode") -> "_Marks":
        attributes = {name.lower(): (value or "").lower() for name, value in node.attributes.items()}
        if not attributes:
            return _NO_MARKS
        classes = set(attributes.get("class", "").split())
        style = "".join(attributes.get("style", "").split()) + ";"
        is_bare = not classes and "type" not in attributes
        name, identity, link = (attributes.get(key, "") for key in ("name", "id", "href"))
        return cls(
            hidden="hidden" in attributes or _HIDDEN.search(style) is not None,
            signed=bool(classes & SILENT_CLASSES) or identity in SILENT_IDS or name in SILENT_NAMES,
            quotes=bool(classes & QUOTED_CLASSES)
            or any(OUR_MARK in label for label in (*classes, identity))
            or (link.startswith("mailto:") and "body=" in link)  # a prefilled message, as in ours
            or name in QUOTED_NAMES
            or attributes.get("data-marker") in MARKED
            or ("gmail_attr" in classes and not _first_words(node).startswith("-"))  # dashes: a forwarded message
            or (_BAR.search(style) is not None and "padding" in style and node.tag == "div"),
            begins_quote=identity in BEGINNINGS_OF_QUOTES
            or attributes.get("data-marker") == "__divider__"
            or ("border:none;border-top:solid#" in style and node.tag == "div"),
            bare=is_bare,
            indents=is_bare and _INDENTED_BY_HAND.search(style) is not None,
            preformatted="white-space:pre" in style,
            close=bool(classes & {"msonormal", "x_msonormal", "msoplaintext"}) or "margin:0" in style,
        )


_NO_MARKS = _Marks()


def _first_words(node: "LexborNode") -> str:
    here: LexborNode | None = node
    for _ in range(FIRST_WORDS_DEPTH):
        here = next(here.iter(include_text=True), None) if here is not None else None
        if here is not None and here.tag == "-text":
            return (here.text_content or "").strip()
    return ""

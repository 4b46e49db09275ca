"""Normalising the characters that mail programs produce: gently for prose, thoroughly for commands."""

import re
import unicodedata
from functools import lru_cache

_NOTHING = dict.fromkeys(
    [0x00AD, 0x180E, 0x200B, 0x2060, 0xFEFF]  # soft hyphen, zero-width spaces, byte order mark
    + [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]  # writing direction
    + [code for code in range(0x20) if chr(code) not in "\t\n\r"]
    + [0x7F, *range(0x80, 0x85), *range(0x86, 0xA0)]
)
_BLANKS = dict.fromkeys([0x00A0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_LINE_ENDS = dict.fromkeys([0x0085, 0x2028, 0x2029], "\n")
_CLEAN = {**_NOTHING, **_BLANKS, **_LINE_ENDS}
_SIMILAR = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4\u0060\u2039\u203a", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2500\u30fc\ufe58\ufe63", "-"),
        "\u3002": ".",
        "\u3001": ",",
    }
)

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return the text with LF line ends, plain spaces and no invisible characters; everything else as written."""
    return text.translate(_CLEAN).replace("\r\n", "\n").replace("\r", "\n")


def to_ascii(text: str) -> str:
    """Return the text as it would be typed in ASCII, one character for one: the length stays the same."""
    return text if text.isascii() else "".join(map(_plain, text.translate(_SIMILAR)))


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    compatible = unicodedata.normalize("NFKC", character)
    return compatible if len(compatible) == 1 and compatible.isascii() else character


def fold(text: str) -> str:
    """Return the text in the form used in phrases.toml: lower case, with plain apostrophes."""
    return text.replace("\u2019", "'").lower()


def escape_controls(text: str) -> str:
    r"""Return the text safe for a terminal: control characters and changes of writing direction are escaped.

    >>> print(escape_controls("\x1b[31mred tape\u202e\r\n"), end="")
    \x1b[31mred tape\u202e\r
    """
    return _CONTROLS.sub(lambda control: control[0].encode("unicode_escape").decode(), text)

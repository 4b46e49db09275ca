"""Whether a reader of a text can find a reply token in it, however it is written."""

import quopri
import re
from html import unescape
from urllib.parse import unquote


def symbols(shown: str) -> str:
    """Return only the characters of a text that can occur in a token."""
    return re.sub("[^a-z2-7]", "", shown.lower())


def shows(shown: str, token: str) -> bool:
    """Return whether a reader who takes great trouble can find that token in the text."""
    readings = {re.sub(r"\x1b\[[0-9;]*m|\?=\s+=\?utf-8\?q\?|\\n", "", shown)}
    for _ in range(3):
        for decode in (unquote, unescape, lambda each: quopri.decodestring(each.encode()).decode("utf-8", "replace")):
            readings |= {decode(each) for each in readings}
    readings |= {re.sub(r"<[^<>@]*>", "", each) for each in readings}
    return any(token in symbols(each) for each in readings)

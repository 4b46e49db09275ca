"""How our own messages are known where a reply quotes them."""

from pbem.config import ServerSettings
from pbem.mail.reading.text.ours import Ours

HEADS = (
    r".+, match #\d+, (?:turn \d+|\d+ turns?)",
    r"Match #\d+, .+: \d+ turns? played\.",
    r".+ writes, in match #\d+:",
)
"""Patterns of the first or second line of the messages that have a board or a turn in them (see templates/parts)."""


def ours(server: ServerSettings) -> Ours:
    return Ours(server.address, server.name, HEADS)

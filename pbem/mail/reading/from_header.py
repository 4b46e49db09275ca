"""The sender that a message claims: the one address of its one From, if it can be read in only one way.

From is free text that every program reads a little differently, and forgers live in the difference: the receiving mail
server may have checked another address than the one we take. So a From with two possible readings has none here.
"""

from collections.abc import Sequence

LONGEST = 2_000
LONGEST_HOST = 253


def author(fields: Sequence[str]) -> str | None:
    """Return the address in lower case; None if there are several From fields or addresses, a group, or no address."""
    if len(fields) != 1 or len(fields[0]) > LONGEST:
        return None
    bare = _bare(fields[0])
    if bare is None:
        return None
    name, opened, rest = bare.partition("<")
    inner, closed, after = rest.partition(">")
    address = (inner if opened else name).strip().lower()
    is_mere_name = name.strip().lower() == address or not set(name) & set("@<>")  # and no address that could be meant
    if opened and not (closed and not after.strip() and is_mere_name):
        return None
    local, _, host = address.partition("@")
    if not local or not host or host.endswith(".") or "@" in host or set(address) & set(" \t\0,;:<>"):
        return None
    return address if host.isascii() else f"{local}@{_in_ascii(host)}"


def _in_ascii(host: str) -> str:
    """Return an internationalised domain as mail servers write it; unchanged if it looks like another one."""
    try:
        written = host[:LONGEST_HOST].encode("idna")
        return written.decode("ascii") if written.decode("idna") == host else host
    except UnicodeError:
        return host


def domain(address: str) -> str:
    """Return the part after the @, in lower case and without a trailing dot."""
    return address.rpartition("@")[2].lower().rstrip(".")


def _bare(text: str) -> str | None:
    characters: list[str] = []
    depth, quoted, escaped = 0, False, False
    for character in text:
        if escaped:
            escaped = False
        elif character == "\\" and (quoted or depth):
            escaped = True
        elif quoted:
            quoted = character != '"'
        elif character == '"' and not depth:
            quoted = True
            characters.append("\0")  # an address with a quoted part is not accepted
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return None
        elif not depth:
            characters.append(character)
    return None if depth or quoted or escaped else "".join(characters)

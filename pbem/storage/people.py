"""People in stored payloads: the fields that hold a name or an address, and taking somebody out of them.

Only these fields are looked at. A name may be a word like any other, so nothing is ever searched for it.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

FIELDS = frozenset({"by", "who", "player", "opponent", "address"})
"""The fields of messages and sections that hold the name or the address of a person."""
_HOLDS_MORE = (dict, list, tuple)
AUTHOR, WORDS = "by", "message"
"""The field that names an author, and the one beside it that holds what they wrote."""


def names(payload: Any) -> Iterator[str]:
    """Yield every name and address that the payload holds.

    >>> list(names({"by": "bob", "message": ["by alice"], "rows": [{"opponent": "carol", "title": "Hex"}]}))
    ['bob', 'carol']
    """
    if isinstance(payload, dict):
        for key, value in payload.items():
            if key in FIELDS and isinstance(value, str) and value:
                yield value
            elif isinstance(value, _HOLDS_MORE):
                yield from names(value)
    elif isinstance(payload, _HOLDS_MORE):
        for each in payload:
            if isinstance(each, _HOLDS_MORE):  # most are lines, of which a page of help has hundreds
                yield from names(each)


def without(payload: Any, called: Collection[str], instead: str) -> Any:
    """Return the payload without a person of those names and addresses, and without what they wrote.

    >>> without({"by": "to", "message": ["Welcome", "to you"], "subject": "Re: to"}, {"to"}, "deleted-7")
    {'by': 'deleted-7', 'message': [], 'subject': 'Re: to'}
    """
    if isinstance(payload, list):
        return [without(each, called, instead) for each in payload]
    if not isinstance(payload, Mapping):
        return payload
    wrote = payload.get(AUTHOR) in called
    left: dict[str, Any] = {}
    for key, value in payload.items():
        if key in FIELDS and isinstance(value, str):
            left[key] = instead if value in called else value
        elif wrote and key == WORDS:
            left[key] = []
        else:
            left[key] = without(value, called, instead)
    return left

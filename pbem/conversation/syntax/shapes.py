"""How the words after a command look where its name also begins ordinary sentences: "Take your time." is no command."""

import re

from engines import GAMES

_GAME = f"(?:{'|'.join(GAMES)})"
_PERSON = re.compile(r"[\w-]*")
_SEEK = re.compile(r"(?:(?:my\s+)?seeks?\s*)?#?(\d{0,9})$", re.IGNORECASE)
"""A seek as `take` and `unseek` name it: "take seek 7"."""
_OWN_SEEK = re.compile(r"(?:my\s+)?seek\b\s*#?(\d{0,9})$", re.IGNORECASE)
"""What `cancel` takes back: "cancel seek 7"."""
_CONTEST = r"(?:tournament|ladder|league)"
_FROM = re.compile(rf"(?:from\s+(?:the\s+)?)?{_CONTEST}\s*#?(\d{{1,9}})$|from\s+#?(\d{{1,9}})$", re.IGNORECASE)
"""What `withdraw` means a tournament by: "withdraw from 3"."""
_TOURNAMENT = re.compile(rf"(?:from\s+)?(?:(?:the\s+)?{_CONTEST}\s*)?#?(\d{{1,9}})$", re.IGNORECASE)
"""A tournament as `enter` and `retire` name it: "enter tournament 3"."""
_ON_LADDER = re.compile(rf"(\S+)\s+(?:on|in)\s+(?:the\s+)?{_CONTEST}\s*#?(\d{{1,9}})$", re.IGNORECASE)
"""Whom `challenge` wants to meet on a ladder: "challenge bob on ladder 3"."""
_WATCHED = re.compile(
    rf"(?:(?:the\s+)?match\s*#?|#)?(?P<match>\d{{1,9}})$|(?:the\s+)?{_CONTEST}\s*#?(?P<tournament>\d{{1,9}})$"
    r"|(?:(?:the\s+)?(?:matches|games)\s+of|player)\s+(?P<player>[\w-]+)$",
    re.IGNORECASE,
)
"""What `watch` and `unwatch` name, as people write it: "watch match #42"."""
_KIND = r"(?:round[- ]?robin|swiss|knock[- ]?out|ladder|league)"
_OWN_RECORDS = re.compile(r"(?:mine|all)(?:\s+before\s+#?(\d{1,9}))?", re.IGNORECASE)
"""Which records `records` sends: "records mine before 317"."""
_RECORD = re.compile(r"(?:#?\d{1,9}(?:#\d{1,4})?)?\s*(?:full)?", re.IGNORECASE)
"""What people write after `records` who mean the record of one match."""
_SUBJECT = re.compile(
    r"tournament\s\d{1,9}|(?!(?:out|it|this|that|me|him|her|them|us|your|my|the|and|for|how|what)$)[\w-]*",
    re.IGNORECASE,
)
"""What stands behind `watch` in the end, and isn't the beginning of a sentence: "Watch out!"."""
SHAPES = {
    "records": _OWN_RECORDS,
    "replay": re.compile(
        rf"(?:#?\d{{1,9}}(?:#\d{{1,4}})?\s+)?[^\s=]+(?:\s+(?:-*\w+=\S+|{_GAME}|-*(?:un)?rated))*", re.IGNORECASE
    ),
    "seek": re.compile(rf".*(?:=|\b{_GAME}\b).*|", re.IGNORECASE),
    "seeks": re.compile(rf"(?:(?:{_GAME}|(?:time|rating)=\S+|\d{{1,9}})(?:\s+|$))*", re.IGNORECASE),
    "take": re.compile(r"\d{0,9}"),
    "unseek": re.compile(r"\d{0,9}"),
    "tournaments": re.compile(r"\d{0,9}"),
    "tournament": re.compile(r"\d{1,9}(?:\s+\d{1,3})?"),
    "climb": re.compile(r"\d{1,9}\s+\S+"),
    "enter": re.compile(r"\d{1,9}"),
    "retire": re.compile(r"\d{1,9}"),
    "host": re.compile(rf".*(?:=|\b{_GAME}\b|\b{_KIND}\b).*", re.IGNORECASE),
    "watch": _SUBJECT,
    "unwatch": _SUBJECT,
    "who": re.compile(r"\d{0,9}"),
    "whois": _PERSON,
    "block": _PERSON,
    "unblock": _PERSON,
    "history": re.compile(r"(?:[\w-]+\s*){0,3}"),
    "limit": re.compile(r"\d{0,9}|none|off", re.IGNORECASE),
    "refuse": re.compile(rf"{_GAME}?", re.IGNORECASE),
    "allow": re.compile(rf"{_GAME}?", re.IGNORECASE),
}
FOR_GAMES = {"decline": "refuse", "accept": "allow"}
"""What a command means if a game follows: "reject hexaphages"."""


def meant(command: str, words: str) -> tuple[str, str]:
    """Return the command that is meant, and the words after it.

    >>> meant("cancel", "seek 7"), meant("take", "seek #7"), meant("decline", "hexaphages"), meant("cancel", "42")
    (('unseek', '7'), ('take', '7'), ('refuse', 'hexaphages'), ('cancel', '42'))
    >>> meant("records", "42"), meant("record", "mine")
    (('record', '42'), ('records', 'mine'))
    >>> meant("withdraw", "from tournament 3"), meant("withdraw", "3"), meant("enter", "tournament #3")
    (('retire', '3'), ('withdraw', '3'), ('enter', '3'))
    >>> meant("challenge", "bob on ladder 3"), meant("enter", "ladder 3")
    (('climb', '3 bob'), ('enter', '3'))
    >>> meant("watch", "match #42"), meant("unwatch", "Tournament #3"), meant("watch", "games of bob")
    (('watch', '42'), ('unwatch', 'tournament 3'), ('watch', 'bob'))
    """
    if command == "record" and _OWN_RECORDS.fullmatch(words):
        return "records", words
    if command == "records" and _RECORD.fullmatch(words):
        return "record", words
    if command == "cancel" and (seek := _OWN_SEEK.match(words)):
        return "unseek", seek[1]
    if command == "challenge" and (wanted := _ON_LADDER.match(words)):
        return "climb", f"{wanted[2]} {wanted[1]}"
    if command == "withdraw" and (left := _FROM.match(words)):
        return "retire", left[1] or left[2]
    if command in ("enter", "retire", "tournament") and (entered := _TOURNAMENT.match(words)):
        return command, entered[1]
    if command in ("watch", "unwatch") and (found := _WATCHED.match(words)):
        tournament = f"tournament {found['tournament']}" if found["tournament"] else ""
        return command, found["match"] or tournament or found["player"]
    if command in ("take", "unseek") and (seek := _SEEK.match(words)):
        return command, seek[1]
    return (FOR_GAMES[command] if command in FOR_GAMES and words.lower() in GAMES else command), words


def fits(command: str, words: str) -> bool:
    """Return whether the words after a command can be its arguments.

    >>> fits("take", "7"), fits("take", "your time"), fits("who", "knows"), fits("show", "anything")
    (True, False, False, True)
    >>> fits("watch", "bob"), fits("watch", "tournament 3"), fits("watch", "out"), fits("watch", "your queen")
    (True, True, False, False)
    """
    return command not in SHAPES or SHAPES[command].fullmatch(words) is not None

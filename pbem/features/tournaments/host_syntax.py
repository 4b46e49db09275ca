"""How a host writes a tournament, by email or at the command line."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from notation.games import GAMES
from notation.time_control import to_stored
from pbem.conversation.syntax.arguments import GAME, Piece, opt, words
from pbem.errors import Refused
from pbem.features import terms
from pbem.features.tournaments import openings
from pbem.features.tournaments.matchups import Format
from pbem.features.tournaments.openings import (
    DEFAULT_DAYS,
    EVERY,
    FEWEST,
    LONGEST_TITLE,
    MOST_DAYS,
    MOST_PLACES,
    MOST_ROUNDS,
)
from pbem.storage.models import Tournament

KIND = Piece(
    "round-robin|swiss|knock-out|ladder",
    "round[- ]?robin|swiss|knock[- ]?out|ladder",
    lambda text: Format("-".join(text.lower().split()).replace("roundr", "round-r").replace("knocko", "knock-o")),
)
STOP = Piece("stop TOURNAMENT", r"(stop|end) (?:tournament )?#?(\d{1,9})", lambda text: int(text.split()[-1]))
TITLED = Piece("called TITLE", "called(?: .*)?", lambda text: text[len("called") :], is_rest=True)
GRAMMAR = words(
    opt(KIND, usage=KIND.usage),
    opt(GAME, usage="GAME"),
    terms.options("[option=choice ...] [time=14d+1d] [rated] [places=8] [days=14] [every=month]"),
    opt(TITLED, STOP, usage="[called TITLE]"),
    is_strict=True,
    meant_by=r"=|\bGAME\b|\b(?:round[- ]?robin|swiss|knock[- ]?out|ladder)\b",
)
USAGE = GRAMMAR.usage
TITLE = re.compile(r"[A-Za-z][A-Za-z0-9 .'()/-]*")
"""What a title looks like: it stands in messages to others, on one line."""
REACH, MOST_REACH = 5, 20  # how many rungs above one's own a challenge can go on a ladder
CHALLENGES, MOST_CHALLENGES = 2, 5
"""How many others one can have challenged there at a time, and by how many one can be challenged."""
EXAMPLE = 'For example "host round-robin quadrature time=14d+1d places=6 called Spring Cup".'


def read(words: str, default_time: str, now: datetime) -> Tournament:
    """Return the tournament that those words spell, which isn't stored yet; raise Refused.

    Its time control has a limit, and matches end by themselves when it is exceeded: others wait.
    """
    reading = GRAMMAR.read(GAMES.keyed(words))
    if not reading.fits or KIND not in reading or GAME not in reading:
        raise Refused(
            f"A tournament has one kind ({', '.join(Format)}) and one game"
            + (f"; {reading.unread.split()[0][:30]} is neither." if reading.unread else "."),
            read=words[:60],
            fits=EXAMPLE,
        )
    options, rated, kind, words = dict(reading.all(terms.OPTION)), terms.is_rated(reading), reading[KIND], words[:60]
    is_ladder = kind is Format.LADDER
    if "begin" in options:
        raise Refused("Who moves first is balanced by the tournament.", read=words, fits="Leave begin= out.")
    if terms.UNDO in options:
        raise Refused("In a tournament, players ask first.", read=words, fits=f"Leave {terms.UNDO}= out.")
    numbers = _numbers(options, kind)
    every = options.pop("every", None)
    if every is not None and is_ladder:
        raise Refused("A ladder has no end.", fits="Leave every= out.")
    if every not in (None, *EVERY):
        works = " or ".join(f'"every={choice}"' for choice in EVERY)
        raise Refused(f'"every={every[:20]}" is not a choice.', fits=f"A tournament comes again with {works}.")
    options = terms.made_fair(GAMES[reading[GAME]].game, options, words)
    chosen = terms.chosen(reading[GAME], options, default_time, words, rated=rated)
    if not chosen.time.is_limited:
        raise Refused(
            "A tournament needs a time control, since others wait for the end of each match.",
            read=words,
            fits='For example "time=14d+1d": 14 days, and one more for each turn.',
        )
    if chosen.time.second is not None:
        raise Refused("In a tournament, both players have the same time.", read=words, fits='"time=14d+1d"')
    return Tournament(
        title=_checked(reading.get(TITLED, "") or f"{GAMES.title(chosen.game)} {kind.value}"),
        kind=kind.value,
        game=chosen.game,
        options=dict(chosen.options),
        time=to_stored(replace(chosen.time, is_automatic=True)) or "",
        rated=chosen.rated,
        places=numbers["places"],
        wanted_rounds=numbers.get("rounds") or None,
        at_once=numbers.get("together") or None,
        reach=numbers.get("reach"),
        every=every,
        entry_days=numbers["days"] if every else None,
        reopens=openings.after(now, every) if every else None,
        closes=now + timedelta(days=numbers.get("days", 0)),
        created=now,
        started=now if is_ladder else None,
    )


def _checked(title: str) -> str:
    title = title.strip(" \"'")
    if len(title) > LONGEST_TITLE or not TITLE.fullmatch(title):
        raise Refused(
            f'"{title[:60]}" can\'t be the title of a tournament.',
            fits=f"A title has up to {LONGEST_TITLE} letters, digits, spaces and hyphens, and begins with a letter.",
        )
    return title


def _numbers(options: dict[str, str], kind: Format) -> dict[str, int]:
    """Return the numbers that a tournament of that kind has, and take them out of the options; raise Refused."""
    places = MOST_PLACES[kind]
    bounds = {"places": (places, FEWEST, places)}
    if kind is Format.LADDER:
        bounds |= {"reach": (REACH, 1, MOST_REACH), "together": (CHALLENGES, 1, MOST_CHALLENGES)}
    else:
        bounds["days"] = (DEFAULT_DAYS, 1, MOST_DAYS)
    if kind is Format.SWISS:
        bounds["rounds"] = (0, 1, MOST_ROUNDS)
    if kind is Format.ROUND_ROBIN:
        bounds["together"] = (0, 1, places)
    numbers = {}
    for name, (default, fewest, most) in bounds.items():
        text = options.pop(name, "")
        if text and not (text.isascii() and text.isdecimal() and fewest <= int(text[:9]) <= most):
            raise Refused(f'"{name}={text[:20]}" is not a choice.', fits=f"{name} is a number from {fewest} to {most}.")
        numbers[name] = int(text) if text else default
    return numbers

"""Open seeks as lists and messages show them to a reader."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlmodel import Session

from notation.games import GAMES
from pbem.features.seeks import seeks
from pbem.features.seeks.rating_ranges import ANY, RatingRange
from pbem.features.seeks.seeks import WantedMatch
from pbem.matches.naming import name
from pbem.matches.reliability import Reliability
from pbem.messages.said.welcome import OpenSeek
from pbem.storage.models import Player, Seek

RELIABLE = "reliable"
"""The word of a seek that only reliable players can take."""
SHOWN = 5
"""How many are shown in messages that are about something else."""


def shown(seek: Seek, seeker: Player, reader: Player, known: Reliability | None = None) -> OpenSeek:
    ratings = RatingRange(seek.lowest, seek.highest)
    extra = [*(["rated"] if seek.rated else []), *(["undo=free"] if seek.free_undo else [])]
    if ratings != ANY:
        extra.append(f"rating={ratings}")
    if seek.reliable:
        extra.append(RELIABLE)
    return OpenSeek(
        number=seek.id or 0,
        title=GAMES.title(seek.game),
        player=name(seeker),
        options=", ".join((*GAMES.options_in_words(seek.game, seek.options), *extra)),
        begin=seek.begin,
        time=seek.time or "no limit",
        own=seeker.id == reader.id,
        ended=known.ended if known else 0,
        lost_on_time=known.lost if known else 0,
        running=known.running if known else 0,
    )


def rows(
    found: Iterable[tuple[Seek, Player]], reader: Player, known: Mapping[int, Reliability] | None = None
) -> tuple[OpenSeek, ...]:
    return tuple(shown(seek, seeker, reader, (known or {}).get(seek.player)) for seek, seeker in found)


def newest(session: Session, reader: Player, now: datetime) -> tuple[OpenSeek, ...]:
    found, _ = seeks.listed(session, reader, now, SHOWN, wanted=WantedMatch(others=True))
    return rows(found, reader)

"""What is new of a match to those who watch it, and how much they see."""

import pytest

from pbem.features.watching import due
from pbem.features.watching.due import WatchedNews
from pbem.players import watching_rights
from pbem.players.watching_rights import Visibility
from pbem.storage.models import HOUSE, Match, Player, TakenBack
from tests.contests import NOW

FULL, LATE, HIDDEN = Visibility.ALL, Visibility.LATE, Visibility.NOTHING


def taken(*numbers: int, shift: int = 0) -> list[TakenBack]:
    """Return turns of those numbers that were taken back at once, from a match with that shift."""
    fields = {"match": 1, "seat": 0, "shift": shift, "played": NOW, "taken_back": NOW}
    return [TakenBack(number=number, text=f"t{number}", **fields) for number in numbers]


def match_with(plies: int, shift: int = 0, *, shown: int, over: bool = False) -> Match:
    players = {"seat0": 1, "seat1": 2, "challenger": 1}
    ended = NOW if over else None
    return Match(
        game="quadrature", options={}, plies=plies, shift=shift, shown=shown, created=NOW, ended=ended, **players
    )


@pytest.mark.parametrize(
    ("match", "undone", "late", "news"),
    [
        (match_with(1, shown=0), [], False, WatchedNews(1, 1, ())),
        (match_with(5, shown=5), [], False, None),
        (match_with(5, shown=5, over=True), [], False, WatchedNews(5, None, ())),
        (match_with(1, shown=0), [], True, None),
        (match_with(5, shown=4), [], True, WatchedNews(4, 4, ())),
        (match_with(5, shown=5, over=True), [], True, WatchedNews(5, 5, ())),
        # Played and taken back before anybody saw it.
        (match_with(5, 2, shown=5), taken(6), False, None),
        # Two turns are taken back, of which one was seen; then another one is played.
        (match_with(4, 3, shown=5), taken(5, 6), False, WatchedNews(4, None, ("t5",))),
        (match_with(5, 3, shown=5), taken(5, 6), False, WatchedNews(5, 5, ("t5",))),
        # What was taken back before the last look is no news.
        (match_with(5, 2, shown=6), taken(5), False, WatchedNews(5, 5, ())),
        # Taken back twice since.
        (match_with(3, 5, shown=5), [*taken(5), *taken(4, 5, shift=2)], False, WatchedNews(3, None, ("t4", "t5"))),
        # Who is late has not seen the turn that is taken back.
        (match_with(4, 2, shown=5), taken(5), True, None),
        (match_with(3, 3, shown=5), taken(4, 5), True, WatchedNews(3, None, ("t4",))),
    ],
)
def test_what_is_new_to_who_has_seen_an_earlier_version(
    match: Match, undone: list[TakenBack], late: bool, news: WatchedNews | None
) -> None:
    assert due.news_of(match, undone, late=late) == news


@pytest.mark.parametrize(
    ("first", "second", "tournament", "seen"),
    [
        (None, None, None, HIDDEN),
        (None, None, 3, FULL),
        ("on", "on", None, FULL),
        ("on", None, None, HIDDEN),
        ("on", None, 3, FULL),
        ("off", "on", 3, HIDDEN),
        ("delayed", "on", None, LATE),
        ("delayed", None, 3, LATE),
        ("delayed", "off", 3, HIDDEN),
    ],
)
def test_the_narrower_choice_counts(
    first: str | None, second: str | None, tournament: int | None, seen: Visibility
) -> None:
    players = [
        Player(address="a@mail.example", settings={"watchers": choice} if choice else {}, created=NOW)
        for choice in (first, second)
    ]
    match = match_with(3, shown=0)
    match.tournament = tournament
    assert watching_rights.of(match, players) is seen
    assert watching_rights.of(match, [*players, Player(address=HOUSE, settings={}, created=NOW)]) is seen

"""How matches ended, whose they were, and how fast somebody answers."""

from datetime import timedelta

import pytest
from sqlmodel import Session

from notation.ending import Ending, Termination
from pbem.matches import lifecycle, track_record
from pbem.matches.track_record import Tally
from pbem.players import blocks, player_directory, willingness
from pbem.storage.models import Match, Player, Ply
from tests.contests import NOW, people, started


def finish(
    session: Session, winner: int | None, termination: Termination, game: str = "quadrature", day: int = 0
) -> Match:
    match = started(session, game)
    lifecycle.end(session, match, Ending(termination, None), winner, NOW + timedelta(days=day))
    return match


def choose(session: Session, player: Player, choice: str) -> None:
    """Let a player choose whether to be listed."""
    player.settings = player_directory.LISTED.changed(player.settings, choice)
    assert player_directory.LISTED.on_choice is not None
    player_directory.LISTED.on_choice(session, player, NOW)


def test_results_count_by_game_and_only_where_there_is_one(session: Session) -> None:
    alice, bob, carol = people(session)
    finish(session, 0, Termination.RESIGNATION)
    finish(session, 0, Termination.RULES, "kvadratik")
    finish(session, 1, Termination.TIMEOUT)
    finish(session, None, Termination.AGREEMENT)
    finish(session, None, Termination.CANCELLED)
    finish(session, None, Termination.ABANDONED, "hexaphages")
    started(session)

    mine = track_record.results(session, alice)

    assert mine["quadrature"] == Tally(won=1, lost=1, drawn=1)
    assert {game: each.number for game, each in mine.items()} == {"kvadratik": 1, "quadrature": 3}
    total = sum(mine.values(), Tally())
    assert track_record.between(session, alice, bob) == total
    assert track_record.between(session, bob, alice) == Tally(total.lost, total.won, total.drawn)
    assert track_record.between(session, alice, carol) == Tally()
    assert track_record.running(session, alice) == 1


def test_the_pace_is_the_median_of_what_was_not_prepared(session: Session) -> None:
    alice, bob, _ = people(session)
    match = started(session)
    hours = (0, 1, 11, 12, 40, 40, 41)
    for number, at in enumerate(hours, start=1):
        seat = (number - 1) % 2
        ply = Ply(match=match.id, number=number, seat=seat, text="x", played=NOW + timedelta(hours=at))
        session.add(ply)
    session.flush()

    assert track_record.pace(session, alice) == "10 hours"
    assert track_record.pace(session, bob) == "1 hour"
    assert track_record.pace(session, people(session)[2]) == ""


def test_only_players_who_want_it_are_listed_and_not_for_ever(session: Session) -> None:
    alice, bob, carol = people(session)
    for player in (alice, bob, carol):
        player_directory.note(session, player, NOW)
    choose(session, alice, "on")
    choose(session, bob, "on")

    assert [name for name, _ in player_directory.listed(session, NOW, 9)[0]] == ["alice", "bob"]
    assert player_directory.listed(session, NOW, 1) == ([("alice", NOW)], True)
    assert player_directory.listed(session, NOW + player_directory.ACTIVE, 9)[0] == []
    player_directory.note(session, bob, NOW + player_directory.ACTIVE)
    assert [name for name, _ in player_directory.listed(session, NOW + player_directory.ACTIVE, 9)[0]] == ["bob"]
    choose(session, bob, "off")
    assert [name for name, _ in player_directory.listed(session, NOW, 9)[0]] == ["alice"]


@pytest.mark.parametrize(
    ("settings", "is_open"),
    [({}, True), ({"rejects": "hexaphages"}, True), ({"rejects": "hexaphages,quadrature"}, False),
     ({"limit": "2"}, True), ({"limit": "1"}, False), ({"limit": "0"}, False)],
)  # fmt: skip
def test_a_player_is_open_to_what_they_have_not_ruled_out(
    session: Session, settings: dict[str, str], is_open: bool
) -> None:
    alice, bob, _ = people(session)
    started(session)
    bob.settings = settings

    assert willingness.is_open_to(session, bob, alice, "quadrature") is is_open


def test_a_block_holds_both_ways_until_it_is_ended(session: Session) -> None:
    alice, bob, carol = people(session)

    assert blocks.block(session, alice, bob, NOW)
    assert not blocks.block(session, alice, bob, NOW)
    assert not willingness.is_open_to(session, alice, bob, "quadrature")
    assert not willingness.is_open_to(session, bob, alice, "quadrature")
    assert willingness.is_open_to(session, carol, bob, "quadrature")
    assert blocks.export(session, alice) == ["bob"]
    assert blocks.export(session, bob) == []
    assert not blocks.unblock(session, bob, alice)
    assert blocks.unblock(session, alice, bob)
    assert willingness.is_open_to(session, alice, bob, "quadrature")
    blocks.block(session, alice, bob, NOW)
    blocks.forget(session, bob, {"bob@mail.example"}, NOW)
    assert not blocks.is_between(session, alice, bob)

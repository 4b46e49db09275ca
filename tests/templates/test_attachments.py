"""Files of a match: their names, their content, and that rendering a message again yields the same files."""

import json
from datetime import UTC, datetime

from notation import record
from notation.ending import Ending, Termination
from notation.record import Record, loads
from pbem.matches.replayed_match import Snapshot
from pbem.messages import match_files
from pbem.messages.mime import Attachment
from pbem.storage.models import Match, MatchState, Player
from tests.diagrams import played

ORIGIN = "pbem.example"
NOW = datetime(2026, 11, 21, 9, 30, 1, tzinfo=UTC)


def standing(match_played: Record, *, winner: int | None = None, over: bool = True) -> Snapshot:
    """Return the match as the database would hold it."""
    positions = record.replay(match_played)
    players = (
        Player(id=7, name="alice", address="alice@secret.example", created=NOW),
        Player(id=11, name="bob", address="bob@secret.example", created=NOW),
    )
    match = Match(id=42, game=match_played.game, options=dict(match_played.options), seat0=7, seat1=11, challenger=7)
    match.created = match.started = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    match.state, match.winner = MatchState.RUNNING, winner
    if over:
        match.state, match.ended = MatchState.OVER, datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
        match.termination, match.termination_seat = "resignation", 1
    return Snapshot(
        match, players, match_played.moves, positions, positions[-1], None, len(match_played.moves), match_played.pack
    )


def files_of(match: Snapshot) -> tuple[Attachment, ...]:
    return (*match_files.records(match, origin=ORIGIN, generated=NOW), *match_files.animations(match))


def short(turns: int) -> Record:
    whole = played("quadraphages")
    return Record(whole.game, whole.options, whole.players, whole.moves[:turns])


def test_a_finished_match_has_three_files_named_by_number_and_game() -> None:
    files = files_of(standing(short(5), winner=0))

    assert [(file.name, file.kind) for file in files] == [
        ("pbem-42-quadraphages.txt", "text/plain"),
        ("pbem-42-quadraphages.json", "application/json"),
        ("pbem-42-quadraphages.gif", "image/gif"),
    ]


def test_the_text_is_the_record_and_loads_back() -> None:
    here = standing(short(5), winner=0)
    text, *_ = files_of(here)

    assert text.content.decode() == record.dumps(here.record)
    assert loads(text.content.decode()) == here.record
    assert here.record.ending == Ending(Termination.RESIGNATION, 1)


def test_the_game_record_says_when_where_and_who_won() -> None:
    _, game_record, _ = files_of(standing(short(5), winner=0))
    document = json.loads(game_record.content)
    header = document["header"]

    assert (header["date-start"], header["date-end"], header["date-generated"]) == (
        "2026-11-20T09:00:00Z",
        "2026-11-21T09:00:00Z",
        "2026-11-21T09:30:01Z",
    )
    assert header["site"] == {"name": "pbem.example", "gameid": "42"}
    assert [(player["name"], player["userid"], player["result"]) for player in header["players"]] == [
        ("alice", "7", 1),
        ("bob", "11", 0),
    ]
    assert document["moves"][-1][0]["result"] == "bob resigned"


def test_a_running_match_has_no_game_record_and_one_without_turns_no_animation() -> None:
    running = files_of(standing(short(5), over=False))
    begun = files_of(standing(short(0), over=False))

    assert [each.kind for each in running] == ["text/plain", "image/gif"]
    assert [each.kind for each in begun] == ["text/plain"]


def test_the_files_are_the_same_again_and_hold_no_address() -> None:
    files = files_of(standing(short(9), winner=0))

    assert files == files_of(standing(short(9), winner=0))
    assert not any(b"secret" in each.content for each in files)
    assert not any(b"@" in each.content for each in files[:2])

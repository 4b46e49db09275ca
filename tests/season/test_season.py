"""A simulated season: its ratings and crosstables, recomputed from the records by an independent script, are the same.

`PBEM_TEST_SEASON` is the number of matches besides those of the tournaments: some in `make test-all`, 3,300 in `make
slow`.
"""

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select
from typer.testing import CliRunner

from notation.games import GAMES
from pbem.cli.index import app
from pbem.config import Settings
from pbem.features.tournaments import crosstable, entries, rounds, rungs, tournament_report
from pbem.features.tournaments.field import Format
from pbem.features.tournaments.messages import TournamentEnded
from pbem.matches.integrity import faults
from pbem.matches.ratings import derivation
from pbem.matches.snapshot import snapshot_of
from pbem.messages import attachments
from pbem.signatures import Signer
from pbem.storage.database import read_only
from pbem.storage.models import Match, Outgoing, Player, PlayerRating, Tournament
from pbem.storage.payloads import load
from tests.season.simulation import CUPS, Season, season

SCRIPT = Path(__file__).with_name("recomputed.py")
FEW = 300
WITH_ROUNDS = range(1, len(CUPS) + 1)
"""The numbers of the tournaments that have rounds; the ladder is opened after them."""
MATCHES = int(os.environ.get("PBEM_TEST_SEASON", FEW))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_season_is_what_an_independent_script_makes_of_its_records(subtests: pytest.Subtests, tmp_path: Path) -> None:
    with season(tmp_path / "server", MATCHES) as past:
        past.pass_by()
        export(past, tmp_path)
        told = recomputed(tmp_path)
        with Session(past.server.engine) as session:
            with subtests.test("much has happened"):
                much_has_happened(session)
            with subtests.test("ratings"):
                assert ratings(session) == {game: sorted(rows) for game, rows in told["ratings"].items()}
                assert not [fault for game in GAMES for fault in derivation.faults(session, game)]
            with subtests.test("crosstables"):
                assert told["crosstables"] == crosstables(session)
                assert told["contradictions"] == {str(number): [] for number in WITH_ROUNDS}
            with subtests.test("the ladder"):
                assert told["ladder"] == ladder(session)
                assert told["ladder"] != entered(session, past)[: len(told["ladder"])]
                assert not list(rungs.faults(session))
            with subtests.test("matches"):
                assert not any(faults(session, session.exec(select(Match)).all()))


def test_the_script_knows_nothing_of_pbem() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert {module.split(".")[0] for module in modules} <= sys.stdlib_module_names


def much_has_happened(session: Session) -> None:
    """Or the rest would say little."""
    matches = session.exec(select(Match)).all()
    ends = Counter(match.termination for match in matches)
    counted = sum(match.counted is not None for match in matches)
    print(f"\n{len(matches)} matches, {counted} counted; {ends}")

    assert {"resignation", "agreement", "rules", "timeout", "cancelled"} <= {*ends}
    assert None not in ends
    assert MATCHES * 0.85 < counted < len(matches)
    assert {match.game for match in matches} == {*GAMES}
    assert all(row.ended and row.started for row in session.exec(select(Tournament)) if row.kind != Format.LADDER)
    weeks = Counter(session.exec(select(PlayerRating.week)))
    assert len(weeks) > 20


def export(past: Season, folder: Path) -> None:
    """Write what the script reads: the record of each match, and both reports of each tournament."""
    (folder / "records").mkdir()
    settings = past.server.settings
    with read_only(past.server.engine) as session:
        origin = attachments.Origin("pbem", "pbem.example", Signer(bytes(32)))
        for match in session.exec(select(Match).order_by(col(Match.id))):
            for file in attachments.records(
                snapshot_of(session, match),
                origin=origin,
                generated=past.clock(),
            ):
                (folder / "records" / file.name).write_bytes(file.content)
        (number,) = session.exec(select(Tournament.id).where(Tournament.kind == Format.LADDER))
        of_ladder = {"number": number, "entered": entered(session, past)}
        (folder / "ladder.json").write_text(json.dumps(of_ladder), encoding="utf-8")
        for number in WITH_ROUNDS:
            (folder / f"{number}.json").write_text(report(session, number, settings), encoding="utf-8")
    for number in WITH_ROUNDS:
        told = CliRunner().invoke(app, ["tournament", "trf", str(number), "--config", str(folder / "server/pbem.toml")])
        assert told.exit_code == 0, told.output
        (folder / f"{number}.trf").write_text(told.output, encoding="utf-8")


def report(session: Session, number: int, settings: Settings) -> str:
    """Return the JSON that goes with the final report of a tournament."""
    for row in session.exec(select(Outgoing).where(Outgoing.template == "tournament_over")):
        payload = load(TournamentEnded, row.payload)
        if payload.line.number == number:
            return tournament_report.as_json(payload, settings.server.name)
    raise AssertionError(f"nobody was told of the end of tournament {number}")


def recomputed(folder: Path) -> dict[str, Any]:
    """Return what the script makes of the files, in a process of its own that can't import pbem from here."""
    words = [sys.executable, "-I", str(SCRIPT), str(folder)]
    found: dict[str, Any] = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return found


def ratings(session: Session) -> dict[str, list[list[Any]]]:
    """Return what the server has stored, as the script writes it: by the title of the game."""
    found: dict[str, list[list[Any]]] = {}
    for row in session.exec(select(PlayerRating)):
        held = [row.rating, row.deviation, row.volatility, row.wins, row.draws, row.losses]
        found.setdefault(GAMES[row.game].game.title, []).append([str(row.week), str(row.player), *held])
    return {game: sorted(rows) for game, rows in found.items()}


def entered(session: Session, past: Season) -> list[str | None]:
    """Return who entered the ladder, in that order."""
    return [session.get_one(Player, number).name for number in past.climbers]


def ladder(session: Session) -> list[str | None]:
    """Return who stands on the ladder, from the top."""
    row = session.exec(select(Tournament).where(Tournament.kind == Format.LADDER)).one()
    return [session.get_one(Player, number).name for number in rungs.on(session, row)]


def crosstables(session: Session) -> dict[str, list[list[Any]]]:
    """Return the standings of all tournaments, as the script writes them."""
    found = {}
    for tournament in (session.get_one(Tournament, number) for number in WITH_ROUNDS):
        names = {player.id: player.name for _, player in entries.players_of(session, tournament)}
        table = crosstable.table(rounds.field_of(session, tournament))
        found[str(tournament.id)] = [
            [
                row.place.place,
                names[row.place.entrant.player],
                row.place.points,
                dict(list(zip(table.breaks, row.place.breaks, strict=True))[:2]),
            ]
            for row in table.rows
        ]
    return found

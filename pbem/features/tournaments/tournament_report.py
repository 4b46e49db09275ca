"""The final report of a tournament as files: text, a page for a browser, and JSON. No address is in them."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from pbem.config import ServerSettings
from pbem.features.tournaments.messages import TournamentEnded
from pbem.messages.extras import Extra, Rendering
from pbem.messages.mime import Attachment
from pbem.messages.templating import HTML, templates, text_of


def enclosed(rendering: Rendering) -> Extra | None:
    """Return the report that goes with the message that a tournament is over."""
    payload = rendering.payload
    return Extra(files=tuple(files(payload, rendering.server))) if isinstance(payload, TournamentEnded) else None


def files(ended: TournamentEnded, server: ServerSettings) -> Iterator[Attachment]:
    """Yield the report; nothing for a tournament that was called off."""
    if ended.table is None:
        return
    name = f"pbem-tournament-{ended.line.number}"
    tables = ended.groups or (ended.table,)
    variables = {"line": ended.line, "tables": tables, "results": ended.results, "server": server}
    text = text_of("parts/tournament_report.j2", variables)
    page = templates(HTML).get_template("parts/tournament_report.html.j2").render(variables)
    yield Attachment(f"{name}.txt", "text", "plain", text.encode())
    yield Attachment(f"{name}.html", "text", "html", page.encode())
    yield Attachment(f"{name}.json", "application", "json", as_json(ended, server.name).encode())


def as_json(ended: TournamentEnded, site: str) -> str:
    """Return the report as JSON."""
    line = ended.line
    assert ended.table is not None  # noqa: S101 - a tournament that was called off has no report
    rows = (
        ({"group": table.group} if table.group else {})
        | {
            "number": row.number,
            "place": row.place,
            "player": row.player,
            "points": float(row.points),
            "tie_breaks": {name: float(value) for name, value in zip(table.breaks, row.breaks, strict=True)},
            "withdrawn": row.out,
        }
        for table in ended.groups or (ended.table,)
        for row in table.rows
    )
    told = {
        "site": site,
        "tournament": {
            "number": line.number,
            "title": line.title,
            "kind": line.kind,
            "game": line.game,
            "options": line.options,
            "time": line.time,
            "rounds": line.rounds,
        }
        | ({"season": line.season} if line.season else {}),
        "standings": [*rows],
        "rounds": [asdict(each) for each in ended.results],
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"

"""The site for web browsers as the operator has it: by hand, and from a daemon."""

from datetime import UTC, datetime
from html import unescape

import pytest
from sqlmodel import col, select

from pbem.storage import database
from pbem.storage.models import Match, MatchState, Player, Ply
from tests.operating.daemons import Daemon
from tests.operating.site import Site
from tests.servers import until


def test_a_site_is_written_by_hand(site: Site) -> None:
    done = site.pbem("publish", str(site.folder / "web"))
    assert done.code == 0
    assert "0 matches in" in done.out
    assert (site.folder / "web" / "index.html").is_file()
    assert ": 0 files written, 0 removed" in site.pbem("publish", str(site.folder / "web")).out


def played(site: Site) -> None:
    """Store a match of two players who allow that it's shown."""
    site.make()
    engine, begun = database.connect(site.database), datetime(2026, 11, 20, 12, tzinfo=UTC)
    with database.transaction(engine) as session:
        for name in ("alice", "bob"):
            row = Player(name=name, address=f"{name}@mail.example", confirmed=begun, created=begun)
            row.settings = {"public": "on"}
            session.add(row)
        session.flush()
        first, second = session.exec(select(Player.id).where(col(Player.name).is_not(None)).order_by(Player.name)).all()
        match = Match(
            game="quadraphages", options={}, seat0=first, seat1=second, challenger=first, created=begun,
            state=MatchState.RUNNING, plies=1, to_move=1,
        )  # fmt: skip
        session.add(match)
        session.flush()
        session.add(Ply(match=match.id, number=1, seat=0, text="1 a7b7 i3i2", played=begun))
    engine.dispose()


@pytest.mark.slow
def test_a_daemon_publishes_by_itself(site: Site) -> None:
    played(site)
    with site.config.open("a", encoding="utf-8") as file:
        file.write('[publish]\nfolder = "web"\n')
    daemon = Daemon(site).ready()
    until(lambda: daemon.lines("published"), "it has published")
    assert daemon.lines("published")[0]["matches"] == 1
    daemon.end()
    assert (site.folder / "web" / "index.html").is_file()
    page = (site.folder / "web" / "matches" / "0" / "1.html").read_text(encoding="utf-8")
    assert "It's the turn of bob." in unescape(page)
    assert "1 a7b7 i3i2" in page


@pytest.mark.slow
def test_a_daemon_that_cannot_publish_says_why_and_goes_on(site: Site) -> None:
    with site.config.open("a", encoding="utf-8") as file:
        file.write('[publish]\nfolder = "in"\n')
    site.drop(b"From: ann@mail.example\nTo: games@pbem.example\n\nhelp\n")
    daemon = Daemon(site).ready()
    (line, *_) = until(lambda: daemon.lines("publishing failed"), "it has tried")
    assert "isn't empty" in line["error"]
    done = daemon.end()
    assert done.code == 0

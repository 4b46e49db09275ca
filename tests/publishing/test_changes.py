"""Whatever happens, a publication leaves the same files as one into an empty folder: nothing that changed is missed."""

import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import text

from pbem.publishing import visibility
from pbem.publishing.folder import LIST
from pbem.storage import database
from tests.publishing.site import NEXT, Archive, files


class Watch:
    """Publishes into the site, and compares with a site that is made anew."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self.archive = archive
        self._folder = folder
        self._number = 0

    def see(self, what: str) -> dict[str, str]:
        """Publish, and return the files of the site."""
        self._number += 1
        fresh = self._folder / str(self._number)
        self.archive.publish()
        self.archive.publish(folder=fresh)
        assert files(self.archive.folder) == files(fresh), what
        return files(fresh)


@pytest.fixture
def watch(shown: Archive, tmp_path: Path) -> Watch:
    """Provide it for a site that was published."""
    return Watch(shown, tmp_path / "fresh")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every match have a fingerprint of its own."""
    monkeypatch.setattr(visibility, "BLOCK", 1)


@pytest.mark.usefixtures("small_blocks")
def test_everything_that_happens_is_published(watch: Watch) -> None:
    site = watch.archive
    site.turn("alice", NEXT)
    watch.see("a turn")
    site.letters.say("alice", "undo 1")
    site.letters.reply(site.letters.last("bob"), "yes")
    watch.see("a turn that was taken back")
    site.begin("bob", "carol", "kvadratik")
    watch.see("a match that isn't shown")
    site.choose("anonymous", "carol")
    watch.see("somebody without a name")
    site.choose("on", "carol")
    watch.see("somebody with a name")
    assert site.letters.operate("player", "rename", "alice", "alicia", "--yes").exit_code == 0
    assert "players/alice.html" not in watch.see("a name")
    site.letters.say("bob", "resign 2")
    site.letters.reply(site.letters.last("bob"), "yes")
    watch.see("a match that is over")
    site.letters.wait(days=8)
    watch.see("a week that is over")
    site.letters.join("dora")
    site.choose("on", "dora")
    watch.see("somebody without matches")
    site.choose("off", "bob")
    watch.see("somebody who is shown no longer")
    site.choose("on", "bob")
    watch.see("and again")
    question = site.letters.say("bob", "delete me")[-1]
    site.letters.reply(question, "yes")
    assert "players/bob.html" not in watch.see("somebody who left")


@pytest.mark.usefixtures("small_blocks")
def test_tournaments_name_only_those_who_still_want_it(watch: Watch) -> None:
    site = watch.archive
    for number, kind in enumerate(("ladder", "round-robin"), start=1):
        site.letters.operate("tournament", "open", kind, "kvadratik", "time=3d/move", "called", f"Spring {kind}")
        for name in ("alice", "bob"):
            site.letters.say(name, f"enter {number}")
    watch.see("tournaments that are open")
    for number in (1, 2):
        site.letters.say("carol", f"enter {number}")
    watch.see("somebody who has entered them")
    site.letters.operate("tournament", "begin", "2")
    watch.see("one that has begun")
    site.choose("on", "carol")
    site.letters.execute("update tournament set ended = started where id = 2")
    watch.see("one that is over")
    site.choose("off", "alice", "bob")
    watch.see("only carol is named")
    assert [number for number in (1, 2) if "carol" in site.text(f"tournaments/{number}.html")] == [1, 2]
    site.choose("off", "carol")
    watch.see("nobody is named")
    assert not [number for number in (1, 2) if "carol" in site.text(f"tournaments/{number}.html")]


@pytest.mark.parametrize(
    "change",
    [
        "plies = plies + 1", "shift = shift + 2", "winner = 1", "winner = 0", "termination = 'timeout'",
        "seat1 = (select min(id) from player where id not in (seat0, seat1))", "seat0 = seat1, seat1 = seat0",
        "tournament = 1", "state = 'declined'", "game = 'quadrature'",
    ],
)  # fmt: skip
def test_the_fingerprint_of_matches_tells_of_every_change(site: Archive, change: str) -> None:
    engine = site.letters.server.engine
    with database.read_only(engine) as session:
        before = visibility.blocks(session)
    with engine.begin() as connection:
        connection.execute(text(f"update match set {change}"))
    with database.read_only(engine) as session:
        assert visibility.blocks(session) != before


def test_the_list_is_for_nobody_else_and_has_no_number_of_the_nameless(shown: Archive) -> None:
    shown.choose("anonymous", "bob")
    shown.publish()
    assert stat.S_IMODE((shown.folder / LIST).stat().st_mode) == 0o600
    ((alice, bob),) = shown.letters.execute("select seat0, seat1 from match")
    listed = sqlite3.connect(shown.folder / LIST)
    assert listed.execute("select seat0, seat1 from match").fetchall() == [(alice, 0)]
    assert bob

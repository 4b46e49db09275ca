"""Nothing on the site is older than the database: whatever happens is seen by who asks next, and kept pages as well."""

import pytest

from tests.publishing.site import NEXT, Archive, broken_links, files

EVERYTHING = ("index.html", "index.json", "feed.xml", "archive.html", "players.html", "matches/0/index.html")
MATCHES = tuple(f"matches/0/{number}.html" for number in (1, 2))


class Watch:
    """Asks one server again and again, and compares with one that was just started, and with frozen sites."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._pages = archive.pages()

    def see(self, what: str) -> dict[str, str]:
        """Return what is shown now, by path."""
        fresh = self.archive.pages()
        self.archive.publish()
        paths = {*files(self.archive.folder), *EVERYTHING, *MATCHES}
        answers = {}
        for path in sorted(paths):
            kept, new = (pages.answer(path) for pages in (self._pages, fresh))
            assert kept == new, (what, path)
            if new is not None:
                answers[path] = new.content.decode(errors="replace")
                assert (self.archive.folder / path).read_bytes() == new.content, (what, path)
        return answers


@pytest.fixture
def watch(shown: Archive) -> Watch:
    """Provide it for a server with a match that is shown."""
    return Watch(shown)


def test_everything_that_happens_is_shown(watch: Watch) -> None:
    site = watch.archive
    site.turn("alice", NEXT)
    assert NEXT.split()[0] in watch.see("a turn")[MATCHES[0]]
    site.letters.say("alice", "undo 1")
    site.letters.reply(site.letters.last("bob"), "yes")
    assert NEXT not in watch.see("a turn that was taken back")[MATCHES[0]]
    site.begin("bob", "carol", "kvadratik")
    assert MATCHES[1] not in watch.see("a match that isn't shown")
    site.choose("anonymous", "carol")
    assert "carol" not in watch.see("somebody without a name")[MATCHES[1]]
    site.choose("on", "carol")
    assert "carol" in watch.see("somebody with a name")[MATCHES[1]]
    assert site.letters.operate("moderate", "rename", "alice", "alicia", "--yes").exit_code == 0
    assert "players/alice.html" not in watch.see("a name")
    site.letters.say("bob", "resign 2")
    site.letters.reply(site.letters.last("bob"), "yes")
    assert "carol won" in watch.see("a match that is over")["feed.xml"]
    site.letters.wait(days=8)
    watch.see("a week that is over")
    site.choose("off", "bob")
    assert not {*MATCHES, "players/bob.html"} & watch.see("somebody who is shown no longer").keys()
    site.choose("on", "bob")
    assert watch.see("and again").keys() > {*MATCHES}
    question = site.letters.say("bob", "delete me")[-1]
    site.letters.reply(question, "yes")
    assert "players/bob.html" not in watch.see("somebody who left")


def test_a_match_that_began_at_a_position_of_another_is_shown_only_with_it(shown: Archive) -> None:
    shown.choose("on", "carol")
    shown.letters.say("alice", "replay 1#1 carol")
    shown.letters.reply(shown.letters.last("carol"), "accept")
    pages = shown.pages()
    assert pages.answer(MATCHES[1]) is not None
    shown.choose("off", "bob")
    assert pages.answer(MATCHES[1]) is None
    listed = pages.answer("index.json")
    assert listed is not None
    assert b"carol" not in listed.content


def test_tournaments_name_only_those_who_still_want_it(watch: Watch) -> None:
    site = watch.archive
    for number, kind in enumerate(("ladder", "round-robin"), start=1):
        site.letters.operate("tournament", "open", kind, "kvadratik", "time=3d/move", "called", f"Spring {kind}")
        for name in ("alice", "bob", "carol"):
            site.letters.say(name, f"enter {number}")
    site.letters.operate("tournament", "begin", "2")
    site.choose("on", "carol")
    site.choose("off", "alice", "bob")
    for number in (1, 2):
        page = watch.see("only carol is named")[f"tournaments/{number}.html"]
        assert "carol" in page
        assert "alice" not in page
    site.choose("off", "carol")
    assert not [name for name in ("1", "2") if "carol" in watch.see("nobody is named")[f"tournaments/{name}.html"]]


def test_a_frozen_site_is_mended_wherever_it_was_left(shown: Archive) -> None:
    assert not broken_links(shown.folder)
    before = files(shown.folder)
    assert (shown.publish().written, shown.publish().removed) == (0, 0)
    (shown.folder / ".unfinished").mkdir()
    (shown.folder / ".unfinished" / "draft").write_bytes(b"half")
    (shown.folder / "matches/0/1.html").unlink()
    (shown.folder / "index.html").write_bytes(b"half")
    (shown.folder / "players/gone.html").write_bytes(b"of somebody who left")
    (shown.folder / ".published.json").write_bytes(b'{"half')
    assert (shown.publish().written, files(shown.folder)) == (2, before)
    assert not (shown.folder / ".unfinished").exists()


def test_the_folder_of_an_earlier_version_is_brought_up_to_date(shown: Archive) -> None:
    before = files(shown.folder)
    (shown.folder / ".published.json").rename(shown.folder / ".published.sqlite")
    (shown.folder / "players/gone.html").write_bytes(b"of somebody who left")
    shown.publish()
    assert files(shown.folder) == before

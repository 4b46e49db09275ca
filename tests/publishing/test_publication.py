"""Only what has changed is written, in an order in which every link leads somewhere, wherever it is interrupted."""

from pathlib import Path
from typing import Any

import pytest

from pbem.publishing import publication
from pbem.publishing.folder import DRAFTS, SiteFolder
from tests.publishing.site import NEXT, Archive, broken_links, files


def test_a_second_time_nothing_is_written_whatever_draft_is_left(shown: Archive) -> None:
    assert not broken_links(shown.folder)
    before = files(shown.folder)
    (shown.folder / DRAFTS).mkdir()
    (shown.folder / DRAFTS / "x").write_bytes(b"half")
    again = shown.publish()
    assert (again.written, again.removed) == (0, 0)
    assert files(shown.folder) == before


class Interrupted(BaseException):
    """The end of the process, as the code that it interrupts sees it."""


def test_wherever_it_is_interrupted_the_next_publication_mends_it(
    shown: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two turns and a player's choice are published, with an end before each step that leaves something behind."""
    monkeypatch.setattr(publication, "AT_ONCE", 1)
    shown.begin("bob", "carol", "kvadratik")
    shown.begin("alice", "bob", "quadrature")
    shown.choose("on", "carol")
    shown.publish()
    shown.turn("alice", NEXT)
    shown.letters.say("alice", "resign 3")
    shown.letters.reply(shown.letters.last("alice"), "yes")
    shown.choose("off", "carol")
    steps = 0
    for step in range(1, 100):
        with monkeypatch.context() as patched:
            left = [step]

            def ending(do: Any, left: list[int] = left) -> Any:
                def once(*given: Any, **named: Any) -> Any:
                    left[0] -= 1
                    if left[0] == 0:
                        raise Interrupted
                    return do(*given, **named)

                return once

            patched.setattr(Path, "replace", ending(Path.replace))
            patched.setattr(Path, "unlink", ending(Path.unlink))
            patched.setattr(SiteFolder, "note", ending(SiteFolder.note))
            patched.setattr(SiteFolder, "forget", ending(SiteFolder.forget))
            copy = tmp_path / f"copy{step}"
            _copied(shown.folder, copy)
            try:
                shown.publish(folder=copy)
            except Interrupted:
                steps += 1
            else:
                break
        assert not broken_links(copy), step
        shown.publish(folder=copy)
        fresh = tmp_path / "fresh"
        if not fresh.exists():
            shown.publish(folder=fresh)
        assert files(copy) == files(fresh), step
    assert steps > 30


def _copied(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.is_file():
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())

"""The pages of games: with many of them, in several languages, and after a game has come, changed or gone."""

from pathlib import Path

import pytest

from tests import toys
from tests.publishing.site import Archive, broken_links, files


def test_a_game_comes_with_its_rules_changes_them_and_goes(
    shown: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(shown.folder)
    toys.offer(monkeypatch, toys.toy(tmp_path, "toy", "Toy"))
    shown.publish()
    assert "Toy" in shown.text("matches/0/1.html")
    (tmp_path / "toy.md").write_text("Toy\n===\n\nThe rules have changed.\n", encoding="utf-8")
    (tmp_path / "toy.de.md").write_text("Spielzeug\n=========\n\nWer den letzten Stein nimmt, gewinnt.\n")
    shown.publish()

    assert "The rules have changed." in shown.text("games/toy.html")
    assert '<a href="../games/toy.de.html" hreflang="de" lang="de">' in shown.text("games/toy.html")
    german = shown.text("games/toy.de.html")
    assert 'lang="de">\n<h1>Spielzeug</h1>\n<p>Wer den letzten Stein nimmt, gewinnt.</p>' in german
    assert broken_links(shown.folder) == []

    (tmp_path / "toy.de.md").unlink()
    shown.publish()
    assert not (shown.folder / "games/toy.de.html").exists()
    monkeypatch.undo()
    shown.publish()
    assert files(shown.folder) == before

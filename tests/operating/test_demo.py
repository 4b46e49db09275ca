"""`pbem demo` plays a match by mail in folders, and leaves a page with its messages, and a site."""

from pathlib import Path

from notation.games import GAMES
from tests.operating.site import Site

# That it tells another board from the printed one: see tests/processes/test_demo.py


def test_the_demo_ends_at_the_printed_board(site: Site, tmp_path: Path) -> None:
    done = site.process("demo", "--folder", str(tmp_path / "demo"))
    assert done.code == 0
    assert "The last board is the one printed on the rule sheet." in done.out
    assert done.err == ""
    commands = [line.split()[1:] for line in done.out.splitlines() if line.startswith("  pbem") and " -c " in line]
    assert [words[0] for words in commands] == ["show", "check"]
    assert [site.pbem(*words).code for words in commands] == [0, 0]
    page = tmp_path / "demo" / "index.html"
    assert str(page) in done.out
    shown = page.read_text(encoding="utf-8")
    assert all(words in shown for words in ("Your turn against bo", "Nothing was done.", "You won!"))
    assert "cid:" not in shown
    board = tmp_path / "demo" / "site" / "games" / "quadraphages-board.html"
    assert board.is_file()
    assert str(board) in done.out.replace("\n", "")


def test_the_demo_plays_any_other_game(site: Site, tmp_path: Path) -> None:
    done = site.pbem("demo", "kvadratik", "--folder", str(tmp_path / "demo"))
    assert done.code == 0
    assert "The last board is that of the match played." in done.out
    unknown = site.pbem("demo", "chess")
    assert (unknown.code, [game for game in GAMES if game not in unknown.err]) == (2, [])

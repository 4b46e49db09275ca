"""`pbem demo` plays a match over real SMTP, and leaves a page with its messages, and a site."""

from pathlib import Path

import pytest

from notation import record
from notation.games import GAMES
from pbem.cli.demo import playing
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
    assert (tmp_path / "demo" / "pbem-1-quadraphages.gif").read_bytes().startswith(b"GIF8")


def test_the_demo_plays_any_other_game(site: Site, tmp_path: Path) -> None:
    done = site.pbem("demo", "kvadratik", "--folder", str(tmp_path / "demo"))
    assert done.code == 0
    assert "The last board is that of the match played." in done.out
    assert "  pbem play kvadratik" in done.out
    unknown = site.pbem("demo", "chess")
    assert (unknown.code, [game for game in GAMES if game not in unknown.err]) == (2, [])


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_match_at_random_is_a_match_and_the_same_again(game: str) -> None:
    match = playing.at_random(game)

    assert len(record.replay(match)) == len(match.moves) + 1
    assert match == playing.at_random(game)


def test_the_demo_says_so_when_a_turn_of_the_record_is_illegal(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "record.txt"
    sheet = playing.SAMPLE.read_text(encoding="utf-8")
    other.write_text(sheet.replace("3   g4d4", "3   g4d5"), encoding="utf-8")
    monkeypatch.setattr(playing, "SAMPLE", other)
    done = site.pbem("demo", "--folder", str(tmp_path / "demo"))
    assert (done.code, "g4d5" in done.out, "The last board is the one printed" in done.out) == (1, True, False)

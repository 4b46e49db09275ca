"""`pbem demo` plays the sample match over real SMTP and reports correctly whether the last board is as expected."""

from pathlib import Path

import pytest

from notation import record
from notation.games import GAMES
from pbem.cli.demo import playing
from tests.operating.site import Site


@pytest.mark.slow
def test_the_demo_ends_at_the_printed_board(site: Site, tmp_path: Path) -> None:
    done = site.process("demo", "--folder", str(tmp_path / "demo"))
    assert done.code == 0
    assert "The last board is the one printed on the rule sheet." in done.out
    assert done.err == ""
    commands = [line.split()[1:] for line in done.out.splitlines() if line.startswith("  pbem") and " -c " in line]
    assert [words[0] for words in commands] == ["show", "check"]
    assert [site.pbem(*words).code for words in commands] == [0, 0]
    assert "  pbem play quadraphages" in done.out
    page = tmp_path / "demo" / "index.html"
    assert str(page) in done.out
    shown = page.read_text(encoding="utf-8")
    assert all(words in shown for words in ("Your turn against bo", "Nothing was done.", "You won!"))
    assert "cid:" not in shown
    assert (tmp_path / "demo" / "pbem-1-quadraphages.gif").read_bytes().startswith(b"GIF8")


@pytest.mark.slow
@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("game", ["hexaphages", "kvadratik", "quadrature", "quadrupel"])
def test_the_demo_plays_any_game(game: str, site: Site, tmp_path: Path) -> None:
    done = site.pbem("demo", game, "--folder", str(tmp_path / "demo"))

    assert done.code == 0
    assert "The last board is that of the match played." in done.out
    assert f"  pbem play {game}" in done.out


@pytest.mark.parametrize("game", GAMES)
def test_the_match_at_random_is_a_match_and_the_same_again(game: str) -> None:
    match = playing.at_random(game)

    assert len(record.replay(match)) == len(match.moves) + 1
    assert match == playing.at_random(game)


def test_an_unknown_game_is_refused_with_those_that_there_are(site: Site) -> None:
    done = site.pbem("demo", "chess")

    assert done.code == 2
    assert all(game in done.err for game in GAMES)


@pytest.mark.slow
def test_the_demo_says_so_when_the_last_board_is_another(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is when the match ends after two rounds."""
    other = tmp_path / "record.txt"
    sheet = playing.SAMPLE.read_text(encoding="utf-8")
    later, board = sheet.index("\n3.  "), sheet.index("\n\no x o o")
    other.write_text(f"{sheet[:later]}\n3.  resign{sheet[board:]}", encoding="utf-8")
    monkeypatch.setattr(playing, "SAMPLE", other)
    done = site.pbem("demo", "--folder", str(tmp_path / "demo"))
    assert done.code == 1
    assert "The last board is not the one printed on the rule sheet." in done.out


@pytest.mark.slow
def test_the_demo_says_so_when_a_turn_of_the_record_is_illegal(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "record.txt"
    sheet = playing.SAMPLE.read_text(encoding="utf-8")
    other.write_text(sheet.replace("3   g4d4", "3   g4d5"), encoding="utf-8")
    monkeypatch.setattr(playing, "SAMPLE", other)
    done = site.pbem("demo", "--folder", str(tmp_path / "demo"))
    assert done.code == 1
    assert "g4d5" in done.out
    assert "The last board is the one printed" not in done.out

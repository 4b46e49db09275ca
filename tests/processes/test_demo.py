"""`pbem demo` plays a match by mail in folders, and says whether the last board is the one on the rule sheet."""

from pathlib import Path

import pytest

from pbem.cli import demo
from tests.operating.site import Site

pytestmark = pytest.mark.own_database


def test_the_demo_plays_a_match_and_sees_another_board_than_the_printed_one(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = demo.SAMPLE.read_text(encoding="utf-8")
    short = tmp_path / "record.txt"
    moves, printed = sheet[: sheet.index("\n2.  ")], "\n\no x o o"
    short.write_text(f"{moves}\n2.  resign{sheet[sheet.index(printed) :]}", encoding="utf-8")
    monkeypatch.setattr(demo, "SAMPLE", short)

    done = site.pbem("demo", "--folder", str(tmp_path / "demo"))

    assert done.code == 1
    assert "The last board is not the one printed on the rule sheet." in done.out
    page = (tmp_path / "demo" / "index.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("Your turn against bo", "You won!"))

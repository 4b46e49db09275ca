"""`pbem demo` plays the sample match over real SMTP and reports correctly whether the last board is as expected."""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from sqlalchemy import create_engine

from notation import record
from notation.games import GAMES
from pbem.cli.demo import playing
from tests.operating.environments import ROOT
from tests.operating.site import Site, environment, rows
from tests.servers import GENEROUS, until


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


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Run the demo at a terminal; provide the addresses that it ends with, and that of its database."""
    folder, (terminal, end) = tmp_path_factory.mktemp("demo"), pty.openpty()
    run = "from tests import faked_clock; faked_clock.mend(); from pbem.cli import main; main()"
    program = [sys.executable, "-c", run, "demo", "kvadratik", "--folder", str(folder)]
    around = environment() | {"TERM": "xterm", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(program, stdin=end, stdout=end, stderr=subprocess.PIPE, text=True, env=around) as process:
        os.close(end)
        said = b""
        try:
            while b"Ctrl-C ends" not in said:
                said += os.read(terminal, 4096)
            found = re.findall(r"(The site|Your board|Your mailbox): +(\S+)", said.decode())
            yield {**dict(found), "database": f"sqlite:///{folder}/pbem.sqlite"}
        finally:
            process.send_signal(signal.SIGINT)
            assert process.stderr
            ended = process.wait(GENEROUS), process.stderr.read()
            os.close(terminal)
    assert b"The last board is that of the match played." in said
    assert ended == (0, "")


def asked(url: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
    """Return the status and the text of a page, perhaps with a form that is sent to it."""
    data = None if form is None else urlencode(form).encode()
    try:
        with urlopen(Request(url, data, headers)) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        with refused, suppress(ConnectionError):  # what is too long isn't read to its end
            return refused.code, refused.read().decode()
        return refused.code, ""


@pytest.mark.slow
def test_a_match_is_tapped_in_a_browser_where_links_for_mail_open_a_form(begun: dict[str, str], browser: Any) -> None:
    """Until the house has answered two turns: what the form sends is read, and the answer links to the next board."""
    with browser.new_context().new_page() as page:
        whole, choices, cells = map(page.locator, (".whole", ".choices button", "[data-cell].can"))
        board = page.get_by_role("link", name="Tap your turn on a board")
        page.goto(begun["Your board"])
        for _ in range(2):
            until(
                lambda: whole.is_visible() or (choices if choices.count() else cells).first.click(), "a turn is whole"
            )
            turn = page.locator(".chosen output").inner_text()
            page.get_by_role("link", name="Send this turn by email").click()
            page.wait_for_url("**/mail/write?*")
            assert page.get_by_label("To").input_value().startswith("games+")
            assert page.get_by_label("Text").input_value() == turn
            page.get_by_role("button", name="Send").click()
            page.wait_for_url(re.compile(r"/mail/[0-9]+$"))
            assert turn in page.content()
            until(lambda: board.count() or page.reload(), "the house answers")
            board.click()
            page.wait_for_url("**/boards/**")
        page.get_by_role("link", name="Mailbox").click()
        assert page.get_by_role("link", name="your turn").count() == 3
        page.goto(f"{begun['The site']}matches/0/2.html")
        assert turn in page.content()


@pytest.mark.slow
def test_only_the_pages_of_the_demo_send_messages(begun: dict[str, str]) -> None:
    site, write = begun["The site"], f"{begun['The site']}mail/write"
    form, own = {"to": "games@pbem.example", "subject": "", "body": "help"}, {"Origin": site.rstrip("/")}
    engine = create_engine(begun["database"])
    before = rows(engine, "select count(*) from incoming")
    for headers in ({}, {"Origin": "null"}, {"Origin": "http://evil.example"}, {"Origin": site}):
        assert asked(write, form, **headers)[0] == 403
    assert asked(write, form, **own, Host="evil.example")[0] == 421
    assert asked(f"{site}mail/", Host="evil.example")[0] == 421
    assert asked(write, form | {"body": "x" * 100_000}, **own)[0] == 400
    status, page = asked(write, form | {"to": "<postmaster@elsewhere.example>"}, **own)
    assert (status, "can't be sent to &lt;postmaster@elsewhere.example&gt;" in page) == (400, True)
    assert asked(f"{write}?to=%22%3E%3Cscript%3E&body=%3C/textarea%3E")[1].count("<script") == 1, (
        "only that of the demo"
    )
    assert rows(engine, "select count(*) from incoming") == before
    assert asked(write, form, **own)[0] == 200
    assert rows(engine, "select count(*) from incoming") == [before[0] + 1]
    engine.dispose()


@pytest.mark.slow
def test_the_demo_serves_its_site_as_others_do_apart_from_the_script(begun: dict[str, str]) -> None:
    site = begun["The site"]
    assert '<script src="/mail/mailto.js" defer></script></head>' in asked(site)[1]
    assert asked(f"{site}.published.sqlite")[0] == 404
    assert asked(f"{site}mail/99")[0] == 404

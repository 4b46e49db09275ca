"""Boards to tap: who gets a link, what is on the page, and when the page is gone."""

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notation.games import GAMES
from pbem import tokens
from pbem.publishing import pages
from pbem.publishing.board_pages import sweep
from pbem.secret import BadConfig
from pbem.tokens import LENGTH, Keyring, Purpose, Token
from tests.correspondence import settings, text
from tests.publishing.site import URL, WORDS, Archive, with_boards

LAST = "f1g1 h7h6 1 g1h1 h6h5"
LINK = re.compile(rf"{re.escape(URL)}(boards/\w/(\w+)\.html)")


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[Archive]:
    """Provide a server that links to boards, with a match of three turns; it's bob's turn."""
    with with_boards(tmp_path) as made:
        yield made


def page(boards: Archive, name: str) -> str:
    """Return the path of the page to which the newest message to somebody links."""
    return LINK.findall(text(boards.letters.last(name)))[0][0]


def both(boards: Archive) -> set[str]:
    """Return the paths of the pages to which the newest messages to both players link."""
    return {page(boards, "alice"), page(boards, "bob")}


def there(boards: Archive) -> set[str]:
    """Return the paths of all pages."""
    return {str(each.relative_to(boards.folder)) for each in (boards.folder / "boards").rglob("*.html")}


def data(content: str) -> Any:
    """Return what the script reads on a page."""
    return json.loads(content.partition('id="turns">')[2].partition("</script>")[0])


def swept(boards: Archive) -> int:
    """Sweep. Return how many pages were removed."""
    server = boards.letters.server
    return sweep(server.engine, boards.folder, server.settings.server.keyring(), boards.letters.clock())


def test_each_player_gets_a_page_of_their_own(boards: Archive) -> None:
    path = page(boards, "bob")
    html = boards.letters.last("bob").get_body(("html",))
    assert html is not None
    assert f"{URL}{path}" in html.get_content()
    assert there(boards) == {path, page(boards, "alice")}
    assert "your turn in match #1" in boards.text(path)
    assert "prepare your answer in match #1" in boards.text(page(boards, "alice"))


def test_the_page_tells_nothing_of_the_opponent_and_only_our_addresses(boards: Archive) -> None:
    content = boards.text(page(boards, "bob"))
    found = set(re.findall(r"[\w.+%-]+(?:@|%40)[\w.-]+", content))
    assert {re.sub(r"(\+|%2B)\w+", "", each) for each in found} == {"games@pbem.example"}
    for secret in ("alice", "bob", "mail.example", *WORDS.split()[0:1]):
        assert secret not in content
    assert '<meta name="robots" content="noindex, nofollow">' in content
    assert '<meta name="referrer" content="no-referrer">' in content


def test_it_is_in_no_list_and_nobody_can_list_the_folder(boards: Archive) -> None:
    name = Path(page(boards, "bob")).stem
    boards.choose("on", "alice", "bob")
    boards.publish()
    for file in boards.folder.rglob("*.*"):
        if file.is_file() and "boards" not in file.parts:
            assert name.encode() not in file.read_bytes()
    for folder in (boards.folder / "boards", boards.folder / "boards" / name[-1]):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o711


def test_it_is_gone_when_the_turn_is_played_or_the_match_is_over(boards: Archive) -> None:
    boards.turn("bob", LAST)
    assert there(boards) == both(boards)
    boards.letters.resign("bob")
    assert not there(boards)


def test_revoking_ends_it(boards: Archive) -> None:
    before = page(boards, "bob")
    boards.letters.say("bob", "revoke")
    boards.letters.reply(boards.letters.last("bob"), "yes")
    swept(boards)
    assert before not in there(boards)


def test_what_a_crash_has_left_is_swept_and_what_is_due_stays(boards: Archive) -> None:
    due = both(boards)
    keyring = boards.letters.server.settings.server.keyring()
    stray = [
        keyring.format(Token(Purpose.BOARD, 2, 1, 2), 0),  # of an earlier turn
        keyring.format(Token(Purpose.BOARD, 2, 77, 3), 0),  # of a match that isn't there
        keyring.format(Token(Purpose.BOARD, 3, 1, 3), 0),  # of somebody who doesn't play
        Keyring("another key").format(Token(Purpose.BOARD, 2, 1, 3), 0),
        keyring.format(Token(Purpose.PLAY, 2, 1, 3), 0),
        "index",
    ]
    for name in stray:
        file = boards.folder / "boards" / name[-1] / f"{name}.html"
        file.parent.mkdir(exist_ok=True)
        file.write_text("", encoding="utf-8")
    (boards.folder / "boards" / ".unfinished" / "draft").touch()
    assert swept(boards) == len(stray)
    assert there(boards) == due
    assert not list((boards.folder / "boards" / ".unfinished").iterdir())


def test_the_name_is_a_token_that_acts_nowhere(boards: Archive) -> None:
    name = Path(page(boards, "bob")).stem
    assert (len(name), name) == (LENGTH, name.lower())
    token = tokens.parse(name)
    assert token is not None
    assert (token.purpose, token.subject, token.ply) == (Purpose.BOARD, 1, 3)
    assert boards.letters.server.settings.server.keyring().signed(name, 0)
    before = len(boards.letters.log)
    assert not boards.letters.write("bob@mail.example", LAST, to=f"games+{name}@pbem.example")
    assert len(boards.letters.log) == before + 1


def test_a_link_that_is_quoted_reaches_nobody_else(boards: Archive) -> None:
    name = Path(page(boards, "bob")).stem
    boards.turn("bob", f"{LAST}\n\nlook at {URL}boards/{name[-1]}/{name}.html")
    for mail in boards.letters.received["alice@mail.example"]:
        assert name not in mail.as_string()
    assert "(token)" in text(boards.letters.last("alice"))


def test_no_link_unless_it_is_wanted_and_there_is_an_address_to_link_to(tmp_path: Path) -> None:
    with with_boards(tmp_path, "false") as made:
        assert not LINK.findall(text(made.letters.last("bob")))
    with pytest.raises(BadConfig, match="boards = true needs folder and url"):
        settings(tmp_path, more='[publish]\nfolder = "site"\nboards = true')


def test_a_full_disk_costs_the_link_and_not_the_message(boards: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise OSError("disk full")

    monkeypatch.setattr(pages, "board", fail)
    boards.turn("bob", LAST)
    assert "To move, reply with your turn" in text(boards.letters.last("alice"))
    assert not LINK.findall(text(boards.letters.last("alice")))


def test_every_game_has_a_board_to_try_which_begins_a_match(boards: Archive) -> None:
    boards.publish()
    for key in GAMES:
        content = boards.text(f"games/{key}-board.html")
        assert f'href="{key}-board.html"' in boards.text(f"games/{key}.html")
        assert data(content)["mailto"].endswith(f"&body=play%20{key}%20begin%3Dme")
        assert "noindex" not in content
    boards.letters.say("bob", "play kvadratik begin=me")
    assert "You move first." in text(boards.letters.last("bob"))

"""Boards to tap: who gets a link, what is on the page, and when the page is gone."""

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from notation.games import GAMES
from pbem import tokens
from pbem.secret_setting import BadConfig
from pbem.tokens import LENGTH, Keyring, Purpose, Token
from tests.correspondence import settings, text
from tests.publishing.site import LAST, LINK, NEXT, URL, WORDS, Archive, page, shown, with_boards


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[Archive]:
    """Provide a server that links to boards, with a match of three turns; it's bob's turn."""
    with with_boards(tmp_path) as made:
        yield made


def data(content: str) -> Any:
    """Return what the script reads on a page."""
    return json.loads(content.partition('id="turns">')[2].partition("</script>")[0])


def test_each_player_gets_a_page_of_their_own(boards: Archive) -> None:
    path = page(boards, "bob")
    html = boards.letters.last("bob").get_body(("html",))
    assert html is not None
    assert f"{URL}{path}" in html.get_content()
    assert "your turn in match #1" in shown(boards, path)
    assert "prepare your answer in match #1" in shown(boards, page(boards, "alice"))


def test_the_page_tells_of_the_match_and_has_only_our_addresses(boards: Archive) -> None:
    content = shown(boards, page(boards, "bob"))
    assert f"against alice. alice played {NEXT} in turn 3. Time left: you have" in content
    assert "<form" not in content
    found = set(re.findall(r"[\w.+%-]+(?:@|%40)[\w.-]+", content))
    assert {re.sub(r"(\+|%2B)\w+", "", each) for each in found} == {"games@pbem.example"}
    for secret in ("mail.example", *WORDS.split()[0:1]):
        assert secret not in content
    assert '<meta name="robots" content="noindex, nofollow">' in content
    assert '<meta name="referrer" content="no-referrer">' in content


def test_it_is_in_no_list_and_on_no_frozen_site(boards: Archive) -> None:
    name = PurePosixPath(page(boards, "bob")).name
    boards.choose("on", "alice", "bob")
    boards.publish()
    assert not (boards.folder / "board").exists()
    for file in boards.folder.rglob("*.*"):
        assert not file.is_file() or name.encode() not in file.read_bytes()


def test_it_shows_the_board_now_and_an_older_link_plays_nothing(boards: Archive) -> None:
    before = page(boards, "bob")
    assert data(shown(boards, before))["mailto"]
    boards.turn("bob", LAST)
    old, new = shown(boards, before), shown(boards, page(boards, "bob"))
    assert "The link is from an older message" in old
    assert "mailto:games%2B" not in old
    assert "prepare your answer" in new
    assert "mailto:games%2B" in new
    boards.turn("alice", "give")
    boards.letters.resign("bob")
    assert not shown(boards, before)


def test_revoking_ends_it_at_once_and_so_does_a_ban(boards: Archive) -> None:
    before, others = page(boards, "bob"), page(boards, "alice")
    boards.letters.say("bob", "revoke")
    boards.letters.reply(boards.letters.last("bob"), "yes")
    assert not shown(boards, before)
    boards.letters.operate("moderate", "ban", "alice", "--yes")
    assert not shown(boards, others)


def test_what_nobody_was_given_is_not_there(boards: Archive) -> None:
    keyring = boards.letters.server.settings.server.keyring()
    for name in (
        keyring.format(Token(Purpose.BOARD, 2, 77, 3), 0),  # of a match that isn't there
        keyring.format(Token(Purpose.BOARD, 3, 1, 3), 0),  # of somebody who doesn't play
        Keyring("another key").format(Token(Purpose.BOARD, 2, 1, 3), 0),
        keyring.format(Token(Purpose.PLAY, 2, 1, 3), 0),
    ):
        assert not shown(boards, f"board/{name}")


def test_the_unfinished_turn_of_the_opponent_is_not_shown(boards: Archive) -> None:
    before = shown(boards, page(boards, "alice"))
    boards.turn("bob", LAST.partition(" g1h1")[0])
    assert boards.letters.rows("select part is null from match") == [0]
    assert shown(boards, page(boards, "alice")) == before


def test_the_name_is_a_token_that_acts_nowhere(boards: Archive) -> None:
    name = PurePosixPath(page(boards, "bob")).name
    assert (len(name), name) == (LENGTH, name.lower())
    token = tokens.parse(name)
    assert token is not None
    assert (token.purpose, token.subject, token.ply) == (Purpose.BOARD, 1, 3)
    assert boards.letters.server.settings.server.keyring().signed(name, 0)
    before = len(boards.letters.log)
    assert not boards.letters.write("bob@mail.example", LAST, to=f"games+{name}@pbem.example")
    assert len(boards.letters.log) == before + 1


def test_a_link_that_is_quoted_reaches_nobody_else(boards: Archive) -> None:
    name = PurePosixPath(page(boards, "bob")).name
    boards.turn("bob", f"{LAST}\n\nlook at {URL}board/{name}")
    for mail in boards.letters.received["alice@mail.example"]:
        assert name not in mail.as_string()
    assert "(token)" in text(boards.letters.last("alice"))


def test_no_link_unless_it_is_wanted_and_there_is_an_address_to_link_to(tmp_path: Path) -> None:
    with with_boards(tmp_path, "false") as made:
        assert not LINK.findall(text(made.letters.last("bob")))
    with pytest.raises(BadConfig, match="boards = true needs url"):
        settings(tmp_path, more="[serve]\nboards = true")


def test_every_game_has_a_board_to_try_which_begins_a_match(boards: Archive) -> None:
    boards.publish()
    for key in GAMES:
        content = boards.text(f"games/{key}-board.html")
        assert f'href="{key}-board.html"' in boards.text(f"games/{key}.html")
        assert data(content)["mailto"].endswith(f"&body=play%20{key}%20begin%3Dme")
        assert "noindex" not in content
    boards.letters.say("bob", "play kvadratik begin=me")
    assert "You move first." in text(boards.letters.last("bob"))

"""Turns that a board sends by itself: stored like an email with the same reply address, and never more than once."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from notation.games import GAMES
from pbem.publishing import board_form
from pbem.secret_setting import BadConfig
from pbem.tokens import Purpose, Token
from tests.correspondence import correspondence, settings, text
from tests.publishing.site import LAST, NEXT, OPENING, URL, Archive, page, shown, with_boards

BORDER = "mx.pbem.example"
TOKEN_AND_DOMAIN = f'[checks]\nauthserv_id = "{BORDER}"\nproof = "token and domain"'
PASS = f"{BORDER}; dkim=pass header.d=mail.example; dmarc=pass header.from=mail.example"


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[Archive]:
    """Provide a server whose boards send turns, with a match of three turns; it's bob's turn."""
    with with_boards(tmp_path, post="true") as made:
        yield made


def send(boards: Archive, path: str, turn: str, words: str = "") -> str | None:
    """Send the form of a page. Return what it says then; None if there is no such page."""
    answer = boards.pages().take(path, turn, words)
    return answer and answer.content.decode()


def test_a_turn_is_received_played_and_answered_like_an_email(boards: Archive) -> None:
    path = page(boards, "bob")
    assert '<form class="send" method="post">' in shown(boards, path)
    assert send(boards, path, LAST, "Züge wie  im Film; resign") == ""
    waiting = shown(boards, path)
    assert "This page will say so." in waiting
    assert 'http-equiv="refresh"' in waiting
    assert "mailto:games%2B" not in waiting
    told = " ".join(text(mail) for mail in boards.letters.wait() if mail["To"] == "alice@mail.example")
    assert "| Züge wie im Film; resign" in told
    assert LAST in told
    assert f"Your turn was played: {LAST}." in shown(boards, path)
    assert boards.letters.rows("select count(*) from match where state = 'running'") == [1]
    assert f"{URL}board/" in text(boards.letters.last("bob")), "the answer"


def test_what_is_sent_twice_is_stored_once_and_played_once(boards: Archive) -> None:
    path = page(boards, "bob")
    for _ in range(2):
        assert send(boards, path, LAST) == ""
    assert boards.letters.rows("select count(*) from incoming where source = 'board 1'") == [1]
    boards.letters.wait()
    assert "Nothing was sent: the match has gone on" in str(send(boards, path, LAST))
    assert boards.letters.rows("select plies from match") == [4]


def test_what_is_no_turn_is_said_at_once_and_isn_t_stored(boards: Archive) -> None:
    path = page(boards, "bob")
    for turn in ("resign", "a1", "f1g1 <b>", "", "x" * 501, "f1g1\0h7h6"):
        said = str(send(boards, path, turn))
        assert 'class="news"' in said
        assert "f1g1 <b>" not in said
    assert boards.letters.rows("select count(*) from incoming where source = 'board 1'") == [0]
    assert "mailto:games%2B" in said


def test_an_answer_is_prepared(boards: Archive) -> None:
    path, keyring = page(boards, "alice"), boards.letters.server.settings.server.keyring()
    pack, plays = GAMES["quadraphages"], (*OPENING, NEXT, LAST)
    position = pack.game.position({})
    for turn in plays:
        position = position.play(pack.notation.parse(turn))
    answer = pack.notation.format(next(iter(position.moves())), position)
    assert "Write &#34;if TURN then TURN&#34;" in str(send(boards, path, LAST))
    assert send(boards, path, f"if {LAST} then b5b6 a1b2") != ""
    assert send(boards, path, f"if {LAST} then {answer}") == ""
    boards.letters.wait()
    assert f"You have prepared: <kbd>if {LAST} then {answer}</kbd>" in shown(boards, path)
    older = shown(boards, f"board/{keyring.format(Token(Purpose.BOARD, 1, 1, 1), 0)}")
    assert "against bob" in older
    assert answer not in older, "a message that others may have"
    assert "Time left" not in older
    boards.turn("bob", LAST)
    assert boards.letters.rows("select plies from match") == [5]


def test_nobody_moves_for_somebody_else(boards: Archive) -> None:
    keyring, path = boards.letters.server.settings.server.keyring(), page(boards, "bob")
    for token in (Token(Purpose.BOARD, 3, 1, 3), Token(Purpose.BOARD, 2, 2, 3), Token(Purpose.PLAY, 2, 1, 3)):
        assert send(boards, f"board/{keyring.format(token, 0)}", LAST) is None
    assert send(boards, path.replace("board/", "boards/"), LAST) is None
    boards.begin("bob", "carol")
    boards.turn("bob", LAST)
    assert PurePosixPath(page(boards, "carol")).name not in shown(boards, path)
    boards.letters.say("bob", "revoke")
    boards.letters.reply(boards.letters.last("bob"), "yes")
    assert send(boards, path, LAST) is None


def test_there_is_a_limit_by_the_hour(boards: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_form, "MOST_IN_AN_HOUR", 1)
    path = page(boards, "bob")
    assert send(boards, path, LAST) == ""
    assert "too much from here in an hour" in str(send(boards, path, "give"))


def test_pages_send_nothing_unless_that_is_wanted(tmp_path: Path) -> None:
    with with_boards(tmp_path) as made:
        assert made.pages().take(page(made, "bob"), LAST, "") is None
    with pytest.raises(BadConfig, match="post = true needs boards"):
        settings(tmp_path, more="[serve]\npost = true")


def test_where_a_domain_must_vouch_too_the_player_is_asked_by_email(tmp_path: Path) -> None:
    more = f'[serve]\nurl = "{URL}"\nboards = true\npost = true\n{TOKEN_AND_DOMAIN}'
    with correspondence(tmp_path, more=more) as letters:
        with letters.trusting(PASS):
            letters.match()
        made = Archive(letters, tmp_path / "site")
        path = page(made, "alice")
        assert send(made, path, "1 a7b7 i3i2") == ""
        (question,) = letters.wait()
        assert (question["To"], letters.played) == ("alice@mail.example", [])
        letters.reply(question, "yes")
        assert letters.played == ["1 a7b7 i3i2"]

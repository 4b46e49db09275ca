"""Anything wrong with a message: one helpful reply, or deliberate silence, and nothing changes."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.two_turns)

ALICE, BOB = "alice@mail.example", "bob@mail.example"
MOVE = "b7d7 i2g2 3 d7d4 g2d2"


def standing(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return everything that a message can change."""
    return [
        row for table in ("match", "ply", "player") for row in letters.execute(f"select * from {table} order by id")
    ]


def token_of(letters: Correspondence) -> str:
    """Return the address at which alice's messages act at once."""
    return str(letters.last("alice")["Reply-To"].addresses[0].addr_spec)


def test_a_player_whose_words_cannot_be_read_is_told_where_they_are_and_a_subject_is_read(
    letters: Correspondence,
) -> None:
    head = f"From: {ALICE}\nTo: {token_of(letters)}\nMessage-ID: <{{}}@mail.example>\n"
    logo = "Subject: show\nContent-Type: image/png\n\nx"
    sealed = "Subject: Re: your turn\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx"

    (answer,) = letters.deliver((head.format(1) + sealed).encode())
    assert "wasn't read: it is encrypted, and this server has no key." in said(answer)
    assert "Send it again without encryption; it may be signed." in said(answer)
    (board,) = letters.deliver((head.format(2) + logo).encode())
    assert "Match #1" in said(board)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("frobnicate 12", ["neither a turn nor a command", "| frobnicate 12", "| ^^^^^^^^^^"]),
        ("b7d7 i2g2 9 d7d6 g2g1", ["| b7d7 i2g2 9", "|           ^", "a number from 1 to 8"]),
        ("b7d7 i2i5 3 d7d6 g2g1", ["| b7d7 i2i5", "^^^^", "2"]),
        ("", ["no text of your own"]),
        (f"{MOVE}\nb7b9 i2g2 1 b9b8 g2g1", ["two turns for the same match", "b7b9 i2g2 1 b9b8 g2g1"]),
        (
            "challenge nobody quadraphages\nresign\n\nBye!",
            ["No player is called nobody", "were skipped", "| resign", "| Bye!"],
        ),
    ],
)
def test_a_refusal_names_the_place_and_what_works(letters: Correspondence, words: str, expected: list[str]) -> None:
    before = standing(letters)

    (answer,) = letters.reply(letters.last("alice"), words)

    assert answer["To"] == ALICE
    assert [part for part in expected if part not in text(answer) and part not in said(answer)] == []
    assert standing(letters) == before


@pytest.mark.parametrize(
    ("words", "expected"), [(MOVE, "You replied to an older message"), ("1 i3i2 a7b7", "already been played")]
)
def test_a_stale_turn_is_told_so_and_shown_the_board(letters: Correspondence, words: str, expected: str) -> None:
    before = standing(letters)

    (answer,) = letters.reply(letters.received[ALICE][2], words)

    assert expected in said(answer)
    assert "Your opponent's number is 2" in text(answer)
    assert standing(letters) == before


def test_a_second_delivery_of_the_same_mail_does_nothing(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), MOVE)
    sent = next(mail for way, mail in reversed(letters.log) if way == "in")
    before = standing(letters)

    raw = b"Received: from elsewhere\nReturn-Path: <alice@mail.example>\n" + sent.as_bytes()

    assert letters.deliver(raw) == []
    assert standing(letters) == before


def test_a_mail_that_is_too_large_is_told_so(letters: Correspondence) -> None:
    before = standing(letters)

    (answer,) = letters.write(ALICE, "resign\n" + "x" * 1_100_000, to=token_of(letters))

    assert "larger than 1000 KB" in text(answer)
    assert standing(letters) == before


def test_what_may_be_quoted_goes_to_nobody_and_a_lone_number_is_asked_about(letters: Correspondence) -> None:
    board = letters.last("alice")
    (asked,) = letters.reply(board, "Room\n8\n2nd floor")
    assert "or one of your words, so nothing was done" in said(asked)

    answers = letters.reply(
        board, f"Help yourself\nGames are fun\n\n{MOVE}\n\nThanks!\n\nAnn Ray, 20.06.2024 16:20\nI had a bad week"
    )
    assert letters.played[-1] == MOVE
    told = [said(each) for each in answers if each["To"] == ALICE]
    assert any("may be part of a message that you quoted" in each and "I had a bad week" in each for each in told)
    assert "Help yourself | Games are fun" in said(letters.last("bob"))
    assert "Thanks!" in text(letters.last("bob"))
    assert "bad week" not in text(letters.last("bob"))

"""Machines: their messages are never commands, and get no answer."""

import pytest

from tests import scenes
from tests.cases import quick_where
from tests.correspondence import Correspondence

pytestmark = scenes.after(scenes.match)
TURN = "1 a7b7 i3i2"


LIST = {"Precedence": "bulk", "List_Id": "<some.list.example>"}


@pytest.mark.parametrize(
    "headers",
    quick_where(
        lambda headers: "Return_Path" in headers,
        [{"Auto_Submitted": "auto-replied", **LIST}, {"Return_Path": "<>"}, {"X_Auto_Response_Suppress": "All"}],
    ),
)
def test_an_out_of_office_notice_is_no_command_whatever_it_says(
    letters: Correspondence, headers: dict[str, str]
) -> None:
    mail = letters.last("alice")

    for words in (TURN, "resign", "yes", "revoke"):
        to = mail["Reply-To"].addresses[0].addr_spec
        assert letters.write("alice@mail.example", f"{words}\n\nI am away.", "Re: your turn", to=to, **headers) == []

    assert letters.played == []
    assert letters.rows("select state from match") == ["running"]


def test_a_turn_with_its_token_counts_though_a_list_on_the_way_added_its_signs(letters: Correspondence) -> None:
    token = letters.last("alice")["Reply-To"].addresses[0].addr_spec

    for words in ("resign", "1 a7b7 i3", "show", f"{TURN}\n\nresign"):
        assert letters.write("alice@mail.example", words, to=token, **LIST) == []
    for of_thread in ({}, {"In_Reply_To": str(letters.last("alice")["Message-ID"])}):
        assert letters.write("alice@mail.example", f"#1 {TURN}", **of_thread, **LIST) == []
    assert letters.write("alice@mail.example", f"#1 {TURN}", to=letters.personal("alice"), **LIST) == []
    assert letters.played == []

    assert len(letters.write("alice@mail.example", TURN, to=token, **LIST)) == 2
    assert letters.write("alice@mail.example", TURN, to=token, **LIST) == []
    letters.execute("update player set banned = created where name = 'alice'")
    assert letters.write("alice@mail.example", TURN, to=token, **LIST) == []
    assert letters.played == [TURN]


def test_our_own_messages_say_that_a_machine_wrote_them(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "frobnicate")
    letters.write("alice@mail.example", "#1 resign")
    for way, mail in letters.log:
        if way == "out":
            assert mail["Auto-Submitted"] in ("auto-replied", "auto-generated")
            assert mail["X-Auto-Response-Suppress"] == "All"
            assert mail["X-PBeM-Server"] == "pbem.example"


@pytest.mark.slow
def test_a_player_with_a_token_is_answered_however_often_nothing_can_be_done(letters: Correspondence) -> None:
    board = letters.last("alice")
    assert [len(letters.reply(board, "Who are you?")) for _ in range(5)] == [1] * 5
    (question,) = letters.reply(board, "resign")
    assert [len(letters.reply(question, "Who are you?")) for _ in range(5)] == [1] * 5

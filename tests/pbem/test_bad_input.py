"""Anything wrong with a message: one helpful reply, or deliberate silence, and nothing changes."""

import base64
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from pbem import tokens
from pbem.players.rate_limits import DOMAIN_PER_DAY, STRANGER_PER_DAY
from pbem.tokens import Keyring, Purpose, Token
from tests import spent
from tests.correspondence import ADDRESS, Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


def standing(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return everything that a message can change."""
    with letters.server.engine.connect() as connection:
        rows = [
            tuple(row)
            for table in ("match", "ply", "player")
            for row in connection.execute(sql(f'select * from "{table}" order by id'))
        ]
        connection.rollback()
    return rows


def answered(letters: Correspondence, mails: list[EmailMessage], address: str = ALICE) -> str:
    """Assert that there is one reply, to that address, and return its text."""
    assert [str(mail["To"]) for mail in mails] == [address]
    return text(mails[0])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("frobnicate 12", ["neither a turn nor a command", "| frobnicate 12", "| ^^^^^^^^^^"]),
        ("b7d7 i2g2 9 d7d6 g2g1", ["| b7d7 i2g2 9", "|           ^", "a number from 1 to 8"]),
        ("b7d7 i2g2 0 d7d6 g2g1", ["|           ^", "a number from 1 to 8"]),
        ("b7d7 i2g2 3 d7d6 g2z1", ["|                    ^", "a letter from a to i"]),
        ("b7d7 i2g2 3 d7d6 g2g1", ["d7d6", "^^^^", "To move, reply"]),
        ("b7d7 i2i5 3 d7d6 g2g1", ["| b7d7 i2i5", "^^^^", "2"]),
        ("b7d7 i2g2 2 b7d7 g2g4", ["| b7d7 i2g2 2 b7d7 g2g4", "|             ^^^^"]),
        ("show 99", ["There is no match #99", '"games" lists yours']),
        ("#99 c1b1", ["There is no match #99"]),
        ("resume", ["isn't paused", 'write "start"']),
        ("accept", ["no such offer", "a turn declines what was offered"]),
        ("withdraw draw", ["no such offer"]),
        ("resign now please", ['We can\'t read what follows "resign"', "resign [NUMBER]"]),
        ("challenge", ["Which player?", "PLAYER|ADDRESS GAME"]),
        ("challenge bob", ["to which game", "quadraphages"]),
        ("challenge alice quadraphages", ["can't challenge yourself"]),
        ("challenge bob@nowhere quadraphages begin=never", ["begin=never", "begin=random"]),
        ("challenge a@b,c@d quadraphages", ["not an email address"]),
        ("join somebody", ["You're already alice", "games+"]),
        ("rules go", ['"rules quadraphages"']),
        ("help rulez", ['"help rules"']),
        ("", ["no text of your own"]),
    ],
)
def test_a_refusal_names_the_place_and_what_works(letters: Correspondence, words: str, expected: list[str]) -> None:
    before = standing(letters)

    answer = answered(letters, letters.reply(letters.last("alice"), words))

    assert [part for part in expected if part not in answer and part not in " ".join(answer.split())] == []
    assert before == standing(letters)


def test_a_move_out_of_turn_is_refused(letters: Correspondence) -> None:
    before = standing(letters)

    answer = answered(letters, letters.reply(letters.last("bob"), "h7h5 f1f3 3"), BOB)

    assert "not your turn" in answer
    assert "It's alice's turn." in answer
    assert before == standing(letters)


@pytest.mark.slow
def test_a_match_of_others_cannot_be_played(letters: Correspondence) -> None:
    personal = letters.join("carol")
    before = standing(letters)

    for words in (
        "#1 b7d7 i2g2 1 d7d6 g2g1",
        "#1 resign",
        "#1 undo",
        "#1 say hello",
        "accept 1",
        "quadraphages move 1 1",
    ):
        answer = answered(letters, letters.write("carol@mail.example", words, to=personal), "carol@mail.example")
        assert "You don't play in match #1" in answer

    assert before == standing(letters)


@pytest.mark.slow
def test_a_match_that_is_over_takes_no_move(letters: Correspondence) -> None:
    letters.resign("alice")
    before = standing(letters)

    for words in ("b7d7 i2g2 1 d7d6 g2g1", "resign", "undo"):
        answer = answered(letters, letters.reply(letters.last("alice"), words))
        assert "Match #1 is over" in answer
        assert "bob won: you resigned" in answer

    assert before == standing(letters)


def test_a_stale_reply_is_told_so_and_shown_the_board(letters: Correspondence) -> None:
    stale = letters.received[ALICE][2]
    before = standing(letters)

    answer = answered(letters, letters.reply(stale, "b7d7 i2g2 1 d7d6 g2g1"))

    assert "You replied to an older message" in answer
    assert "Your opponent's number is 2" in answer
    assert before == standing(letters)


def test_a_turn_sent_again_is_told_that_it_is_played(letters: Correspondence) -> None:
    before = standing(letters)

    answer = answered(letters, letters.reply(letters.received[ALICE][2], "1 i3i2 a7b7"))

    assert "already been played" in answer
    assert before == standing(letters)


def test_a_second_delivery_of_the_same_mail_does_nothing(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "b7d7 i2g2 3 d7d4 g2d2")
    sent = next(mail for way, mail in reversed(letters.log) if way == "in")
    before = standing(letters)
    raw = b"Received: from elsewhere\nReturn-Path: <alice@mail.example>\n" + sent.as_bytes()

    assert letters.deliver(raw) == []
    assert before == standing(letters)


@pytest.mark.slow
def test_two_moves_in_one_mail_play_none(letters: Correspondence) -> None:
    before = standing(letters)

    answer = answered(letters, letters.reply(letters.last("alice"), "b7d7 i2g2 3 d7d4 g2d2\nb7b9 i2g2 1 b9b8 g2g1"))

    assert "two turns for the same match" in answer
    assert "b7b9 i2g2 1 b9b8 g2g1" in answer
    assert before == standing(letters)


def test_a_turn_in_two_lines_is_one_turn(letters: Correspondence) -> None:
    mails = letters.reply(letters.last("alice"), "b7d7 i2g2 3\nd7d4 g2d2")

    assert sorted(str(mail["To"]) for mail in mails) == [ALICE, BOB]
    assert any("alice played b7d7 i2g2 3 d7d4 g2d2" in text(mail) for mail in mails)


def test_later_lines_are_not_tried_after_a_refusal(letters: Correspondence) -> None:
    before = standing(letters)

    answer = answered(letters, letters.reply(letters.last("alice"), "challenge nobody quadraphages\nresign\n\nBye!"))

    assert "No player is called nobody" in answer
    assert "were skipped" in answer
    assert "| resign" in answer
    assert "| Bye!" in answer
    assert before == standing(letters)


def test_earlier_lines_stand_before_a_refusal(letters: Correspondence) -> None:
    mails = letters.reply(letters.received[ALICE][1], "challenge bob hexaphages\nwithdraw 77")

    assert [str(mail["To"]) for mail in mails] == [BOB, ALICE]
    assert "match #2" in text(mails[1])
    assert "There is no match #77" in text(mails[1])


@pytest.mark.slow
def test_an_empty_fresh_mail_is_answered(letters: Correspondence) -> None:
    assert "no text of your own" in answered(letters, letters.write(ALICE, ""))


def test_a_mail_of_nothing_but_quotes_is_answered(letters: Correspondence) -> None:
    before = standing(letters)

    answer = answered(letters, letters.reply(letters.last("alice"), ""))

    assert "no text of your own" in answer
    assert before == standing(letters)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [2_000_000, 5_000_000])
def test_a_mail_that_is_too_large_is_told_so(letters: Correspondence, size: int) -> None:
    before = standing(letters)

    answer = answered(letters, letters.write(ALICE, "resign\n" + "x" * 70 * (size // 70), to=token_of(letters)))

    assert "larger than 1000 KB" in answer
    assert before == standing(letters)


def token_of(letters: Correspondence) -> str:
    """Return the address at which alice's messages act at once."""
    return str(letters.last("alice")["Reply-To"].addresses[0].addr_spec)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("charset", [b"no-such-charset", b"ascii", b"utf-8; x=\xff"])
def test_a_wrong_charset_is_read_as_well_as_can_be(letters: Correspondence, charset: bytes) -> None:
    head = f"From: {ALICE}\nTo: {token_of(letters)}\nMessage-ID: <c{len(charset)}@mail.example>\n".encode()
    raw = head + b"Content-Type: text/plain; charset=" + charset + b"\n\nb7d7 i2g2 3 d7d4 g2d2\n\nGr\xfc\xdfe!\n"

    mails = letters.deliver(raw)

    assert sorted(str(mail["To"]) for mail in mails) == [ALICE, BOB]
    assert "played b7d7 i2g2 3 d7d4 g2d2" in text(mails[1])


def test_a_token_that_does_not_exist_is_not_answered(letters: Correspondence) -> None:
    before = standing(letters)
    forged = Keyring("another key").format(Token(Purpose.PLAY, 1, 1, 2), 0)
    true = token_of(letters).partition("+")[2].partition("@")[0]
    altered = true[:-1] + ("a" if true[-1] != "a" else "b")

    for tag in (forged, altered, "x", "a" * 40, "1" * 40, true + "a"):
        assert letters.write(ALICE, "resign", to=f"games+{tag}@pbem.example") == []

    assert before == standing(letters)


def test_a_revoked_token_proves_nothing_and_its_player_is_asked(letters: Correspondence) -> None:
    with letters.server.engine.begin() as connection:
        connection.execute(sql("update player set epoch = epoch + 1 where name = 'alice'"))
    before = standing(letters)

    (asked,) = letters.write("mallory@mail.example", "b7d7 i2g2 3 d7d4 g2d2", to=token_of(letters))

    assert (asked["To"], "Was this you?" in str(asked["Subject"])) == (ALICE, True)
    assert before == standing(letters)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Auto_Submitted": "auto-generated; owner-email=x"},
        {"Return_Path": "<>"},
        {"Precedence": "bulk"},
        {"List_Id": "<some.list.example>"},
        {"X_PBeM_Server": "pbem.example"},
        {"X_Autoreply": "yes"},
    ],
)
def test_a_machine_s_mail_is_not_answered_and_does_nothing(letters: Correspondence, headers: dict[str, str]) -> None:
    before = standing(letters)

    assert letters.write(ALICE, "resign", to=token_of(letters), **headers) == []
    assert letters.write("MAILER-DAEMON@mail.example", "help") == []
    assert letters.write(ADDRESS, "help") == []
    assert letters.write(ALICE, "resign", "Automatic reply: [pbem #1]", to=token_of(letters)) == []
    assert before == standing(letters)


def test_a_bounce_is_not_answered(letters: Correspondence) -> None:
    report = (
        b"From: mail system <bounces@mail.example>\nTo: games@pbem.example\nSubject: Undelivered\n"
        b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        b"--b\nContent-Type: text/plain\n\nhelp\n--b--\n"
    )

    assert letters.deliver(report) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "raw",
    [
        b"\n",
        b"\x00\xff\xfe\n\n\x00",
        b"From: " + b"(" * 3000 + b"\n\nhelp\n",
        b"From: a@b.example, c@d.example\n\nhelp\n",
        b"From: x\n\nhelp",
        b"Subject: help\n\nhelp\n",
        b"From: a@b.example\n" + b"X: y\n" * 20_000 + b"\nhelp\n",
        b"From: a@b.example\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nhelp\n" * 2_000,
    ],
)
def test_a_mail_that_cannot_be_read_is_filed_in_silence(letters: Correspondence, raw: bytes) -> None:
    before = standing(letters)

    assert letters.deliver(raw) == []
    assert before == standing(letters)
    with letters.server.engine.begin() as connection:
        last = connection.execute(sql("select state, verdict from incoming order by id desc limit 1")).one()
    assert last.state == "done"
    assert last.verdict.startswith("no answer: ")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bad", [b"\0", b"\xff\xfe", b"\xed\xa0\x80"], ids=["NUL", "no UTF-8", "half a character"])
@pytest.mark.parametrize("place", ["name", "address", "subject", "id", "thread", "words", "command", "join"])
def test_what_is_no_character_harms_no_database(letters: Correspondence, place: str, bad: bytes) -> None:
    """PostgreSQL accepts neither NUL nor invalid UTF-8, in text and in JSON."""

    def at(where: str, text: bytes) -> bytes:
        return text + bad + text if where == place else text

    raw = b"\n".join(
        (
            b"From: =?utf-8?b?"
            + base64.b64encode(at("name", b"A"))
            + b"?= <"
            + at("address", b"alice")
            + b"@mail.example>",
            b"To: " + token_of(letters).encode(),
            b"Subject: " + at("subject", b"Re: hello"),
            b"Message-ID: <" + at("id", b"1") + b"@mail.example>",
            b"In-Reply-To: <" + at("thread", b"2") + b"@mail.example>",
            b"Content-Type: text/plain; charset=utf-8",
            b"",
            at("join", b"join zoe") if place == "join" else at("command", b"say ") + at("words", b"hello"),
            b"",
        )
    )
    letters.deliver(raw)

    assert letters.execute("select count(*) from incoming where state = 'new' or state = 'shunted'") == [(0,)]
    assert letters.execute("select count(*) from outgoing where state != 'sent'") == [(0,)]


@pytest.mark.slow
def test_an_unproven_mail_changes_nothing_before_it_is_confirmed(letters: Correspondence) -> None:
    before = standing(letters)

    answer = answered(letters, letters.write(ALICE, "#1 resign"))

    assert 'reply "yes" to this message' in answer
    assert before == standing(letters)


@pytest.mark.slow
def test_a_reply_without_its_token_is_asked_about_wherever_it_comes_from(letters: Correspondence) -> None:
    before = standing(letters)
    mail = letters.last("alice")

    forged = letters.write(
        "mallory@mail.example", "resign", f"Re: {mail['Subject']}", In_Reply_To=str(mail["Message-ID"])
    )
    own = letters.reply(mail, "b7d7 i2g2 3 d7d4 g2d2", to=ADDRESS)

    assert [str(sent["To"]) for sent in (*forged, *own)] == [ALICE, ALICE]
    assert all('reply "yes" to this message' in text(sent) for sent in (*forged, *own))
    assert before == standing(letters)

    mails = letters.reply(own[0], "yes")
    assert sorted(str(sent["To"]) for sent in mails) == [ALICE, BOB]


@pytest.mark.slow
def test_a_token_is_found_where_only_delivery_headers_have_it(letters: Correspondence) -> None:
    for header in ("Delivered_To", "X_Original_To"):
        letters.clock.advance(minutes=6)  # notes of five minutes are one message
        mails = letters.write(ALICE, "say hello", **{header: token_of(letters)})
        assert [str(mail["To"]) for mail in mails] == [BOB, ALICE]


def test_a_token_survives_capitals(letters: Correspondence) -> None:
    mails = letters.write(ALICE, "say hello", to=token_of(letters).upper().replace("PBEM.EXAMPLE", "pbem.example"))

    assert [str(mail["To"]) for mail in mails] == [BOB, ALICE]


def test_a_held_mail_acts_once(letters: Correspondence) -> None:
    (confirm,) = letters.write(ALICE, "#1 say hello")
    assert [str(mail["To"]) for mail in letters.reply(confirm, "yes")] == [BOB, ALICE]
    before = standing(letters)

    assert "already dealt with that message" in answered(letters, letters.reply(confirm, "yes!"))
    assert before == standing(letters)


@pytest.mark.slow
def test_strangers_are_told_what_this_is_once_a_day_and_three_times_a_month(letters: Correspondence) -> None:
    sent = []
    for days in (1, 1, 1, 28, 1):
        sent.append([len(letters.write("zoe@mail.example", words)) for words in ("what is this", "", "#1 resign")])
        letters.clock.advance(days=days, minutes=1)

    assert sent == [[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert "no answer: a stranger who was told what this is" in str(letters.execute("select verdict from incoming"))


@pytest.mark.slow
def test_strangers_who_ask_for_nothing_leave_half_of_the_answers_to_others(tmp_path: Path) -> None:
    with correspondence(tmp_path, more=f"[limits]\nstrangers_per_day = {DOMAIN_PER_DAY + 4}") as letters:
        spent.answers_at(letters, "one.example", DOMAIN_PER_DAY // 2 - 3)
        letters.clock.advance(hours=7)  # in an hour, or six, there are fewer
        at_one_domain = [len(letters.write(f"x{number}@one.example", "spam")) for number in range(6)]
        elsewhere = [len(letters.write(f"x@host{number}.example", "spam")) for number in range(6)]
        asked = [len(letters.write(f"y{number}@one.example", f"join y{number}")) for number in range(3)]

    assert (sum(at_one_domain), sum(elsewhere), sum(asked)) == (3, 2, 3)


@pytest.mark.slow
def test_strangers_get_answers_that_help_but_not_many(letters: Correspondence) -> None:
    limit = STRANGER_PER_DAY
    answers = [letters.write("zoe@mail.example", f"join alice{'x' * number}") for number in range(limit + 3)]
    helped = letters.write("yan@mail.example", "help") + letters.write("yan@mail.example", "help")

    assert "join alice" in text(answers[0][0])
    assert [len(answer) for answer in answers] == [1] * limit + [0] * 3
    assert ["join NAME" in text(mail) for mail in helped] == [True]


def test_no_token_lies_in_the_database(letters: Correspondence) -> None:
    letters.server.engine.dispose()
    tag = token_of(letters).partition("+")[2].partition("@")[0]
    token = tokens.parse(tag)
    assert token is not None
    with letters.server.engine.connect() as connection:
        for table in ("player", "match", "ply", "outgoing", "outgoingcontent"):
            for row in connection.execute(sql(f'select * from "{table}"')):
                assert tag not in str(tuple(row))

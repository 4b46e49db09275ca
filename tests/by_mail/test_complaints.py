"""Complaints: a reader marked a message of ours as spam, and their mail provider reports it."""

from email.message import EmailMessage

import pytest

from tests import scenes
from tests.cases import quick_where
from tests.correspondence import Correspondence, said, to

pytestmark = [pytest.mark.server(server='admin = "admin@pbem.example"'), scenes.after(scenes.bobs_turn)]
STOPPED = "select count(*) from player where complained is not null and stopped is not null"
TURNS = ("c1d1 g9h9 2 d1f1 h9h7", "b7d7 i2g2 3 d7d4 g2d2")


def report(mail: EmailMessage, kind: str = "abuse") -> bytes:
    """Return a report about the message (RFC 5965)."""
    return f"""\
From: <complaints@provider.example>
To: games@pbem.example
Subject: FW: Earn money
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="b1"

--b1
Content-Type: text/plain

This is an email abuse report.

--b1
Content-Type: message/feedback-report

Feedback-Type: {kind}
User-Agent: SomeGenerator/1.0
Version: 1

--b1
Content-Type: message/rfc822

{mail.as_string(policy=mail.policy.clone(max_line_length=0))}
--b1--
""".encode()


@pytest.mark.parametrize("header", quick_where(("List-Unsubscribe",).__contains__, ["Return-Path", "List-Unsubscribe"]))
def test_who_complains_gets_turns_and_answers_only_until_they_write_start(letters: Correspondence, header: str) -> None:
    mail = letters.last("bob") if header == "List-Unsubscribe" else letters.carried(letters.last("bob"))
    if header == "Return-Path":
        del mail["List-Unsubscribe"]
    assert to(letters.deliver(report(mail)), "bob") == []
    assert letters.rows("select name from player where complained is not null") == ["bob"]

    assert to(letters.say("alice", "challenge bob kvadratik"), "bob") == []
    assert to(letters.reply(letters.last("alice"), "say Are you there?"), "bob") == []
    assert len(to(letters.reply(letters.last("bob"), TURNS[0]), "bob")) == 1
    (board,) = to(letters.write("alice@mail.example", f"#1 {TURNS[1]}", to=letters.personal("alice")), "bob")
    assert "your turn" in str(board["Subject"])
    assert len(letters.reply(board, "frobnicate")) == 1
    letters.operate("player", "revoke", "bob")
    assert to(letters.run_for(minutes=1), "bob") == []
    assert letters.rows(STOPPED) == [1]

    told = to([*letters.say("bob", "start"), *letters.run_for(hours=1)], "bob")
    assert any("alice challenges you" in said(mail) for mail in told)
    assert any("Are you there?" in said(mail) for mail in told)
    assert letters.rows(STOPPED) == [0]


@pytest.mark.slow
def test_the_operator_is_told_of_a_complaint_and_status_counts_it(letters: Correspondence) -> None:
    (alert,) = letters.deliver(report(letters.carried(letters.last("bob"))))

    assert alert["To"] == "admin@pbem.example"
    assert "reports a message of ours as spam" in said(alert)
    assert 'complained: 1, players who get turns only, until they write "start"' in letters.operate("status").output
    assert "bob" in letters.operate("player", "list", "--only", "complained").output


def test_a_complaint_that_was_made_up_stops_nothing(letters: Correspondence) -> None:
    """Who got a copy of a message has its tokens to play, and Message-IDs stand in every answer."""
    mail = letters.carried(letters.last("bob"))
    copied = letters.last("bob")
    del copied["List-Unsubscribe"]
    assert letters.deliver(report(copied)) == []
    assert letters.deliver(report(mail, "auth-failure")) == []
    assert letters.deliver(report(mail, "not-spam")) == []
    path = str(mail["Return-Path"])
    del mail["Return-Path"], mail["List-Unsubscribe"]
    mail["Return-Path"] = path.replace("@", "b@") if path[path.index("@") - 1] != "b" else path.replace("b@", "c@")
    assert letters.deliver(report(mail)) == []

    assert letters.rows(STOPPED) == [0]


@pytest.mark.slow
def test_who_complains_of_an_invitation_is_not_invited_again(letters: Correspondence) -> None:
    (invitation,) = to(letters.say("alice", "challenge carl@mail.example quadrature"), "carl")

    assert to(letters.deliver(report(invitation)), "carl") == []

    assert letters.rows("select count(*) from invitee where refused is not null") == [1]
    assert letters.rows(STOPPED) == [0]


@pytest.mark.slow
def test_a_stop_after_a_complaint_stops_the_turns_too(letters: Correspondence) -> None:
    letters.deliver(report(letters.carried(letters.last("bob"))))
    letters.reply(letters.last("bob"), TURNS[0])

    letters.clock.advance(minutes=1)
    letters.say("bob", "stop")

    assert to(letters.reply(letters.last("alice"), TURNS[1]), "bob") == []

"""Bugs by which other mail systems lost messages or acted twice; docs/reliability.md lists them."""

import re

import pytest

from tests import scenes
from tests.bounces import dsn
from tests.correspondence import Correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


pytestmark = scenes.after(scenes.match)


def reply_address(letters: Correspondence, name: str = "alice") -> str:
    return letters.last(name)["Reply-To"].addresses[0].addr_spec


def raw(letters: Correspondence, body: str, *headers: str) -> bytes:
    """Return a message from alice in the match."""
    head = [f"From: {ALICE}", f"To: {reply_address(letters)}", "Subject: my turn", *headers]
    return ("\n".join(head) + f"\n\n{body}\n").encode()


def heard(letters: Correspondence) -> list[str]:
    """Return what was said to bob, in order."""
    lines = [line for mail in letters.received[BOB][1:] for line in text(mail).splitlines()]
    return [line.removeprefix("  | ") for line in lines if line.startswith("  | ")]


@pytest.mark.parametrize(
    "header",
    [
        "Date: Mon, 2 Mar 2026 10:00:00 +0000",
        "Date: Mon, 1 Jan 2007 10:00:00 +0000",
        "Date: today",
        "Message-ID: <0@mail.example>",
    ],
)
def test_two_messages_are_two_if_their_words_are_whatever_their_date_or_id(
    letters: Correspondence, header: str
) -> None:
    for words in ("one", "two"):
        letters.deliver(raw(letters, f"say {words}", header))
        letters.clock.advance(minutes=6)  # notes of five minutes are one message

    assert heard(letters) == ["one", "two"]


def test_a_mail_that_a_redirection_resends_counts_once(letters: Correspondence) -> None:
    """A player's second mailbox forwards the same message, with additional headers on top."""
    sent = raw(letters, "say hello", "Message-ID: <1@mail.example>")
    trace = b"Delivered-To: games@pbem.example\nReceived: from x by y\nX-Original-To: games@pbem.example\n"
    letters.deliver(sent)

    assert letters.deliver(trace + sent) == []
    assert heard(letters) == ["hello"]


def test_a_bounce_of_a_mail_that_was_handed_on_counts_against_the_address_that_we_know(letters: Correspondence) -> None:
    """Bob's messages are forwarded to an address unknown to us, which bounces them."""
    bounce = dsn(letters.carried(letters.last("bob"))).replace(
        f"Final-Recipient: rfc822; {BOB}".encode(), b"Final-Recipient: rfc822; b@x"
    )
    assert b"rfc822; b@x" in bounce

    assert letters.deliver(bounce) == []
    assert letters.execute("select name from player where bounces = 1") == [("bob",)]


def test_an_answer_goes_where_the_player_is_and_not_where_a_header_says(letters: Correspondence) -> None:
    to = reply_address(letters)
    for name in ("Reply-To", "Return-Path", "Sender", "Errors-To", "Disposition-Notification-To", "Mail-Followup-To"):
        mails = letters.deliver(
            raw(letters, "games", f"{name}: victim@other.example", f"Message-ID: <{name}@x.example>")
        )
        assert [str(mail["To"]) for mail in mails] == [ALICE], name
    assert [str(mail["To"]) for mail in letters.write("mallory@evil.example", "games", to=to)] == [ALICE]


def test_who_challenges_an_address_does_not_learn_whose_it_is_before_that_one_accepts(letters: Correspondence) -> None:
    """Carol is a player, nora a stranger: until they accept the challenge, alice sees no difference."""
    letters.join("carol")
    read = {}
    for number, who in ((2, "carol"), (3, "nora")):
        words = [f"challenge {who}@mail.example hexaphages begin={first}" for first in ("you", "you")]
        words += [
            "games",
            f"show {number}",
            f"#{number} say hello",
            f"undo {number}",
            "games\n\nAre you there?",
            f"withdraw {number}",
            "games",
        ]
        mails = [mail for each in words for mail in letters.say("alice", each) if str(mail["To"]) == ALICE]
        told = [" ".join(f"{mail['Subject']} {text(mail)}".split()).replace(who, "WHO") for mail in mails]
        read[who] = [re.sub(rf"\b{number}\b(?! Mar)", "N", each) for each in told]
    assert len(read["carol"]) == 9
    assert not any("Are you there?" in text(mail) for mail in letters.received["nora@mail.example"])
    assert read["carol"] == read["nora"]

    letters.clock.advance(days=181)  # until then nobody is invited a second time
    letters.say("alice", "challenge carol@mail.example hexaphages")
    told = [text(mail) for mail in letters.reply(letters.last("carol"), "decline") if str(mail["To"]) == ALICE]
    assert [each.partition(" (")[0] for each in told] == ["carol@mail.example has declined challenge #4"]
    letters.clock.advance(days=181)
    letters.say("alice", "challenge carol@mail.example hexaphages")
    letters.reply(letters.last("carol"), "accept")
    assert "carol" in text(letters.last("alice"))


def test_a_stranger_s_answers_are_the_same_for_every_stranger(letters: Correspondence) -> None:
    """Invited people, former strangers and unknown senders all get the same replies to the same requests."""
    letters.write(ALICE, "challenge guest@mail.example hexaphages", to=reply_address(letters))
    letters.write("asker@mail.example", "join asker")
    for words in ("help", "rules hexaphages"):
        answers = [text(*letters.write(f"{name}@mail.example", words)) for name in ("guest", "asker", "nobody")]
        assert answers[0] == answers[1] == answers[2]
    names = ("guest", "asker", "nobody")
    told = [text(*letters.write(f"{name}@mail.example", "nonsense")) for name in names]
    suggested = [f'Or reply just "yes", and your name is {name}.\r\n\r\n' for name in names]
    assert suggested[0] not in told[0]  # nobody's name: it stands for people who have none
    told[1:] = [each.replace(line, "") for each, line in zip(told[1:], suggested[1:], strict=True)]
    assert told[0] == told[1] == told[2]

"""Moderation by mail: nobody but the admin has it, nothing is done without a yes from the admin's address."""

from email.message import EmailMessage

import pytest

from pbem.features.all import FEATURES
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, said, text

ALICE, BOB, ADMIN = "alice@mail.example", "bob@mail.example", "Admin@pbem.example"
PASSED = "mx.pbem.example; dmarc=pass header.from=pbem.example; dkim=pass header.d=pbem.example header.b=3f5E9aK1"

LINES = {
    "players": "players",
    "acts": "acts",
    "close": "close 1",
    "adjudicate": "adjudicate 1 alice",
    "ban": "ban bob",
    "unban": "unban bob",
    "rename": "rename bob robert",
    "announce": "announce News\n\nWe move.",
}
MODERATION = {name: command for name, command in FEATURES.all_commands.items() if command.of_admin}
ACTS = [line for name, line in LINES.items() if MODERATION[name].changes and name != "unban"]


def begun(letters: Correspondence) -> None:
    """Begin a match of alice and bob, and let carol join."""
    letters.match("challenge bob quadraphages rated")
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
    letters.join("carol")


pytestmark = [pytest.mark.server(server=f'admin = "{ADMIN}"'), scenes.after(begun)]
alice_is_admin = pytest.mark.server(server=f'admin = "{ALICE}"')


def everything(letters: Correspondence) -> list[object]:
    """Return all that an act could change."""
    return [
        *letters.execute("select id, name, banned, epoch from player where confirmed is not null"),
        *letters.execute("select state, plies, winner from match"),
        *letters.execute("select act from moderationact"),
        *letters.execute("select subject from announcement"),
    ]


def asked(letters: Correspondence, words: str, **headers: str) -> EmailMessage:
    """Write to the server from the admin's address. Return the question, to that address."""
    (question,) = letters.write(ADMIN, words, **headers)
    assert question["To"] == ADMIN.lower()
    assert "Please confirm" in str(question["Subject"])
    return question


def test_each_command_is_tried_here() -> None:
    assert LINES.keys() == MODERATION.keys()
    assert all(command.of_admin for command in MODERATION.values())
    assert all(command.asks == command.changes for command in MODERATION.values())
    assert not any(command.of_admin for command in FEATURES.commands.values())


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_for_players_these_are_no_commands(letters: Correspondence, line: str) -> None:
    before = everything(letters)
    verb = line.split()[0]

    (unproven,) = letters.write("carol@mail.example", line)
    (proven,) = letters.say("carol", line)
    (asked_for,) = letters.say("carol", f"help moderation\nhelp {verb}")
    (listed,) = letters.say("carol", "help")

    if verb == "players":
        assert "Nobody is in this list" in text(proven), "it is another word for who"
    elif verb == "ban":
        assert "complain about a player" in text(proven)
    else:
        assert f'don\'t know the command "{verb}"' in text(unproven)
        assert f'don\'t know the command "{verb}"' in text(proven)
    for mail in (unproven, proven, asked_for, listed):
        assert "@mail.example" not in text(mail)
        assert "admin" not in text(mail).lower()
    assert 'no help on "moderation"' in text(asked_for)
    assert everything(letters) == before


@pytest.mark.parametrize("line", ACTS)
def test_a_forged_from_does_nothing_and_the_admin_s_yes_carries_it_out(letters: Correspondence, line: str) -> None:
    before = everything(letters)
    question = asked(letters, line)
    assert 'If you reply "yes"' in text(question)
    assert letters.wait(days=1) == []
    assert everything(letters) == before

    done = letters.reply(question, "yes")

    (told,) = (mail for mail in done if mail["To"] == ADMIN.lower())
    assert "This is done" in text(told)
    assert everything(letters) != before
    assert letters.rows("select actor from moderationact") == ["the admin, by mail"]
    assert letters.execute(f"select confirmed, name from player where address = '{ADMIN.lower()}'") == [(None, None)]


def test_a_token_counts_only_for_its_own_question(letters: Correspondence) -> None:
    closing, banning = asked(letters, "close 1"), asked(letters, "ban bob")

    letters.reply(closing, "yes")
    letters.reply(closing, "yes")
    letters.reply(closing, "ban bob\nyes")

    assert letters.execute("select act from moderationact") == [("close",)]
    letters.reply(banning, "no")
    letters.reply(banning, "yes")
    assert letters.execute("select act from moderationact") == [("close",)]


def test_a_yes_from_elsewhere_counts_for_nothing(letters: Correspondence) -> None:
    question, before = asked(letters, "ban bob"), everything(letters)

    letters.reply(question, "yes", to=ADDRESS)  # anybody can write From and In-Reply-To
    letters.reply(question, "yes", to=letters.personal("carol"))
    letters.write("mallory@mail.example", "yes", to=ADDRESS, In_Reply_To=str(question["Message-ID"]))
    token = str(question["Reply-To"].addresses[0].addr_spec)
    letters.write(ADMIN, "yes", to=token.replace("+", "+b", 1))
    letters.reply(question, "Why do I get this?")

    assert everything(letters) == before


@pytest.mark.server(more='[checks]\nauthserv_id = "mx.pbem.example"\nproof = "token or domain"')
def test_not_even_a_proven_domain_is_enough(letters: Correspondence) -> None:
    with letters.trusting(PASSED):
        question = asked(letters, "close 1")
    before = everything(letters)
    with letters.trusting(PASSED.replace("3f5E", "7h2K")):
        (again,) = letters.reply(question, "yes", to=ADDRESS)

    assert "Please reply to this message instead" in said(again)
    assert everything(letters) == before
    letters.reply(again, "yes")
    assert everything(letters) != before


def test_the_tokens_of_others_are_theirs(letters: Correspondence) -> None:
    before = everything(letters)

    for address in (letters.personal("carol"), letters.last("alice")["Reply-To"].addresses[0].addr_spec):
        mails = letters.write(ADMIN, "ban bob\nplayers\nacts", to=address)
        assert not any("bob@mail.example" in text(mail) for mail in mails)
        assert not any(mail["To"] == ADMIN.lower() for mail in mails)

    assert everything(letters) == before


@alice_is_admin
def test_nothing_beside_an_act_is_done_and_that_is_said(letters: Correspondence) -> None:
    before = everything(letters)
    (told,) = letters.reply(letters.received[ALICE][-1], "b7d7 i2g2 1 d7d6 g2g1\nban bob\nsay Hello")

    assert told["To"] == ALICE
    assert "needs a message of its own" in text(told)
    assert everything(letters) == before


@alice_is_admin
def test_an_admin_who_plays_is_asked_too(letters: Correspondence) -> None:
    before = everything(letters)

    (question,) = letters.say("alice", "ban bob insults")
    (forged,) = letters.write(ALICE, "ban bob\n")
    (from_match,) = letters.reply(letters.received[BOB][-1], "ban alice")
    (listed,) = letters.say("alice", "players")
    (helped,) = letters.say("alice", "help")
    (refused,) = letters.say("alice", "ban alice")

    assert {str(mail["To"]) for mail in (question, forged, listed)} == {ALICE}
    assert "The note, which stays with us:" in text(question)
    assert from_match["To"] == BOB
    assert "complain about a player" in text(from_match)
    assert BOB in text(listed)
    assert "help moderation" in text(helped)
    assert "That's your own account." in text(refused)
    assert everything(letters) == before
    letters.reply(question, "yes")
    assert letters.rows("select note from moderationact") == ["insults"]


def test_what_the_admin_was_told_of_a_player_goes_with_their_data(letters: Correspondence) -> None:
    letters.reply(asked(letters, "close 1 bob is rude"), "yes")
    letters.reply(asked(letters, "rename bob robert He is rude"), "yes")
    letters.write(ADMIN, "acts\nplayers")

    assert letters.operate("player", "delete", "robert", "--yes").exit_code == 0
    letters.wait()

    payloads = "".join(
        str(row)
        for row in letters.execute(
            "select payload, facts from outgoingcontent join outgoing on outgoing.id = outgoing"
            " where address like 'admin%'"
        )
    )
    assert "He is rude" not in payloads
    assert "'address': 'bob@" not in payloads

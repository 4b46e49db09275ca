"""Moderation by mail: nobody but the admin has it, nothing is done without a yes from the admin's address."""

from email.message import EmailMessage

import pytest

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, said, text, to

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
    "merge": "merge bob alice",
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
    assert all(command.asks_once_more == command.changes for command in MODERATION.values())
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
def test_a_move_beside_an_act_is_played(letters: Correspondence) -> None:
    """The act needs a message of its own."""
    mails = letters.reply(letters.received[ALICE][-1], "b7d7 i2g2 1 d7d6 g2g1\nban bob\nsay Hello")

    assert letters.played[-1] == "b7d7 i2g2 1 d7d6 g2g1"
    assert "needs a message of its own" in text(*to(mails, "alice"))
    assert not any("ban bob" in text(mail) for mail in to(mails, "bob"))
    assert letters.rows("select banned from player where banned is not null") == []


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
    assert "We found neither a turn nor a command" in text(from_match)
    assert BOB in text(listed)
    assert "help moderation" in text(helped)
    assert "That's your own account." in text(refused)
    assert everything(letters) == before
    letters.reply(question, "yes")
    assert letters.rows("select note from moderationact") == ["insults"]


def test_what_cannot_be_done_is_said_before_it_is_asked(letters: Correspondence) -> None:
    for words, sentence in {
        "close 9": "There is no match 9.",
        "adjudicate 1 carol": "Carol doesn't play in match 1.",
        "ban nobody": "No player is called nobody.",
        "ban bob matches=won": "There is no matches=won.",
        "ban bob tell=yes": "you haven't said it",
        "unban bob": "The account of bob isn't closed.",
        "rename bob alice": "The name alice is taken",
        "announce News": "An announcement needs a subject and a text.",
    }.items():
        before = everything(letters)
        letters.clock.advance(days=1)  # a stranger gets few answers in a day
        (answer,) = letters.write(ADMIN, words)
        assert sentence in said(answer), words
        assert everything(letters) == before


def test_an_announcement_is_sent_as_written(letters: Correspondence) -> None:
    body = "We move on Sunday.\n\nplay quadrature today!\n#1 c1b1 g9h9\nhelp\n\nYours,\nthe admin"
    question = asked(letters, f"announce Moving house!\n\n{body}")
    for line in body.splitlines():
        assert f"  | {line}".rstrip() in text(question).splitlines()

    told = letters.reply(question, "yes")
    news = [mail for mail in (*told, *letters.wait(minutes=1)) if mail["To"] != ADMIN.lower()]

    assert {str(mail["To"]) for mail in news} == {ALICE, BOB, "carol@mail.example"}
    assert {str(mail["Subject"]) for mail in news} == {"[pbem] Moving house!"}
    assert all(f"  | {line}".rstrip() in text(mail).splitlines() for line in body.splitlines() for mail in news)


def test_forgeries_cannot_flood_the_admin(letters: Correspondence) -> None:
    questions = [mail for _ in range(20) for mail in letters.write(ADMIN, "ban bob")]

    assert len(questions) == 1
    personal = str(questions[0]["Reply-To"].addresses[0].addr_spec)
    assert letters.write(ADMIN, "yes", to=personal), "and the admin's own mail is answered all the same"


def test_lists_are_pages_for_the_admin_alone(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    letters.reply(asked(letters, "ban bob Insults."), "yes")
    monkeypatch.setattr("pbem.conversation.syntax.paging.SIZE", 2)

    (first,) = letters.write(ADMIN, "players")
    personal = str(first["Reply-To"].addresses[0].addr_spec)
    (second,) = letters.write(ADMIN, "players 2", to=personal)
    (banned,) = letters.write(ADMIN, "players banned b", to=personal)
    (acts,) = letters.write(ADMIN, "acts bob", to=personal)

    assert {str(mail["To"]) for mail in (first, second, banned, acts)} == {ADMIN.lower()}
    assert ALICE in text(first)
    assert "carol" not in text(first)
    assert '* More: reply "players 2"' in text(first)
    assert "carol@mail.example" in text(second)
    assert "banned since 2026-03-02" in text(banned)
    assert ALICE not in text(banned)
    assert "the admin, by mail: ban cancelled, bob" in text(acts)
    assert "  | Insults." in text(acts)


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


def test_every_answer_to_the_admin_fits_and_acts_on_nothing_when_quoted_badly(letters: Correspondence) -> None:
    mails = [letters.write(ADMIN, "help moderation")[0]]
    personal = str(mails[0]["Reply-To"].addresses[0].addr_spec)
    for line in (*LINES.values(), "ban bob matches=lost tell=yes " + "words " * 60):
        mails += (answer for answer in letters.write(ADMIN, line, to=personal) if answer["To"] == ADMIN.lower())
    commands = FEATURES.known_to(ADMIN, letters.server.settings.server)
    assert MODERATION.keys() <= commands.keys()
    for line in {line for mail in mails for line in text(mail).splitlines()}:
        assert len(line) <= 72
        read = Reader(commands, lambda number: GAMES["quadraphages"], 1).read("", [line])
        changing = [each for each in read.commands if each.command.changes and not each.malformed]
        assert not changing or line.lstrip().startswith("|"), line

"""Invitations: an address gets only one, no matter who asks, and none after its owner says so."""

from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.players.invitations import CHALLENGES_PER_DAY, CHALLENGES_PER_PAIR, DOMAIN_INVITATIONS, NEW_PLAYER_INVITATIONS
from pbem.storage.models import Match, MatchState
from tests import spent
from tests.correspondence import ADDRESS, MORNING, Correspondence, correspondence, text

VICTIM = "victim@mail.example"
SEASONED = timedelta(days=15)
"""After this time, a player no longer counts as new."""


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let alice and bob join a while ago, and zoe today."""
    with correspondence(tmp_path) as letters:
        letters.play(people)
        yield letters


def people(letters: Correspondence) -> dict[str, str]:
    """Let them join. Return their personal addresses."""
    found = {name: letters.join(name) for name in ("alice", "bob")}
    letters.clock.set(MORNING + SEASONED)
    return found | {"zoe": letters.join("zoe")}


def write(letters: Correspondence, name: str, body: str) -> list[EmailMessage]:
    """Write a message from a player to their personal address. Return what the server sent."""
    personal = letters.play(people)[name] if not letters.received else _personal(letters, name)
    return letters.write(f"{name}@mail.example", body, to=personal)


def _personal(letters: Correspondence, name: str) -> str:
    welcome = next(mail for mail in letters.received[f"{name}@mail.example"] if mail["Subject"] == "[pbem] Welcome")
    return str(welcome["Reply-To"].addresses[0].addr_spec)


def sent_to(letters: Correspondence, address: str) -> int:
    return len(letters.received.get(address, []))


def invitations(letters: Correspondence) -> int:
    """Return the number of invitations sent."""
    mails = (mail for way, mail in letters.log if way == "out")
    return sum(" invites you to play " in text(mail).partition("\n")[0] for mail in mails)


def numbers(letters: Correspondence) -> list[int]:
    return [int(str(number)) for (number,) in letters.execute("select id from match order by id")]


@pytest.mark.slow
def test_challenging_and_withdrawing_in_turns_invites_once(letters: Correspondence) -> None:
    body = "\n".join(line for n in range(1, 11) for line in (f"challenge {VICTIM} quadraphages", f"withdraw {n}"))
    for _ in range(2):
        write(letters, "alice", body)

    assert sent_to(letters, VICTIM) == 1


@pytest.mark.slow
def test_an_address_that_has_not_answered_is_invited_once_for_months_whoever_asks(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    (refusal,) = write(letters, "bob", f"challenge {VICTIM} hexaphages")
    assert "We can't invite this address" in " ".join(text(refusal).split())
    letters.clock.advance(days=90)
    write(letters, "alice", "withdraw 1")
    write(letters, "bob", f"challenge {VICTIM} hexaphages")
    write(letters, "alice", f"challenge {VICTIM} hexaphages")
    assert sent_to(letters, VICTIM) == 1

    letters.clock.advance(days=91)
    write(letters, "bob", f"challenge {VICTIM} hexaphages")
    assert sent_to(letters, VICTIM) == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("other", ["Victim+games@mail.example", "victim+2@mail.example", "VICTIM@MAIL.EXAMPLE"])
def test_an_address_is_the_same_with_another_sub_address(letters: Correspondence, other: str) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    write(letters, "bob", f"challenge {other} hexaphages")

    assert invitations(letters) == 1


@pytest.mark.slow
def test_a_mailbox_is_invited_once_however_its_address_is_written(letters: Correspondence) -> None:
    write(letters, "alice", "challenge n.o.r.a@gmail.com quadraphages")
    write(letters, "bob", "challenge nora@googlemail.com hexaphages\nchallenge Nora+x@Gmail.com hexaphages")

    assert invitations(letters) == 1


@pytest.mark.slow
def test_the_hosts_of_a_domain_share_its_invitations(tmp_path: Path) -> None:
    with correspondence(tmp_path, more=f"[limits]\ninvitations_per_day = {DOMAIN_INVITATIONS + 2}") as letters:
        letters.play(people)
        for n in range(DOMAIN_INVITATIONS + 2):
            write(letters, "alice", f"challenge a{n}@h{n}.small.example quadraphages")
        assert invitations(letters) == DOMAIN_INVITATIONS


@pytest.mark.slow
def test_an_address_stays_invited_when_who_asked_leaves(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    (question,) = write(letters, "alice", "delete me")
    letters.reply(question, "yes")
    write(letters, "bob", f"challenge {VICTIM} hexaphages")

    assert sent_to(letters, VICTIM) == 1


@pytest.mark.slow
def test_a_player_invites_a_few_addresses_a_day_and_a_new_one_fewer(tmp_path: Path) -> None:
    with correspondence(tmp_path, more="[limits]\ninvitations_per_day = 4") as letters:
        letters.play(people)
        for name, most in (("alice", 4), ("zoe", NEW_PLAYER_INVITATIONS)):
            before = invitations(letters)
            for n in range(6):
                write(letters, name, f"challenge {name}@host{n}.example quadraphages")
                write(letters, name, f"withdraw {numbers(letters)[-1]}")
            assert invitations(letters) - before == most

        letters.clock.advance(days=1, minutes=1)
        write(letters, "alice", "challenge tomorrow@host.example quadraphages")
        assert sent_to(letters, "tomorrow@host.example") == 1


@pytest.mark.slow
def test_a_domain_and_the_world_get_so_many_invitations_a_day(tmp_path: Path) -> None:
    most = DOMAIN_INVITATIONS + 4
    with correspondence(tmp_path, more=f"[limits]\ninvitations_per_day = 20\nall_invitations = {most}") as letters:
        letters.play(people)
        for n in range(DOMAIN_INVITATIONS + 2):
            write(letters, "alice", f"challenge a{n}@small.example quadraphages")
        assert invitations(letters) == DOMAIN_INVITATIONS
        for n in range(6):
            write(letters, "bob", f"challenge b{n}@gmx.net quadraphages")
        assert invitations(letters) == most


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "note",
    [
        "Buy now at http://pills.example/now",
        "Look at www.pills.example",
        "Mail me at eve@pills.example",
        "pills.example has it",
        "Call 0900 123 45 67",
        "word " * 60,
    ],
)
def test_no_link_and_few_words_go_along(letters: Correspondence, note: str) -> None:
    mails = write(letters, "alice", f"challenge {VICTIM} quadraphages\n\n{note}")

    (invitation,) = [mail for mail in mails if mail["To"] == VICTIM]
    (answer,) = [mail for mail in mails if mail["To"] != VICTIM]
    assert "pills" not in text(invitation)
    assert "word word" not in text(invitation)
    assert "0900" not in text(invitation)
    assert "we didn't send them to anyone" in " ".join(text(answer).split())


def test_a_few_words_go_along(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages\n\nHello dear, fancy a game?")

    assert "Hello dear, fancy a game?" in text(letters.last("victim"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", ["stop", "unsubscribe", "never"])
def test_one_word_ends_invitations_for_good_whoever_asks(letters: Correspondence, words: str) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    mails = letters.reply(letters.last("victim"), words)
    assert sorted(str(mail["To"]) for mail in mails) == ["alice@mail.example", VICTIM]
    assert letters.execute("select state from match") == [("declined",)]
    letters.clock.advance(days=1000)
    before = sent_to(letters, VICTIM)
    for name in ("alice", "bob", "zoe"):
        write(letters, name, f"challenge {VICTIM} quadraphages")
        write(letters, name, "challenge victim+a@mail.example quadraphages")
        write(letters, name, f"change address {VICTIM}")
    assert invitations(letters) == 1
    assert sent_to(letters, VICTIM) == before


@pytest.mark.slow
def test_the_link_of_a_mail_program_ends_invitations(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    invitation = letters.last("victim")
    assert "Never invite me again" in str(invitation.get_body(("html",)))
    uri = str(invitation["List-Unsubscribe"]).strip("<>")
    to, _, subject = uri.removeprefix("mailto:").partition("?subject=")

    letters.write(VICTIM, "", subject, to=to)
    letters.clock.advance(days=1000)
    write(letters, "bob", f"challenge {VICTIM} quadraphages")

    assert invitations(letters) == 1


@pytest.mark.slow
def test_who_wants_no_invitations_can_change_their_mind_and_nobody_else_can(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    letters.reply(letters.last("victim"), "stop")
    told = letters.last("victim")
    letters.write(VICTIM, "start")  # anyone can write that
    write(letters, "bob", f"challenge {VICTIM} quadraphages")
    assert invitations(letters) == 1

    letters.clock.advance(days=200)
    letters.reply(told, "start")
    write(letters, "bob", f"challenge {VICTIM} quadraphages")
    assert invitations(letters) == 2


@pytest.mark.slow
def test_who_wants_no_invitations_can_still_join(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages")
    letters.reply(letters.last("victim"), "stop")
    (question,) = letters.write(VICTIM, "join victor")
    assert letters.write(VICTIM, "join vincent") == []  # anyone could write many of these

    (welcome,) = letters.reply(question, "yes")

    assert "Welcome, victor" in text(welcome)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "address",
    [ADDRESS, "games+anything@pbem.example", "GAMES@PBEM.EXAMPLE", "play@pbem.example", "play+x@pbem.example"],
)
def test_our_own_address_cannot_be_invited_or_taken(tmp_path: Path, address: str) -> None:
    with correspondence(tmp_path, server='aliases = ["Play@pbem.example"]') as letters:
        letters.play(people)
        for words in (f"challenge {address} quadraphages", f"change address {address}"):
            (answer,) = write(letters, "alice", words)
            assert str(answer["To"]) == "alice@mail.example"
            assert "Nothing was done." in text(answer)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("address", ["abuse@host.example", "no-reply@host.example", "Postmaster@host.example"])
def test_an_address_that_no_person_reads_cannot_be_invited(letters: Correspondence, address: str) -> None:
    (answer,) = write(letters, "alice", f"challenge {address} quadraphages")

    assert "not a person's address" in text(answer)


@pytest.mark.slow
def test_a_player_is_challenged_a_few_times_a_day_by_the_same_player(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(people)
        before = sent_to(letters, "bob@mail.example")
        for number in range(4):
            lines = (("challenge bob quadraphages", f"withdraw {3 * number + n}") for n in range(1, 4))
            write(letters, "alice", "\n".join(line for pair in lines for line in pair))

        assert (
            sent_to(letters, "bob@mail.example") - before == 2 * CHALLENGES_PER_PAIR
        )  # a message about each challenge, and about its withdrawal
        assert letters.execute("select count(*) from match") == [(CHALLENGES_PER_PAIR,)]
        write(letters, "zoe", "challenge bob quadraphages")
        assert letters.execute("select count(*) from match") == [(CHALLENGES_PER_PAIR + 1,)]


@pytest.mark.slow
def test_a_player_challenges_so_many_in_a_day(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(people)
        write(letters, "alice", "challenge bob quadraphages")
        spent.copies(letters, Match, 1, CHALLENGES_PER_DAY - 2, state=MatchState.WITHDRAWN.value)
        for _ in range(3):
            write(letters, "alice", "challenge zoe quadraphages")

        assert letters.execute("select count(*) from match") == [(CHALLENGES_PER_DAY,)]


@pytest.mark.slow
def test_an_address_is_asked_a_few_times_a_day_whether_it_is_a_player_s(letters: Correspondence) -> None:
    for name in ("alice", "bob", "zoe"):
        for _ in range(3):
            (question,) = write(letters, name, f"change address {VICTIM}")
            letters.reply(question, "yes")

    assert sent_to(letters, VICTIM) == 3


@pytest.mark.slow
def test_a_mailbox_is_asked_a_few_times_however_its_address_is_written(letters: Correspondence) -> None:
    for name, address in (("alice", "victim+{}@gmail.com"), ("bob", "vic.tim+{}@googlemail.com")):
        for number in range(3):
            (question,) = write(letters, name, f"change address {address.format(number)}")
            letters.reply(question, "yes")

    asked = [mail for way, mail in letters.log if way == "out" and str(mail["To"]).endswith("mail.com")]
    assert len(asked) == 3


@pytest.mark.slow
def test_nothing_is_kept_of_an_invitation_that_no_longer_counts(letters: Correspondence) -> None:
    write(letters, "alice", f"challenge {VICTIM} quadraphages\nchallenge another@far.example quadraphages")
    letters.reply(letters.last("victim"), "stop")
    kept = "select count(*), count(refused) from invitee"
    letters.wait(days=179)
    assert letters.execute(kept) == [(2, 1)]

    letters.wait(days=2)

    assert letters.execute(kept) == [(1, 1)]

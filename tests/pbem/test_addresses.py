"""Reply addresses: how long they are valid, how they are revoked, and how a player changes their address."""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import ADDRESS, Correspondence, correspondence, text

pytestmark = pytest.mark.sql

ALICE, BOB, NEW = "alice@mail.example", "bob@mail.example", "alice@new.example"
TURN = "1 a7b7 i3i2"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match of alice, to move, and bob."""
    with correspondence(tmp_path) as letters:
        letters.match()
        yield letters


def personal(mail: EmailMessage) -> str:
    return next(line.strip() for line in text(mail).splitlines() if "games+" in line)


def to(mails: list[EmailMessage]) -> list[str]:
    return sorted(str(mail["To"]) for mail in mails)


def is_question(mail: EmailMessage) -> bool:
    return 'eply "yes" to this message' in text(mail)


def addresses(letters: Correspondence) -> list[object]:
    return [row[0] for row in letters.execute("select address from player order by id")]


@pytest.mark.slow
def test_the_token_of_a_match_holds_as_long_as_the_match_and_a_month(letters: Correspondence) -> None:
    mail = letters.last("alice")
    letters.wait(days=3_000)
    letters.reply(mail, TURN)
    letters.resign("bob")
    assert to(letters.reply(mail, "games")) == [ALICE]

    letters.wait(days=29)
    assert to(letters.reply(mail, "challenge bob hexaphages")) == [ALICE, BOB]

    letters.wait(days=2)
    (asked,) = letters.reply(mail, "withdraw 2")
    assert is_question(asked)
    assert asked["To"] == ALICE
    assert to(letters.reply(asked, "yes")) == [ALICE, BOB]


@pytest.mark.slow
def test_a_thread_holds_no_longer_than_its_token(letters: Correspondence) -> None:
    mail = letters.last("alice")
    letters.resign("bob")
    letters.wait(days=31)

    (asked,) = letters.reply(mail, "challenge bob hexaphages", to=ADDRESS)
    assert is_question(asked)


def test_a_personal_address_holds_until_it_is_revoked(letters: Correspondence) -> None:
    address = personal(letters.received[ALICE][1])
    letters.wait(days=5_000)

    assert to(letters.write(ALICE, "challenge bob hexaphages", to=address)) == [ALICE, BOB]


@pytest.mark.slow
def test_a_question_can_be_answered_for_two_weeks(letters: Correspondence) -> None:
    asked = [letters.write(ALICE, f"challenge bob {game}")[0] for game in ("hexaphages", "quadrature")]
    letters.wait(days=13)
    assert to(letters.reply(asked[0], "yes")) == [ALICE, BOB]

    letters.wait(days=2)
    (late,) = letters.reply(asked[1], "yes")
    assert "more than 14 days" in " ".join(text(late).split())
    assert "already dealt with that message" in text(*letters.reply(asked[1], "yes"))


@pytest.mark.slow
def test_revoke_asks_once_more_and_then_voids_every_address(letters: Correspondence) -> None:
    old, mail = personal(letters.received[ALICE][1]), letters.last("alice")
    (question,) = letters.write("mallory@evil.example", "revoke", to=old)
    assert (question["To"], is_question(question)) == (ALICE, True)

    (told,) = letters.reply(question, "yes")

    assert personal(told) != old
    assert str(told["Reply-To"].addresses[0].addr_spec) != old
    for address in (old, mail["Reply-To"].addresses[0].addr_spec, question["Reply-To"].addresses[0].addr_spec):
        letters.clock.advance(hours=1, minutes=1)  # the same question isn't repeated before
        assert is_question(*letters.write("mallory@evil.example", f"#1 {TURN}", to=address))
    letters.clock.advance(hours=1, minutes=1)
    assert is_question(*letters.reply(mail, TURN, to=ADDRESS))
    assert to(letters.write(ALICE, f"#1 {TURN}", to=personal(told))) == [ALICE, BOB]


@pytest.mark.slow
def test_a_held_mail_is_not_confirmed_by_an_address_revoked_since(letters: Correspondence) -> None:
    (stolen,) = letters.write(ALICE, "#1 resign")
    (question,) = letters.write(ALICE, "revoke", to=personal(letters.received[ALICE][1]))
    letters.reply(question, "yes")

    letters.reply(stolen, "yes")

    assert letters.execute("select state from match") == [("running",)]


@pytest.mark.slow
def test_a_mail_that_goes_out_after_a_revocation_holds_the_new_address(letters: Correspondence) -> None:
    letters.server.outbox.close()
    (question,) = letters.write(ALICE, "revoke", to=personal(letters.received[ALICE][1]))
    letters.execute(
        "update outgoing set state = 'owed' where id = (select max(id) from outgoing where match = 1 "
        f"and address = '{ALICE}')"
    )
    letters.execute("update outgoing set due = '2999-01-01' where state = 'owed'")
    letters.reply(question, "yes")
    letters.execute("update outgoing set due = '2007-01-01' where state = 'owed'")

    mails = letters.write(BOB, "nothing of interest", Auto_Submitted="auto-replied")

    assert to(mails) == [ALICE]
    assert to(letters.reply(mails[0], TURN)) == [ALICE, BOB]


@pytest.mark.slow
def test_a_question_to_a_new_address_still_under_way_goes_there_and_is_void(letters: Correspondence) -> None:
    asked = asked_to_move(letters)
    letters.execute("update outgoing set state = 'owed', due = '2999-01-01' where purpose = 'ADDRESS'")
    (question,) = letters.write(ALICE, "revoke", to=personal(letters.received[ALICE][1]))
    letters.reply(question, "yes")
    letters.execute("update outgoing set due = '2007-01-01' where state = 'owed'")

    (late,) = letters.wait()

    assert late["To"] == NEW
    assert "already" not in text(late)
    letters.reply(late, "yes")
    letters.reply(asked, "yes")
    assert addresses(letters) == [ALICE, BOB]


@pytest.mark.slow
def test_the_operator_revokes_and_the_player_is_told(letters: Correspondence) -> None:
    old = personal(letters.received[ALICE][1])

    done = letters.operate("player", "revoke", "alice")
    (told,) = letters.write(BOB, "nothing of interest", Auto_Submitted="auto-replied")

    assert done.exit_code == 0, done.output
    assert told["To"] == ALICE
    assert "Hello alice!" in text(told)
    assert is_question(*letters.write(ALICE, f"#1 {TURN}", to=old))
    assert to(letters.write(ALICE, f"#1 {TURN}", to=personal(told))) == [ALICE, BOB]
    assert letters.operate("player", "revoke", "nobody").exit_code == 1


def asked_to_move(letters: Correspondence, wanted: str = NEW) -> EmailMessage:
    """Return the question sent to the new address after the old one has confirmed."""
    (question,) = letters.write(ALICE, f"change address {wanted}", to=personal(letters.received[ALICE][1]))
    assert question["To"] == ALICE
    assert addresses(letters)[0] == ALICE
    asked, told = letters.reply(question, "yes")
    assert (asked["To"], told["To"]) == (wanted, ALICE)
    assert addresses(letters)[0] == ALICE
    return asked


@pytest.mark.slow
def test_an_address_changes_when_the_old_and_the_new_one_have_agreed(letters: Correspondence) -> None:
    old = personal(letters.received[ALICE][1])

    farewell, told = letters.reply(asked_to_move(letters), "yes")

    assert (farewell["To"], told["To"]) == (ALICE, NEW)
    assert "alice@new.example" not in text(farewell)
    assert addresses(letters) == [NEW, BOB]
    (question,) = letters.write(ALICE, f"#1 {TURN}", to=old)
    assert (question["To"], is_question(question)) == (NEW, True)
    assert to(letters.write(NEW, f"#1 {TURN}", to=personal(told))) == [NEW, BOB]


@pytest.mark.slow
def test_the_new_address_may_refuse_and_its_question_is_void_then(letters: Correspondence) -> None:
    asked = asked_to_move(letters)

    assert "nothing was done" in text(*letters.reply(asked, "No, I don't know alice."))
    assert letters.reply(asked, "yes") == []
    assert addresses(letters) == [ALICE, BOB]


@pytest.mark.slow
def test_the_new_address_can_do_nothing_but_answer(letters: Correspondence) -> None:
    asked = asked_to_move(letters)

    (told,) = letters.reply(asked, "#1 resign")

    assert "can't tell whether that means yes" in text(told)
    assert told["To"] == NEW
    assert "games+" not in text(told)
    assert str(told["Reply-To"].addresses[0].addr_spec) == ADDRESS
    assert addresses(letters) == [ALICE, BOB]
    assert letters.execute("select state from match") == [("running",)]


@pytest.mark.slow
def test_a_change_is_made_once_and_voids_the_others(letters: Correspondence) -> None:
    first, second = asked_to_move(letters), asked_to_move(letters, "alice@newer.example")
    letters.reply(second, "yes")

    letters.reply(first, "yes")
    letters.reply(second, "yes")

    assert addresses(letters) == ["alice@newer.example", BOB]


@pytest.mark.slow
def test_a_change_waits_two_weeks_and_no_longer(letters: Correspondence) -> None:
    asked = asked_to_move(letters)
    letters.wait(days=15)

    assert "more than 14 days" in " ".join(text(*letters.reply(asked, "yes")).split())
    assert addresses(letters) == [ALICE, BOB]


@pytest.mark.slow
def test_nobody_learns_whether_an_address_is_a_player_s(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, f"change address {BOB}", to=personal(letters.received[ALICE][1]))
    asked, told = letters.reply(question, "yes")
    (other_question,) = letters.write(ALICE, "change address bub@mail.example", to=personal(letters.received[ALICE][1]))
    _, other_told = letters.reply(other_question, "yes")

    assert text(told).replace(BOB, "bub@mail.example") == text(other_told)
    assert "already belongs to bob" in " ".join(text(*letters.reply(asked, "yes")).split())
    assert addresses(letters) == [ALICE, BOB]


@pytest.mark.slow
def test_who_was_invited_at_the_new_address_gets_the_invitation(letters: Correspondence) -> None:
    letters.write(BOB, f"challenge {NEW} hexaphages", to=personal(letters.received[BOB][1]))
    invitation = letters.received[NEW][0]

    mails = letters.reply(asked_to_move(letters), "yes")

    challenge = next(mail for mail in mails if "challenges you" in text(mail))
    assert challenge["To"] == NEW
    assert sorted(map(str, addresses(letters))) == [ALICE, NEW, BOB]
    (late,) = letters.reply(invitation, "accept")
    assert "challenge" not in str(late["Subject"])
    assert letters.execute("select state from match where id = 2") == [("offered",)]
    letters.reply(challenge, "accept")
    assert letters.execute("select state from match where id = 2") == [("running",)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("change address", "Which address?"),
        ("change password secret", "There are no passwords here"),
        ("change address nonsense", "can't be your email address"),
        (f"change address {ALICE}", "already your address"),
        (f"change address {ADDRESS}", "can't be your email address"),
        ("change address games+x@pbem.example", "can't be your email address"),
        ("change address a@b.example\nchange address c@d.example", "One message can only ask for one address"),
    ],
)
def test_an_address_that_cannot_be_had_is_refused_at_once(letters: Correspondence, words: str, expected: str) -> None:
    (answer,) = letters.write(ALICE, words, to=personal(letters.received[ALICE][1]))

    assert expected in " ".join(text(answer).split())
    assert not is_question(answer)


@pytest.mark.slow
def test_few_addresses_are_asked_in_a_day(letters: Correspondence) -> None:
    for number in range(3):
        asked_to_move(letters, f"alice{number}@new.example")

    (answer,) = letters.write(ALICE, f"change address {NEW}", to=personal(letters.received[ALICE][1]))

    assert "We've already written to 3 addresses for you today" in text(answer)


def test_a_forwarded_mail_gives_no_account_away(letters: Correspondence) -> None:
    """Someone with a forwarded message has its token: they can move, but nothing that is permanent."""
    stolen = letters.last("alice")["Reply-To"].addresses[0].addr_spec

    for words in ("revoke", f"change address {NEW}"):
        (question,) = letters.write("mallory@evil.example", words, to=stolen)
        assert (question["To"], is_question(question)) == (ALICE, True)
    assert addresses(letters) == [ALICE, BOB]

"""Machines: their mail is no command, and whatever goes round in circles ends."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import ADDRESS, Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"
TURN = "1 a7b7 i3i2"
OTHER = "games@other.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """A match of alice, to move, and bob."""
    with correspondence(tmp_path) as letters:
        letters.match()
        yield letters


AWAY = {
    "RFC 3834": {"Auto_Submitted": "auto-replied"},
    "RFC 3834 with a comment": {"Auto_Submitted": "auto-replied (vacation)"},
    "an old vacation program": {"Precedence": "bulk"},
    "a null sender": {"Return_Path": "<>"},
    "X-Autoreply": {"X_Autoreply": "yes"},
    "X-Autorespond": {"X_Autorespond": "Away"},
    "Exchange": {"X_MS_Exchange_Generated_Message_Source": "Mailbox Rules Agent"},
    "a list": {"List_Id": "<some.list.example>"},
}


@pytest.mark.parametrize("kind", AWAY)
def test_an_out_of_office_notice_is_no_command_whatever_it_says(letters: Correspondence, kind: str) -> None:
    mail = letters.last("alice")

    for words in (TURN, "resign", "yes", "revoke"):
        sent = letters.write(
            ALICE,
            f"{words}\n\nI am away until Monday.",
            f"Re: {mail['Subject']}",
            to=mail["Reply-To"].addresses[0].addr_spec,
            **AWAY[kind],
        )
        assert sent == []

    assert letters.execute("select count(*) from ply") == [(0,)]
    assert letters.execute("select state from match") == [("running",)]


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: [pbem #1] Quadraphages",
        "Abwesenheitsnotiz: [pbem #1]",
        "Réponse automatique : [pbem #1]",
        "=?utf-8?q?R=C3=A9ponse_automatique=3A_?=",
        "Respuesta automática: Your mail",
        "自動返信: [pbem #1]",
    ],
)
def test_an_out_of_office_notice_is_known_by_its_subject_alone(letters: Correspondence, subject: str) -> None:
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec

    assert letters.deliver(f"From: {ALICE}\nTo: {to}\nSubject: {subject}\n\n{TURN}\n".encode()) == []
    assert letters.execute("select count(*) from ply") == [(0,)]


def test_our_own_mails_say_that_a_machine_wrote_them(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "frobnicate")
    letters.write(ALICE, "#1 resign")
    for way, mail in letters.log:
        if way == "out":
            assert mail["Auto-Submitted"] in ("auto-replied", "auto-generated")
            assert mail["X-Auto-Response-Suppress"] == "All"


def bare(mail: EmailMessage) -> bytes:
    """The mail as a relay leaves it that takes out every header by which a machine could be known."""
    kept = "".join(
        f"{name}: {value}\n" for name, value in mail.items() if name in ("From", "To", "Subject", "Message-ID", "Date")
    )
    return f"{kept}\n{text(mail)}".encode()


def whole(mail: EmailMessage) -> bytes:
    return mail.as_bytes()


def first_words(ours: Correspondence, other: Correspondence) -> list[EmailMessage]:
    """What one server sends to the other, made to by forgers and players."""
    sent = []
    for words in ("help", "join games", "#1 resign", "yes", ""):
        sent += ours.write(OTHER, words)
    sent += ours.write(ALICE, f"challenge {OTHER} hexaphages", to=ours.last("alice")["Reply-To"].addresses[0].addr_spec)
    return [mail for mail in sent if mail["To"] == OTHER]


@pytest.mark.parametrize("relay", [whole, bare])
def test_two_servers_facing_each_other_fall_silent(
    letters: Correspondence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relay: Callable[[EmailMessage], bytes]
) -> None:
    with ExitStack() as stack:
        monkeypatch.setenv("PBEM_SERVER__ADDRESS", OTHER)
        other = stack.enter_context(correspondence(tmp_path / "other"))
        monkeypatch.delenv("PBEM_SERVER__ADDRESS")
        assert other.works.settings.server.address == OTHER
        under_way = [(other, mail) for mail in first_words(letters, other)]
        assert under_way
        carried = 0

        while under_way and carried < 100:
            server, mail = under_way.pop(0)
            back = letters if server is other else other
            under_way += [(back, sent) for sent in server.deliver(relay(mail))]
            carried += 1

        assert carried <= 2 * 3
        assert letters.execute("select count(*) from match where state = 'running'") == [(1,)]
        assert other.execute("select count(*) from match") == [(0,)]


def test_two_servers_each_a_player_of_the_other_fall_silent(
    letters: Correspondence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst: each thinks that the other one is a confirmed player, and a relay takes the marks of machines out."""
    with ExitStack() as stack:
        monkeypatch.setenv("PBEM_SERVER__ADDRESS", OTHER)
        monkeypatch.setenv("PBEM_SERVER__ANSWERS_PER_HOUR", "5")
        other = stack.enter_context(correspondence(tmp_path / "other"))
        monkeypatch.delenv("PBEM_SERVER__ADDRESS")
        other.execute(
            "insert into player (name, address, confirmed, epoch, settings, created, bounces) "
            f"values ('games', '{ADDRESS}', '2007-01-01', 0, '{{}}', '2007-01-01', 0)"
        )
        letters.execute(f"update player set address = '{OTHER}' where name = 'alice'")
        under_way = [(other, mail) for mail in letters.write(OTHER, "games") + letters.write(OTHER, "nonsense")]
        carried = 0

        while under_way and carried < 100:
            server, mail = under_way.pop(0)
            back = letters if server is other else other
            under_way += [(back, sent) for sent in server.deliver(bare(mail))]
            carried += 1

    assert 0 < carried < 20


def test_one_error_answer_a_day_for_mails_that_prove_nothing(letters: Correspondence) -> None:
    answers = [letters.write(ALICE, f"frobnicate {number % 2}", f"try {number}") for number in range(6)]
    assert [len(answer) for answer in answers] == [1, 1, 0, 0, 0, 0]

    personal = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    assert [len(letters.write(ALICE, "frobnicate 0", f"try {number}", to=personal)) for number in range(3)] == [1, 1, 1]


def test_a_stranger_is_asked_once_a_day_for_the_same_thing(letters: Correspondence) -> None:
    asked = [letters.write("zoe@mail.example", "join zoe", f"try {number}") for number in range(3)]
    other = letters.write("zoe@mail.example", "join zora")

    assert [len(mails) for mails in asked] == [1, 0, 0]
    assert len(other) == 1
    assert len(letters.wait(days=1) + letters.write("zoe@mail.example", "join zoe", "again")) == 1


def test_our_own_mail_is_known_by_its_header_alone(letters: Correspondence) -> None:
    assert letters.write(ALICE, "games", X_PBeM_Server="other.example") == []
    assert len(letters.write(ALICE, "games")) == 1


def test_a_stranger_s_domain_gets_so_many_answers_a_day(tmp_path: Path) -> None:
    with correspondence(tmp_path, more="[limits]\ndomain_per_day = 3") as letters:
        letters.join("alice")
        answers = [letters.write(f"user{number}@mail.example", "help") for number in range(5)]
        elsewhere = letters.write("user@other.example", "help")

    assert [len(answer) for answer in answers] == [1, 1, 1, 0, 0]
    assert len(elsewhere) == 1


def test_a_player_who_writes_more_than_a_person_can_is_told_once(tmp_path: Path) -> None:
    with correspondence(tmp_path, more="[limits]\nplayer_per_hour = 8") as letters:
        letters.match()
        personal = letters.last("alice")["Reply-To"].addresses[0].addr_spec
        answers = [letters.write(ALICE, "games", f"{number}", to=personal) for number in range(10)]
        told = next(mails for mails in answers if mails and "More mails" in " ".join(text(mails[0]).split()))

    assert [len(answer) for answer in answers][-3:] == [0, 0, 0]
    assert sum(bool(answer) for answer in answers) == answers.index(told) + 1
    assert len(told) == 1


def test_a_match_that_runs_in_circles_is_left_alone(tmp_path: Path) -> None:
    with correspondence(tmp_path, more="[limits]\nmatch_per_day = 20") as letters:
        letters.match()
        mail = letters.last("alice")
        answers = [letters.reply(mail, f"say hello {number}") for number in range(15)]
        personal = letters.received[ALICE][1]

        assert len([answer for answer in answers if answer]) < 12
        assert len(letters.reply(personal, "games")) == 1

"""A relay refuses what we send: whether that is about a recipient, about a message, or about us."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.mail.transports.protocols import Outbox
from pbem.server import figures
from pbem.storage.database import read_only
from tests.correspondence import Correspondence, correspondence
from tests.relays import Relay, Switch, refuses_at, relay, takes_all, with_switch

ALICE, BOB, GUEST, ADMIN = "alice@mail.example", "bob@mail.example", "guest@far.example", "admin@pbem.example"
DENIED = "554 5.7.1 <somebody@mail.example>: Relay access denied"
UNKNOWN = "550 5.1.1 User unknown"
NEWEST = "select max(id) from outgoing group by address"


@pytest.fixture
def hop() -> Iterator[Relay]:
    with relay() as running:
        yield running


@pytest.fixture
def letters(tmp_path: Path, hop: Relay, monkeypatch: pytest.MonkeyPatch) -> Iterator[Correspondence]:
    """Begin a match, in which alice is to move, and let carol invite a guest; from then on, send by the relay."""
    monkeypatch.setenv("PBEM_SERVER__ADMIN", ADMIN)
    with correspondence(tmp_path, altered=with_switch) as letters:
        letters.match()
        letters.join("carol")
        letters.write("carol@mail.example", f"challenge {GUEST} quadraphages")
        outbox: Outbox = letters.server.outbox
        assert isinstance(outbox, Switch)
        outbox.to(hop)
        yield letters


def send_to_four(letters: Correspondence) -> None:
    """Queue messages to alice, bob, carol and the guest."""
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    letters.reply(letters.last("carol"), "yes")


def pass_by(letters: Correspondence, minutes: int, step: int = 1) -> None:
    """Let the server run for a while, looking every minute or so."""
    for _ in range(0, minutes, step):
        letters.run_for(minutes=step)


def problems(letters: Correspondence) -> list[str]:
    """Return what `pbem status` calls wrong, beside that this server never says that it is ready."""
    server = letters.server
    server.vitals.is_open = True
    with read_only(server.engine) as session:
        found = figures.of_database(session, letters.clock(), letters.server.settings)
    return list(figures.problems({**figures.of_server(server.vitals), **found}))


def states(letters: Correspondence) -> dict[object, object]:
    """Return the state of the newest message to each of the four."""
    newest = "select max(id) from outgoing where address != 'admin@pbem.example' group by address"
    return dict(letters.execute(f"select address, state from outgoing where id in ({newest})"))  # type: ignore[arg-type]


def nobody_is_blamed(letters: Correspondence) -> bool:
    return letters.execute("select address from player where bounces > 0 or unreachable is not null") == []


OURS = [
    ("RCPT", DENIED),
    ("RCPT", UNKNOWN),
    ("DATA", "550 5.4.5 Daily user sending limit exceeded"),
    ("MAIL", "530 5.7.0 Authentication required"),
    ("RCPT", "451 4.3.0 Try again later"),
]
"""What a relay says to everybody, at each stage: the reason, no reason of ours, and that it may pass."""


@pytest.mark.parametrize(("stage", "reply"), OURS)
def test_what_everybody_is_refused_waits_and_nobody_s_address_is_dead(
    letters: Correspondence, hop: Relay, stage: str, reply: str
) -> None:
    hop.says = refuses_at(stage, reply)
    send_to_four(letters)

    assert set(states(letters).values()) == {"owed"}
    refused, waits = problems(letters)
    assert re.fullmatch(rf"outbox: sending interrupted: {re.escape(reply)}, for \d+ seconds", refused)
    assert waits == 'what is owed waits until the mail server takes it: see "pbem doctor" and the log'
    pass_by(letters, 10)
    pass_by(letters, 6 * 24 * 60, step=240)
    assert set(states(letters).values()) == {"owed"}
    assert nobody_is_blamed(letters)
    assert letters.execute(f"select count(*) from outgoing where address = '{ADMIN}'") == [(1,)]

    hop.says = takes_all
    pass_by(letters, 40, step=10)
    assert set(states(letters).values()) == {"sent"}
    assert problems(letters) == []
    assert nobody_is_blamed(letters)
    ids = [raw.partition(b"Message-ID: ")[2].split()[0] for _, raw in hop.taken]
    assert len(ids) == len(set(ids)) == 5


def test_a_relay_that_refuses_everybody_is_asked_now_and_then(letters: Correspondence, hop: Relay) -> None:
    hop.says = refuses_at("MAIL", "550 No")
    letters.execute("update outgoing set state = 'owed', due = created, sent = null, attempts = 0")
    for number in range(60):
        letters.execute(
            f"update outgoing set address = 'player{number}@mail.example' where id = (select min(id) from outgoing"
            f" where address not like 'player%')"
        )
    pass_by(letters, 60)
    in_an_hour = len(hop.refused)
    pass_by(letters, 60)

    assert in_an_hour <= 3 * 9, "three at once, after 1, 2, 5 and then every 10 minutes"
    assert len(hop.refused) - in_an_hour <= 3 * 6
    hop.says = takes_all
    pass_by(letters, 20)
    assert letters.execute("select distinct state from outgoing") == [("sent",)]


def test_a_dead_address_is_one_while_others_are_taken(letters: Correspondence, hop: Relay) -> None:
    hop.says = refuses_at("RCPT", UNKNOWN, BOB)
    send_to_four(letters)
    pass_by(letters, 5)

    assert letters.execute("select address, bounces from player where bounces > 0") == [(BOB, 1)]
    assert problems(letters) == []
    assert hop.refused == [BOB, BOB], "it isn't tried again before the next day"
    for days in (1, 3):
        letters.run_for(days=days, minutes=5)
        letters.execute(
            f"update outgoing set state = 'owed' where id = (select max(id) from outgoing where address = '{ALICE}')"
        )
        pass_by(letters, 5)
    assert letters.execute("select address, bounces from player where unreachable is not null") == [(BOB, 3)]


def test_a_dead_address_alone_stops_nothing(letters: Correspondence, hop: Relay) -> None:
    """Nothing else is sent meanwhile, so it isn't known yet who is at fault; what comes then goes out at once."""
    hop.says = refuses_at("RCPT", UNKNOWN, BOB)
    letters.execute(
        f"update outgoing set state = 'owed' where id = (select max(id) from outgoing where address = '{BOB}')"
    )
    pass_by(letters, 60)
    assert states(letters)[BOB] == "owed"
    assert nobody_is_blamed(letters)
    assert problems(letters) == []

    letters.reply(letters.last("carol"), "yes")
    assert states(letters) == {ALICE: "sent", BOB: "owed", "carol@mail.example": "sent", GUEST: "sent"}


def test_what_is_refused_for_reasons_of_ours_while_others_are_taken_needs_the_operator(
    letters: Correspondence, hop: Relay
) -> None:
    """As where a relay takes mail to its own domain only."""
    hop.says = refuses_at("RCPT", DENIED, BOB)
    send_to_four(letters)
    pass_by(letters, 10)

    assert states(letters)[BOB] == "owed"
    assert nobody_is_blamed(letters)
    assert problems(letters) == ['1 outgoing messages need you: see "pbem mail list"']
    assert "Relay access denied" in letters.operate("mail", "list", COLUMNS="200").output
    assert letters.execute(f"select count(*) from outgoing where address = '{ADMIN}'") == [(1,)]
    hop.says = takes_all
    assert letters.operate("mail", "retry", "--all").output == "1 will be retried, and sending resumes to 0 addresses\n"
    letters.wait()
    assert states(letters)[BOB] == "sent"


def test_a_message_that_is_too_big_is_no_dead_address(letters: Correspondence, hop: Relay) -> None:
    hop.says = lambda stage, address: (
        "552 5.3.4 Message size exceeds fixed limit"
        if stage == "DATA" and address == BOB
        else takes_all(stage, address)
    )
    send_to_four(letters)
    pass_by(letters, 10)

    assert nobody_is_blamed(letters)

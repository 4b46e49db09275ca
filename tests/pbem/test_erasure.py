"""Leaving: after `delete me`, nothing in the database identifies the player, and what remains is consistent."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import inspect
from sqlmodel import Session, col, select

from pbem.features.all import FEATURES
from pbem.mail.transports.protocols import NotAccepted
from pbem.matches import integrity
from pbem.players import erasure
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, Match, Outgoing, Player
from tests.correspondence import Correspondence, correspondence, text

pytestmark = pytest.mark.sql


ALICE, OLD = "liddell.a@wonder.example", "pleasance@oxford.example"
"""Alice's current and former addresses."""
SECRETS = ("alice", "liddell", "wonder.example", "pleasance", "oxford.example")
SAID = ("rabbithole", "hatter", "dormouse", "mockturtle", "caucus")
"""Words that alice writes, wherever one can."""
TOKEN = re.compile(r"[a-z2-7]{40}")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Run a server with the database of the test run."""
    with correspondence(tmp_path) as letters:
        yield letters


def newest(letters: Correspondence, address: str) -> EmailMessage:
    return letters.received[address][-1]


def personal(mail: EmailMessage) -> str:
    return next(line.strip() for line in text(mail).splitlines() if "games+" in line)


def lived(letters: Correspondence) -> str:
    """Let alice join, change her address, play bob, invite carol, and use every command. Return her reply address."""
    letters.write(OLD, "join alice")
    letters.reply(newest(letters, OLD), "yes")
    letters.write(OLD, f"change address {ALICE}", to=personal(newest(letters, OLD)))
    letters.reply(newest(letters, OLD), "yes")
    letters.reply(newest(letters, ALICE), "yes")
    to = personal(newest(letters, ALICE))
    bob = letters.join("bob")
    for game in ("quadraphages begin=me", "quadraphages begin=me", "kvadratik"):
        letters.write(ALICE, f"challenge bob {game}\n\nA game in the rabbithole?", to=to)
    letters.write(ALICE, "challenge carol@mail.example hexaphages\n\nThe dormouse sends you this.", to=to)
    for number in (1, 2):
        letters.write("bob@mail.example", f"accept {number}", to=bob)
        letters.write(ALICE, f"#{number} 1 a7b7 i3i2\n\nSo says the hatter.", to=to)
    letters.write("bob@mail.example", "#2 resign", to=bob)
    letters.reply(letters.last("bob"), "yes")
    letters.write("bob@mail.example", "challenge alice quadrupel", to=bob)
    letters.reply(letters.last("bob"), "say I like that, Alice!")
    letters.write(ALICE, "#1 say The mockturtle is fine.\nset zone=Europe/Vienna mail daily", to=to)
    letters.write(ALICE, "#1 note The hatter is a dormouse.", to=to)
    letters.write(ALICE, "seek kvadratik time=3d/move\nset listed on", to=to)
    letters.write(ALICE, "#1 resign\n\nThe caucus is over.")
    letters.write("bob@mail.example", "games alice\nseeks\nwho\nwhois alice\nhistory bob alice", to=bob)
    letters.join("dave")
    letters.write(ALICE, "block dave", to=to)
    letters.write("dave@mail.example", "games alice")
    letters.write("dave@mail.example", "challenge alice kvadratik")
    return to


def everything(letters: Correspondence) -> str:
    """Return the content of the database as text."""
    held = []
    with letters.server.engine.connect() as connection:
        for table in inspect(connection).get_table_names():
            for row in connection.exec_driver_sql(f'select * from "{table}"'):
                cells = (cell.decode("latin-1") if isinstance(cell, bytes) else str(cell) for cell in row)
                held.append(f"{table}: " + " | ".join(cells))
    return "\n".join(sorted(held))


def traces(letters: Correspondence) -> list[str]:
    """Return the lines of the dump that mention alice, other than in what other people wrote."""
    wanted = re.compile("|".join((*SECRETS, *SAID)), re.IGNORECASE)
    others = re.compile("|".join(map(re.escape, written_by_others(letters))))
    lines = others.sub("", everything(letters)).splitlines()
    return [f"{found[0]} in {line[:3000]}" for line in lines if (found := wanted.search(line))]


def written_by_others(letters: Correspondence) -> list[str]:
    """Return what other people wrote: in their messages, and where our replies to them repeat it."""
    with Session(letters.server.engine) as session:
        raws = [row.raw for row in session.exec(select(Incoming)) if row.raw and not is_from_alice(row.raw)]
        payloads = [row.payload for row in session.exec(select(Outgoing).where(col(Outgoing.incoming).is_not(None)))]
    repeated = [each for payload in payloads for each in [payload.get("subject"), *payload.get("lines", [])] if each]
    said = [
        json.dumps(line)[1:-1]
        for payload in payloads
        for section in payload.get("sections", [])
        if section["template"] == "said"
        for line in section["message"]
    ]
    return [raw.decode("latin-1") for raw in raws] + repeated + said


def is_from_alice(raw: bytes) -> bool:
    return any(f"From: {address}".encode() in raw for address in (ALICE, OLD))


def leave(letters: Correspondence, to: str) -> list[EmailMessage]:
    (question,) = letters.write(ALICE, "delete me\n\nThe hatter waves.", to=to)
    assert "leave and have your data deleted" in text(question)
    assert traces(letters)
    return letters.reply(question, "yes")


@pytest.mark.slow
def test_nothing_tells_who_has_left(letters: Correspondence) -> None:
    to = letters.play(lived)
    assert {word for word in (*SECRETS, *SAID) if word in everything(letters).lower()} == {*SECRETS, *SAID}
    leave(letters, to)
    assert traces(letters) == []
    with Session(letters.server.engine) as session:
        (player,) = session.exec(select(Player).where(Player.deleted != None))  # noqa: E711
        assert (player.name, player.address) == (f"deleted-{player.id}", f"deleted-{player.id}")
        hers = session.exec(select(Incoming).where(Incoming.player == player.id)).all()
        assert hers
        assert all(not (row.raw or row.sender or row.recipients or row.error) for row in hers)
        assert not any(TOKEN.search(str(row.payload)) for row in session.exec(select(Outgoing)))
    letters.wait(days=91)
    found = re.search("|".join((*SECRETS, *SAID)), everything(letters), re.IGNORECASE)
    assert found is None, "what others wrote goes when its time is up"


@pytest.mark.slow
def test_the_last_mail_says_so_and_its_address_is_forgotten(letters: Correspondence) -> None:
    sent = leave(letters, letters.play(lived))
    (last,) = [mail for mail in sent if mail["To"] == ALICE]
    assert text(last).startswith("Done: your data has been deleted.")
    assert last["Reply-To"].addresses[0].addr_spec == "games@pbem.example"
    assert letters.execute("select address from outgoing where template = 'deleted'") == [("nowhere",)]


@pytest.mark.slow
def test_running_matches_are_the_opponents_and_offers_end(letters: Correspondence) -> None:
    letters_before = letters.play(lived)
    sent = leave(letters, letters_before)
    with Session(letters.server.engine) as session:
        states = [(match.state, match.termination) for match in session.exec(select(Match).order_by(col(Match.id)))]
        anonymous = session.exec(select(Player.name).where(Player.deleted != None)).one()  # noqa: E711
        assert states[0] == ("over", "left")
        assert states[1] == ("over", "resignation")
        assert [state for state, _ in states[2:]] == ["withdrawn", "withdrawn", "declined"]
        for match in session.exec(select(Match)):
            if match.state == "over":
                assert list(integrity.faults(session, [match])) == [[]]
        running = session.get_one(Match, 1)
        assert session.get_one(Player, (running.seat0, running.seat1)[running.winner or 0]).name == "bob"
    told = [mail for mail in sent if mail["To"] == "bob@mail.example"]
    assert [mail["X-PBeM-Match"] for mail in told] == ["1", "3", "5"]
    assert "Match #1 is over, and you win." in text(told[0])
    assert f"The record calls them {anonymous}." in " ".join(text(told[0]).split())
    record = next(part for part in told[0].iter_attachments() if part.get_filename() == "pbem-1-quadraphages.txt")
    assert "1 a7b7 i3i2" in " ".join(record.get_content().split())
    assert record.get_content().splitlines()[1] == "Ended: X left"
    assert "resign" not in record.get_content()
    facts = [told[0][f"X-PBeM-{fact}"] for fact in ("Termination", "Winner", "Ended-By")]
    assert facts == ["left", "bob", anonymous]
    called_off = str(told[1].get_body(("html",)))
    assert "The challenge #3 (" in called_off
    assert "is off." in called_off
    assert not [mail for mail in sent if mail["To"] == "carol@mail.example"]


@pytest.mark.slow
def test_choices_go_and_a_resigned_match_is_without_the_name(letters: Correspondence) -> None:
    to = letters.play(lived)
    letters.write(ALICE, "set mail daily\nstop", to=to)
    letters.write(ALICE, "#1 resign", to=to)
    letters.reply(newest(letters, ALICE), "yes")
    ((settings, stopped),) = letters.execute("select settings, stopped from player where name = 'alice'")
    assert "daily" in str(settings)
    assert stopped is not None
    leave(letters, to)
    with Session(letters.server.engine) as session:
        (player,) = session.exec(select(Player).where(Player.deleted != None))  # noqa: E711
        assert (player.settings, player.stopped) == ({}, None)
        match = session.get_one(Match, 1)
        assert (match.termination, (match.seat0, match.seat1)[match.termination_seat or 0]) == (
            "resignation",
            player.id,
        )
        assert match.reason is None


@pytest.mark.slow
def test_an_invitation_to_an_earlier_address_goes_too(letters: Correspondence) -> None:
    to = letters.play(lived)
    letters.write(
        "bob@mail.example", f"challenge {OLD} kvadratik", to=personal(letters.received["bob@mail.example"][1])
    )
    assert letters.execute(f"select confirmed from player where address = '{OLD}'") == [(None,)]
    leave(letters, to)
    assert traces(letters) == []


@pytest.mark.slow
def test_an_earlier_address_that_is_somebody_else_s_now_stays_his(letters: Correspondence) -> None:
    to = letters.play(lived)
    letters.write(OLD, "join queen")
    letters.reply(newest(letters, OLD), "yes")
    leave(letters, to)
    assert letters.execute("select address from player where name = 'queen'") == [(OLD,)]
    assert letters.execute(f"select count(*) from outgoing where address = '{OLD}' and template = 'welcome'") == [(1,)]
    with Session(letters.server.engine) as session:
        assert [row for row in session.exec(select(Incoming)) if b"join queen" in row.raw], "it is no mail of alice's"


@pytest.mark.slow
def test_whoever_left_is_a_stranger(letters: Correspondence) -> None:
    to = letters.play(lived)
    old = newest(letters, ALICE)
    leave(letters, to)
    assert letters.write(ALICE, "games", to=to) == []
    assert letters.reply(old, "games") == []
    (told,) = letters.reply(old, "games", to="games@pbem.example")
    assert text(told).startswith("Hello! Here you can play board games")
    verdicts = [row[0] for row in letters.execute("select verdict from incoming order by id desc limit 3")]
    assert verdicts[1:] == ["no answer: unknown token"] * 2
    assert verdicts[0] == "told what this is"
    assert "Someone, hopefully you" in text(letters.write(ALICE, "join alice")[0])
    letters.reply(newest(letters, ALICE), "yes")
    assert text(newest(letters, ALICE)).startswith("Welcome, alice!")


@pytest.mark.slow
def test_nobody_can_play_who_left_nor_take_that_name(letters: Correspondence) -> None:
    leave(letters, letters.play(lived))
    to = str(letters.received["bob@mail.example"][1]["Reply-To"].addresses[0].addr_spec)
    ((anonymous,),) = letters.execute("select name from player where deleted is not null")
    (answer,) = letters.write("bob@mail.example", f"challenge {anonymous} kvadratik", to=to)
    assert f"No player is called {anonymous}" in text(answer)
    assert "can't be a player's name" in text(letters.write("eve@mail.example", "join deleted-9")[0])


@pytest.mark.slow
def test_an_old_mail_of_the_one_who_left_is_still_known(letters: Correspondence) -> None:
    to = letters.play(lived)
    mail = next(mail for way, mail in letters.log if way == "in" and "mockturtle" in text(mail))
    leave(letters, to)
    before = letters.execute("select count(*) from incoming")
    assert letters.deliver(mail.as_bytes()) == []
    assert letters.execute("select count(*) from incoming") == before


@pytest.mark.slow
def test_no_keeps_everything(letters: Correspondence) -> None:
    to = letters.play(lived)
    (question,) = letters.write(ALICE, "delete me", to=to)
    before = everything(letters).count("alice")
    letters.reply(question, "no")
    assert everything(letters).count("alice") >= before
    assert letters.execute(f"select name from player where address = '{ALICE}'") == [("alice",)]


@pytest.mark.slow
def test_what_was_not_sent_yet_is_dropped_or_forgets(letters: Correspondence) -> None:
    """Bob batches his news, and a message to him fails; neither mentions alice once it is sent."""
    to = letters.play(lived)
    bob = str(letters.received["bob@mail.example"][1]["Reply-To"].addresses[0].addr_spec)
    letters.write("bob@mail.example", "set mail daily\n#1 c1b1 g9h9 3", to=bob)
    letters.write(ALICE, "#1 say The dormouse sleeps.\n#2 say Thanks, says the hatter!\n#3 withdraw", to=to)
    assert letters.execute("select count(*) from outgoing where state = 'batched'") > [(2,)]
    leave(letters, to)
    assert traces(letters) == []
    (digest,) = letters.wait(days=2)
    assert "has left this server" in text(digest)
    assert not [word for word in (*SECRETS, *SAID) if word in text(digest).lower()]
    assert letters.execute("select count(*) from outgoing where state in ('owed', 'batched')") == [(0,)]


@pytest.mark.slow
def test_mails_of_hers_that_were_put_aside_go_and_those_of_others_wait(letters: Correspondence) -> None:
    to = letters.play(lived)
    with database.transaction(letters.server.engine) as session:
        rows = session.exec(select(Incoming).order_by(col(Incoming.id))).all()
        (own, other) = (next(row for row in reversed(rows) if word in row.raw) for word in (b"caucus", b"accept 1"))
        for row in (own, other):
            row.state, row.player, row.error = IncomingState.SHUNTED, None, "Traceback: alice"
    leave(letters, to)
    with Session(letters.server.engine) as session:
        assert session.get_one(Incoming, own.id).state == IncomingState.DONE
        assert session.get_one(Incoming, own.id).raw == b""
        assert session.get_one(Incoming, other.id).state == IncomingState.SHUNTED
        assert session.get_one(Incoming, other.id).raw


@pytest.mark.slow
def test_a_name_that_is_part_of_another_s_takes_nothing_away(letters: Correspondence) -> None:
    letters.match(challenge="challenge al-ice quadraphages", first="al", second="al-ice")
    letters.reply(letters.last("al"), "1 a7b7 i3i2\n\nAlso for al-ice from al.")
    (question,) = letters.reply(letters.received["al@mail.example"][1], "delete me")
    letters.reply(question, "yes")
    assert letters.execute("select name from player where deleted is null") == [("al-ice",)]
    assert "al-ice" in everything(letters)
    names = letters.execute(
        "select payload, facts, address from outgoingcontent join outgoing on outgoing.id = outgoing"
    )
    assert re.search("""["']al-ice["']""", str(names))
    assert not re.search("""["']al["']""", str(names))


class WhileSending:
    """An outbox whose next hop is so slow with a message to alice that she leaves meanwhile, and then refuses it."""

    def __init__(self, letters: Correspondence) -> None:
        self._letters = letters

    def send(self, _sender: str, recipient: str, _raw: bytes) -> None:
        if recipient != ALICE:
            return
        server = self._letters.server
        with database.transaction(server.engine) as session:
            player = session.exec(select(Player).where(Player.name == "alice")).first()
            if player is not None:
                erasure.erase(session, server.settings.server, player, self._letters.clock(), FEATURES.forget)
        raise NotAccepted(f"550 nobody is called {recipient}", later=False)

    def close(self) -> None:
        pass


@pytest.mark.slow
def test_a_mail_in_hand_while_its_reader_leaves_is_no_trouble_afterwards(letters: Correspondence) -> None:
    letters.play(lived)
    letters.execute(f"update outgoing set state = 'owed' where address = '{ALICE}' and template = 'turn'")
    server = replace(letters.server, sender=replace(letters.server.sender, outbox=WhileSending(letters)))
    while server.send_due():
        pass
    newest = "select max(id) from outgoing where address = 'bob@mail.example'"
    letters.execute(f"update outgoing set state = 'owed' where id = ({newest})")  # another is taken meanwhile
    letters.clock.advance(minutes=1)
    while server.send_due():
        pass
    assert traces(letters) == []
    states = letters.execute("select distinct state from outgoing where address like 'deleted-%' order by state")
    assert states == [("dropped",), ("sent",)]
    assert letters.execute("select state from outgoing where template = 'deleted'") == [("dropped",)]


def test_a_crash_in_the_middle_leaves_everything_as_it_was(letters: Correspondence) -> None:
    to = letters.play(lived)
    before = everything(letters)
    with Session(letters.server.engine) as session:
        player = session.exec(select(Player).where(Player.name == "alice")).one()
        erasure.erase(session, letters.server.settings.server, player, letters.clock(), FEATURES.forget)
        session.flush()
        session.rollback()
    assert everything(letters) == before
    assert letters.write(ALICE, "games", to=to)

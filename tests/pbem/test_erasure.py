"""Leaving: after `delete me`, nothing in the database identifies the player, and what remains is consistent."""

import json
import re
from dataclasses import replace
from email.message import EmailMessage

from sqlalchemy import inspect
from sqlmodel import Session, col, select

from pbem.features.all import FEATURES
from pbem.mail.transports.protocols import NotAccepted
from pbem.matches import integrity
from pbem.players import erasure
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, Match, Outgoing, Player
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, said, text, to

ALICE, OLD = "liddell.a@wonder.example", "pleasance@oxford.example"
"""Alice's current and former addresses."""
SECRETS = ("alice", "liddell", "wonder.example", "pleasance", "oxford.example")
SAID = ("rabbithole", "hatter", "dormouse", "mockturtle", "caucus")
"""Words that alice writes, wherever one can."""
TRACES = re.compile("|".join((*SECRETS, *SAID)), re.IGNORECASE)
TOKEN = re.compile(r"[a-z2-7]{40}")


def lived(letters: Correspondence) -> None:
    """Let alice join, change her address, play bob, invite carol, and use every command."""
    letters.write(OLD, "join alice")
    letters.reply(letters.received[OLD][-1], "yes")
    letters.write(OLD, f"change address {ALICE}", to=letters.personal("alice"))
    letters.reply(letters.received[OLD][-1], "yes")
    letters.reply(letters.received[ALICE][-1], "yes")
    letters.join("bob")
    for game in ("quadraphages begin=me", "quadraphages begin=me", "kvadratik"):
        says(letters, f"challenge bob {game}\n\nA game in the rabbithole?")
    says(letters, "challenge carol@mail.example hexaphages\n\nThe dormouse sends you this.")
    for number in (1, 2):
        letters.say("bob", f"accept {number}")
        says(letters, f"#{number} 1 a7b7 i3i2\n\nSo says the hatter.")
    letters.say("bob", "#2 resign")
    letters.reply(letters.last("bob"), "yes")
    letters.say("bob", "challenge alice quadrupel")
    letters.reply(letters.last("bob"), "say I like that, Alice!")
    says(letters, "#1 say The mockturtle is fine.\nset zone=Europe/Vienna mail daily")
    says(letters, "seek kvadratik time=3d/move\nset listed on")
    letters.write(ALICE, "#1 resign\n\nThe caucus is over.")
    letters.say("bob", "games alice\nseeks\nwho\nwhois alice\nhistory bob alice")
    letters.join("dave")
    says(letters, "block dave")
    letters.write("dave@mail.example", "games alice")
    letters.write("dave@mail.example", "challenge alice kvadratik")


pytestmark = scenes.after(lived)


def says(letters: Correspondence, words: str) -> list[EmailMessage]:
    """Let alice write to her personal address."""
    return letters.write(ALICE, words, to=letters.personal("alice"))


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
    others = re.compile("|".join(map(re.escape, written_by_others(letters))))
    lines = others.sub("", everything(letters)).splitlines()
    return [f"{found[0]} in {line[:3000]}" for line in lines if (found := TRACES.search(line))]


def written_by_others(letters: Correspondence) -> list[str]:
    """Return what other people wrote: in their messages, and where our replies to them repeat it."""
    with Session(letters.server.engine) as session:
        raws = [row.raw for row in session.exec(select(Incoming)) if row.raw and not is_from_alice(row.raw)]
        payloads = [row.payload for row in session.exec(select(Outgoing).where(col(Outgoing.incoming).is_not(None)))]
    repeated = [each for payload in payloads for each in [payload.get("subject"), *payload.get("lines", [])] if each]
    notes = [
        json.dumps(line)[1:-1]
        for payload in payloads
        for section in payload.get("sections", [])
        if section["template"] == "said"
        for line in section["message"]
    ]
    return [raw.decode("latin-1") for raw in raws] + repeated + notes


def is_from_alice(raw: bytes) -> bool:
    return any(f"From: {address}".encode() in raw for address in (ALICE, OLD))


def leave(letters: Correspondence) -> list[EmailMessage]:
    (question,) = says(letters, "delete me\n\nThe hatter waves.")
    assert traces(letters)
    return letters.reply(question, "yes")


def gone(session: Session) -> Player:
    """Return the one who has left."""
    return session.exec(select(Player).where(col(Player.deleted).is_not(None))).one()


def test_nothing_tells_who_has_left(letters: Correspondence) -> None:
    assert {word for word in (*SECRETS, *SAID) if word in everything(letters).lower()} == {*SECRETS, *SAID}
    leave(letters)
    assert traces(letters) == []
    assert letters.rows("select address from outgoing where template = 'deleted'") == ["nowhere"]
    with Session(letters.server.engine) as session:
        player = gone(session)
        assert (player.name, player.address) == (f"deleted-{player.id}", f"deleted-{player.id}")
        hers = session.exec(select(Incoming).where(Incoming.player == player.id)).all()
        assert hers
        assert all(not (row.raw or row.sender or row.recipients or row.error) for row in hers)
        assert not any(TOKEN.search(str(row.payload)) for row in session.exec(select(Outgoing)))
    letters.wait(days=91)
    assert TRACES.search(everything(letters)) is None, "what others wrote goes when its time is up"


def test_running_matches_are_the_opponents_and_offers_end(letters: Correspondence) -> None:
    sent = leave(letters)
    with Session(letters.server.engine) as session:
        matches = session.exec(select(Match).order_by(col(Match.id))).all()
        ended = [(match.state, match.termination) for match in matches[:2]]
        assert ended == [("over", "left"), ("over", "resignation")]
        assert [match.state for match in matches[2:]] == ["withdrawn", "withdrawn", "declined"]
        assert list(integrity.faults(session, matches[:2])) == [[], []]
        winner = (matches[0].seat0, matches[0].seat1)[matches[0].winner or 0]
        assert session.get_one(Player, winner).name == "bob"
        anonymous = gone(session).name
    won, called_off, declined = to(sent, "bob")
    assert [mail["X-PBeM-Match"] for mail in (won, called_off, declined)] == ["1", "3", "5"]
    assert "Match #1 is over, and you win." in text(won)
    assert f"The record calls them {anonymous}." in said(won)
    record = next(part for part in won.iter_attachments() if part.get_filename() == "pbem-1-quadraphages.txt")
    assert "1 a7b7 i3i2" in " ".join(record.get_content().split())
    assert record.get_content().splitlines()[1] == "Ended: X left"
    assert "resign" not in record.get_content()
    facts = [won[f"X-PBeM-{fact}"] for fact in ("Termination", "Winner", "Ended-By")]
    assert facts == ["left", "bob", anonymous]
    page = str(called_off.get_body(("html",)))
    assert "The challenge #3 (" in page
    assert "is off." in page
    assert not to(sent, "carol")


def test_an_earlier_address_that_is_somebody_else_s_now_stays_theirs(letters: Correspondence) -> None:
    letters.write(OLD, "join queen")
    letters.reply(letters.received[OLD][-1], "yes")
    leave(letters)
    assert letters.rows("select address from player where name = 'queen'") == [OLD]
    assert letters.rows(f"select count(*) from outgoing where address = '{OLD}' and template = 'welcome'") == [1]
    with Session(letters.server.engine) as session:
        assert [row for row in session.exec(select(Incoming)) if b"join queen" in row.raw], "it is no mail of alice's"


def test_whoever_left_is_a_stranger_whose_name_nobody_plays_or_takes(letters: Correspondence) -> None:
    address, old = letters.personal("alice"), letters.received[ALICE][-1]
    earlier = next(mail for way, mail in letters.log if way == "in" and "mockturtle" in text(mail))
    leave(letters)
    before = letters.execute("select count(*) from incoming")
    assert letters.deliver(earlier.as_bytes()) == []
    assert letters.execute("select count(*) from incoming") == before, "an old message of theirs is still known"
    assert letters.write(ALICE, "games", to=address) == []
    assert letters.reply(old, "games") == []
    (told,) = letters.reply(old, "games", to=ADDRESS)
    assert text(told).startswith("Hello! Here you can play board games")
    assert letters.rows("select verdict from incoming order by id desc limit 3") == [
        "told what this is",
        *["no answer: unknown token"] * 2,
    ]
    (anonymous,) = letters.rows("select name from player where deleted is not null")
    assert f"No player is called {anonymous}" in text(letters.say("bob", f"challenge {anonymous} kvadratik")[0])
    assert "can't be a player's name" in text(letters.write("eve@mail.example", "join deleted-9")[0])
    (question,) = letters.write(ALICE, "join alice")
    assert text(letters.reply(question, "yes")[-1]).startswith("Welcome, alice!")


def test_what_was_not_sent_yet_is_dropped_or_forgets(letters: Correspondence) -> None:
    """Bob batches his news, and a message to him fails; neither mentions alice once it is sent."""
    letters.say("bob", "set mail daily\n#1 c1b1 g9h9 3")
    says(letters, "#1 say The dormouse sleeps.\n#2 say Thanks, says the hatter!\n#3 withdraw")
    assert letters.execute("select count(*) from outgoing where state = 'batched'") > [(2,)]
    leave(letters)
    assert traces(letters) == []
    (digest,) = letters.wait(days=2)
    assert "has left this server" in text(digest)
    assert not TRACES.search(text(digest))
    assert letters.rows("select count(*) from outgoing where state in ('owed', 'batched')") == [0]


def test_mails_of_hers_that_were_put_aside_go_and_those_of_others_wait(letters: Correspondence) -> None:
    with database.transaction(letters.server.engine) as session:
        rows = session.exec(select(Incoming).order_by(col(Incoming.id))).all()
        (own, other) = (next(row for row in reversed(rows) if word in row.raw) for word in (b"caucus", b"accept 1"))
        for row in (own, other):
            row.state, row.player, row.error = IncomingState.SHUNTED, None, "Traceback: alice"
    leave(letters)
    with Session(letters.server.engine) as session:
        mine, theirs = (session.get_one(Incoming, row.id) for row in (own, other))
        assert (mine.state, mine.raw) == (IncomingState.DONE, b"")
        assert theirs.state == IncomingState.SHUNTED
        assert theirs.raw


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


def test_a_mail_in_hand_while_its_reader_leaves_is_no_trouble_afterwards(letters: Correspondence) -> None:
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

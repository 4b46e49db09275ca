"""A correspondence in which every message and section occurs, and an example of each from it."""

from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

from sqlmodel import Session, select

from pbem.features.accounts import data_export
from pbem.features.all import FEATURES
from pbem.features.moderation import acts, broadcasts
from pbem.features.moderation.acts import Order
from pbem.messages.render import Renderer
from pbem.messages.template_files import template_folders
from pbem.players import addresses_and_revocation
from pbem.players.message_budgets import MOST_SAME
from pbem.server import alerts, daemon
from pbem.storage import database
from pbem.storage.mailer import WITH_CONTENT
from pbem.storage.models import Incoming, IncomingState, Match, MatchState, Outgoing, OutgoingState, Player
from tests.bounces import dsn
from tests.correspondence import Correspondence, correspondence

ROOT = Path(__file__).parents[2]


def found(kind: str) -> set[str]:
    """Return the names of the templates of that kind, such as "sections/*.j2", in the folders of all features."""
    return {path.stem for folder in template_folders() for path in folder.glob(kind)}


FACES = {
    "face-table": ("picture", "off"),
    "face-unicode": ("board", "unicode"),
    "face-words": ("board", "words"),
    "face-plain": ("html", "off"),
}
"""The forms of a message that a player can choose: a preference, and the choice."""
MOMENTS = ("turn-yours", "turn-over", "refused-slip", "confirm-join", "confirm-resign", "confirm-delete", "confirm-act")
"""Other examples: a match that goes on, one that ends, a corrected slip, and questions."""
ALICE, BOB = "alice@mail.example", "bob@mail.example"


def kinds() -> set[str]:
    """Return the names of all messages, and of all sections with `section-` in front; a reply consists of sections."""
    mails = found("*.j2") - {"answer"}
    return mails | {f"section-{name}" for name in found("sections/*.j2")}


Sent = tuple[str, bytes, bytes, bytes]
"""A message that was sent: its template, its bytes, those when it is rendered again later, and those of ELSEWHERE."""
ELSEWHERE = {"address": "brettspiele@vereinsheim.games.example.org", "name": "Spiele f\u00fcr alle"}
"""A server with a long address and an accent in its name."""


def examples(folder: Path) -> tuple[dict[str, EmailMessage], list[Sent]]:
    """Return a message for each template and form, and every message sent, with its bytes when rendered again.

    The example of a section is the first message with that section alone, if there is one.
    """
    with correspondence(folder, altered=_without_alerts, server='admin = "admin@pbem.example"') as letters:
        found = write_all(letters)
        found["confirm-delete"] = _leave(letters)
        _alert(letters)
        _moderate(letters)
        _compete(letters)
        found["confirm-act"] = _moderate_by_mail(letters)
        with Session(letters.server.engine) as session:
            rows = {row.message_id: row for row in session.exec(select(Outgoing).options(WITH_CONTENT))}
        for several in (False, True):
            for way, mail in letters.log:
                if way == "out":
                    names = _kinds(rows[str(mail["Message-ID"])])
                    if several or len(names) == 1:
                        found |= {name: mail for name in names if name not in found}
        again = list(_made_again(letters, folder))
    return found, again


def _without_alerts(server: daemon.Server) -> daemon.Server:
    """Return the server without what takes long and changes no message: looking for alerts."""
    told = server.settings.server.model_copy(update={"admin": None})
    return replace(server, settings=server.settings.model_copy(update={"server": told}))


def _made_again(letters: Correspondence, folder: Path) -> Iterator[Sent]:
    """Yield a message of each kind as sent, and as rendered after all names, preferences and matches have changed.

    Rows of deleted players are skipped, since they are empty.
    """
    server = letters.server
    services, limits = server.services, server.settings.limits
    settings = services.server.model_copy(update=ELSEWHERE)
    enclose = data_export.encloser(settings, FEATURES.exports)
    elsewhere = Renderer(settings, services.keyring, limits.keep_mail_days, enclose)
    with database.transaction(server.engine) as session:
        for player in session.exec(select(Player)):
            player.name, player.stopped = f"x{player.id}", None if player.stopped else letters.clock()
            player.settings = {"board": "unicode", "html": "off", "picture": "off"}
        for match in session.exec(select(Match)):
            match.state, match.winner, match.reason, match.part = MatchState.OVER, 1, "of a sudden", None
            match.started = match.ended = letters.clock()
            match.by_address, match.seat0, match.seat1 = not match.by_address, match.seat1, match.seat0
    with database.transaction(server.engine) as session:
        rows = {
            row.message_id.encode(): row
            for row in session.exec(select(Outgoing).options(WITH_CONTENT))
            if row.removed is None
        }
        kinds: set[str] = set()
        for path in sorted((folder / "out" / "new").iterdir()):
            raw = path.read_bytes()
            row = rows.get(b"<" + raw.partition(b"\nMessage-ID: <")[2].partition(b"\r")[0])
            if row is None or b"frank" in raw or kinds.issuperset(_kinds(row)):
                continue  # frank has left, so his name is removed from other people's
            kinds.update(_kinds(row))
            again, there = (next(iter(each.render(session, [row]))) for each in (server.renderer, elsewhere))
            yield row.template, raw, again, there


def _kinds(row: Outgoing) -> list[str]:
    """Return the names of a message's sections, or of its template."""
    return [f"section-{section['template']}" for section in row.payload.get("sections", ())] or [row.template]


def write_all(letters: Correspondence) -> dict[str, EmailMessage]:
    """Write the correspondence. Return the examples of matches at some moment, and of preferences."""
    personal = letters.join("alice")
    moments = {"confirm-join": letters.received[ALICE][0]}
    letters.join("bob")
    letters.reply(letters.received[BOB][0], "yes")
    letters.write(ALICE, "challenge bob quadraphages first=o begin=you\n\nA game?", to=personal)
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("bob"), "c1b1 g9h9 3")
    letters.reply(letters.last("bob"), "1 c1b1 g9h9\n\nGood luck!\nYours, Bob")
    moments["turn-yours"] = letters.last("alice")
    letters.reply(letters.last("alice"), "a7b7 i3i2 4")
    letters.reply(letters.last("alice"), "undo")
    letters.reply(letters.last("alice"), "a7b7 i3i2 3 b7b4 i2f2")
    letters.reply(letters.received[BOB][1], "set")
    letters.reply(letters.last("alice"), "preview 1#1\nshow 1#1")
    moments |= _choose(letters)
    letters.reply(letters.last("bob"), "#1 say I need a day to think.")
    for words in (
        "games",
        "show 1",
        "record 1",
        "help",
        "help challenge",
        "help quadrupel",
        "help notation",
        "help opponent",
        "help boards",
        "help hints",
    ):
        letters.reply(letters.received[ALICE][1], words)
    letters.reply(letters.received[ALICE][1], "rules quadrupel")
    letters.reply(letters.received[ALICE][1], "human\n\nThe board looks odd on my phone.")
    letters.reply(letters.received[ALICE][1], "help xyzzy\ngames\n\nAnd how are you all?")
    letters.reply(letters.received[ALICE][1], "preview 1#1 a7b7 i3i2 3 b7b4 i2f2")
    letters.write(ALICE, "challenge bob kvadratik", to=personal)
    letters.reply(letters.last("bob"), "decline\n\nNo time this week, sorry.")
    letters.write(ALICE, "challenge carol@mail.example kvadratik\n\nDo you know this one?", to=personal)
    letters.write("carol@mail.example", "accept")
    _wait_and_stop(letters)
    (moments["confirm"],) = letters.write(ALICE, "#1 resign")
    letters.reply(letters.last("alice"), "no, that was not me")
    bob = str(letters.received[BOB][1]["Reply-To"].addresses[0].addr_spec)
    for _ in range(MOST_SAME):
        letters.write(ALICE, "climb", to=personal)
    (moments["refused-slip"],) = letters.write(BOB, "#1 b1e1 h9e9 3 e9b9 e1e5", to=bob)
    (moments["confirm-resign"],) = letters.write(BOB, "#1 resign\n\nI was wrong.", to=bob)
    letters.reply(moments["confirm-resign"], "yes")
    moments["turn-over"] = letters.last("alice")
    _change_addresses(letters)
    letters.write(ALICE, "challenge grace@mail.example kvadratik", to=personal)
    letters.reply(letters.last("grace"), "stop")
    letters.reply(letters.last("grace"), "start")
    letters.write("heidi@mail.example", "help challenge\nrules quadrupel")
    letters.write("ivan@mail.example", "How does this work?")
    letters.write(ALICE, "games\n\nIn #4 I play e1e2 next.", to=personal)
    _agree(letters, personal)
    _meet(letters, personal)
    letters.write(ALICE, "play kvadratik level=1", to=personal)
    letters.reply(letters.last("alice"), "hint")
    letters.write(ALICE, "whois house", to=personal)
    letters.write(ALICE, "analyse 1", to=personal)
    letters.write(ALICE, "analyse 1\nshow 1", to=personal)
    return moments


def _meet(letters: Correspondence, personal: str) -> None:
    """Let alice seek matches, look who plays here and how, and block bob; one of her seeks ends."""
    _rate(letters)
    for words in (
        "seek kvadratik time=3d/move\nseek quadrature begin=you",
        "seeks",
        "set listed on\nset listed off",
        "who",
        "whois bob",
        "standings",
        "history",
        "unseek 2",
        "block bob",
    ):
        letters.write(ALICE, words, to=personal)
    letters.execute("update seek set expires = created")
    letters.wait(minutes=1)


def _rate(letters: Correspondence) -> None:
    """Let alice and bob have ratings."""
    for name, rating, deviation in (("alice", 1583.2, 140), ("bob", 1611.9, 71)):
        letters.execute(
            "insert into playerrating (player, game, week, rating, deviation, volatility, wins, draws, losses)"
            f" select id, 'kvadratik', '2026-02-23', {rating}, {deviation}, 0.06, 5, 1, 3 from player"
            f" where name = '{name}'"
        )


def _agree(letters: Correspondence, personal: str) -> None:
    """Let alice offer bob a draw, take turns back, pause and mute in a match of theirs."""
    letters.write(ALICE, "challenge bob quadrature", to=personal)
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "e3f4\ndraw")
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(letters.last("alice"), "undo\n\nSorry.")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "pause")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "e3d4")
    letters.reply(letters.last("alice"), "if e9f8 then f3g4 then if f9g8 then g4h5\nelse b3b4")
    letters.reply(letters.last("bob"), "note Beware of the left side\nand of draws")
    letters.reply(letters.last("bob"), "mute")
    letters.write(ALICE, "vacation 3d", to=f"{personal}, {letters.last('alice')['Reply-To']}")


def _wait_and_stop(letters: Correspondence) -> None:
    """Let bob batch his news, stop it, and start again; two commands get one reply."""
    alice, bob = (str(letters.received[address][1]["Reply-To"].addresses[0].addr_spec) for address in (ALICE, BOB))
    letters.clock.advance(minutes=1)
    letters.write(ALICE, "challenge bob quadrupel", to=alice)
    letters.write(BOB, "set mail batch\naccept 4", to=bob)
    letters.write(ALICE, "#4 d2d1\ngames\n\nHere we go!", to=alice)
    letters.write(ALICE, "#1 say Are you still thinking?", to=alice)
    letters.wait(minutes=15)
    letters.write(BOB, "set mail each\nstop", to=bob)
    letters.write(ALICE, "#4 say Are you there?", to=alice)
    letters.write(BOB, "start", to=bob)
    letters.write(BOB, "stop", to=bob)
    letters.write(BOB, "#4 c2c1", to=bob)
    letters.reply(letters.write("dave@mail.example", "join dave\nhelp move")[0], "yes")
    letters.wait(hours=2)


def _alert(letters: Correspondence) -> None:
    """Put a message aside, let another fail permanently, and alert the admin."""
    server = letters.server
    with Session(server.engine) as session, session.begin():
        came, owed = session.get_one(Incoming, 7), session.get_one(Outgoing, 9)
        came.state, came.removed, came.handled = IncomingState.SHUNTED, None, letters.clock()
        owed.state, owed.troubled = OutgoingState.FAILED, letters.clock()
    told = server.settings.server.model_copy(update={"admin": "admin@mail.example"})
    alerts.tell(server.engine, told, letters.clock())
    letters.wait(minutes=0)


def _moderate(letters: Correspondence) -> None:
    """Let the operator close bob's account and open it, rename dave, and write to everybody."""
    engine, server, now = letters.server.engine, letters.server.services.server, letters.clock()
    why = Order("terminal", "You've asked others for their passwords.", tells=True)
    with database.transaction(engine) as session:
        bob, dave = (session.exec(select(Player).where(Player.name == each)).one() for each in ("bob", "dave"))
        acts.ban(session, server, FEATURES, bob, why, now)
        acts.unban(session, server, bob, Order("terminal"), now)
        acts.rename(session, server, dave, "david", Order("terminal", "You asked for it.", tells=True), now)
        lines = ("On Sunday we move to a faster machine.", "", "Messages may take some hours longer that day.")
        broadcasts.begin(session, "Moving house", lines, Order("terminal"), now)
    letters.wait(minutes=1)


def _known_already(letters: Correspondence, *names: str) -> None:
    """Let these have joined, without their letters."""
    with database.transaction(letters.server.engine) as session:
        for name in names:
            address, now = f"{name}@mail.example", letters.clock()
            session.add(Player(name=name, address=address, confirmed=now, created=now))
            session.flush()


def _compete(letters: Correspondence) -> None:
    """Let three players enter a knock-out that one of them has opened, and play it; then a ladder."""
    _known_already(letters, "gina", "hugo", "ines")

    def write(name: str, words: str) -> EmailMessage:
        address = f"{name}@mail.example"
        return next(
            mail for mail in letters.write(address, words, to=letters.personal(name)) if str(mail["To"]) == address
        )

    letters.execute("update player set trusted = created where name = 'gina'")
    write("gina", "host knock-out kvadratik time=3d/move places=3 called Little Cup")
    for name, words in (("gina", "enter 1"), ("hugo", "enter 1"), ("hugo", "withdraw from 1"), ("hugo", "enter 1")):
        write(name, words)
    alice = str(letters.received[ALICE][1]["Reply-To"])
    write("ines", "tournaments")
    write("ines", "enter 1")
    for _ in range(2):
        ((number, name),) = letters.execute(
            "select match.id, name from match join player on player.id = seat0 where tournament = 1 and ended is null"
        )
        letters.write(ALICE, f"watch {number}", to=alice)
        write(str(name), f"#{number} setup +x+x")
        letters.write(ALICE, f"unwatch {number}", to=alice)
        letters.reply(write(str(name), f"#{number} resign"), "yes")
        write("gina", "tournament 1")
    write("gina", "host swiss kvadratik time=3d/move every=month called Monthly Cup")
    write("gina", "host stop 2")
    letters.execute("delete from tournament where id = 2")
    write("gina", "host ladder kvadratik time=3d/move called Long Ladder")
    for name in ("gina", "hugo"):
        write(name, "enter 2")
    write("hugo", "climb 2 gina")
    number = letters.execute("select max(id) from match")[0][0]
    letters.reply(write("gina", f"#{number} resign"), "yes")


def _moderate_by_mail(letters: Correspondence) -> EmailMessage:
    """Let the admin look, and rename david. Return the question before that."""
    admin = "admin@pbem.example"
    (first,) = letters.write(admin, "help")
    for words in ("help moderation", "players d", "acts"):
        letters.reply(first, words)
    (question,) = letters.reply(first, "rename david davy You've asked for it again.")
    letters.reply(question, "yes")
    return question


def _leave(letters: Correspondence) -> EmailMessage:
    """Let frank export his data and leave in the middle of a match with bob. Return the question before that."""
    frank = "frank@mail.example"
    letters.write(frank, "challenge bob quadraphages", to=letters.join("frank"))
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("frank"), "1 a7b7 i3i2\n\nHello!")
    letters.reply(letters.received[frank][1], "export me")
    (question,) = letters.reply(letters.received[frank][1], "delete me")
    letters.reply(question, "yes")
    return question


def _change_addresses(letters: Correspondence) -> None:
    """Let erin revoke her addresses, change her address, ignore a question, and become unreachable."""
    old, new = "erin@mail.example", "erin@new.example"
    letters.write(old, "revoke", to=letters.join("erin"))
    letters.reply(letters.received[old][-1], "yes")
    letters.reply(letters.received[old][-1], "change address erin@new.example")
    letters.reply(letters.received[old][-1], "yes")
    letters.reply(letters.received[new][-1], "yes")
    (question,) = letters.write(new, "challenge alice kvadratik")
    letters.wait(days=15)
    letters.reply(question, "yes")
    letters.reply(letters.received[new][-1], "challenge bob hexaphages")
    with database.transaction(letters.server.engine) as session:
        erin = session.exec(select(Player).where(Player.name == "erin")).one()
        addresses_and_revocation.revoke_and_tell(session, letters.server.settings.server, erin, letters.clock())
    letters.wait()
    for days in (2, 4, 6):
        letters.wait(days=days)
        letters.deliver(
            f"Message-ID: <{days}@mail.example>\n".encode() + dsn(letters.carried(letters.received[new][-1]))
        )


def _choose(letters: Correspondence) -> dict[str, EmailMessage]:
    """Let bob look at his match with each preference. Return the messages."""
    welcome = letters.received[BOB][1]
    shown = {}
    for name, (preference, choice) in FACES.items():
        with database.transaction(letters.server.engine) as session:
            bob = session.exec(select(Player).where(Player.name == "bob")).one()
            kept, bob.settings = bob.settings, {**bob.settings, preference: choice}
        (shown[name],) = letters.reply(welcome, "show 1")
        with database.transaction(letters.server.engine) as session:
            session.exec(select(Player).where(Player.name == "bob")).one().settings = kept
    return shown

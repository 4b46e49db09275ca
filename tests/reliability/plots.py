"""Plots: a message of some kind, and what happens before it. Each changes something else in the database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage

from sqlmodel import Session, select

from pbem.failpoints import Step
from pbem.features.time import due
from pbem.mail.transports.protocols import Arrival
from pbem.messages.reply_links import address_with
from pbem.players import bounces
from pbem.server.daemon import Server
from pbem.storage.models import Outgoing
from pbem.tokens import Purpose, Token
from tests import bounces as reports
from tests import forks
from tests.operating import matches
from tests.operating.people import words, written
from tests.reliability.past import long_ago
from tests.reliability.scene import Letter, Scene

X, O, NEW = "x0@mail.example", "o0@mail.example", "x0@new.example"  # noqa: E741 - the two seats' marks
GATHER = frozenset({Step.GATHERING, Step.GATHERED})
CONVERSE = frozenset({Step.AUTHORISED, Step.EXECUTED})


class Rehearsal:
    """A server inside this process that isn't killed, and its players, with one match in which it is x0's turn."""

    def __init__(self, scene: Scene, server: Server, played: int = 0) -> None:
        self.scene, self.server = scene, server
        (self.next_move,) = matches.in_play(server, 1, lambda _: played)

    def say(self, sender: str, to: str, body: str) -> None:
        """Write a message, and let the server process it and send its replies."""
        self.hand_in(Letter(sender, to, written(sender, to, body)))

    def hand_in(self, letter: Letter) -> None:
        """Let the server process the message and send its replies."""
        self.server.take((Arrival(letter.raw, "test", sender=letter.sender, recipients=(letter.to,)),))
        self.server.handle_waiting()
        self.send()

    def send(self) -> None:
        """Send everything that is due."""
        while self.server.send_due():
            pass
        self.server.outbox.close()

    def answer(self, address: str, body: str) -> Letter:
        """Return a reply to the newest message to the address."""
        mail = self.last(address)
        to = mail["Reply-To"].addresses[0].addr_spec
        quoted = "".join(f"> {line}\n" for line in words(mail).splitlines())
        return Letter(address, to, written(address, to, f"{body}\n\n{quoted}", Subject=f"Re: {mail['Subject']}"))

    def last(self, address: str) -> EmailMessage:
        """Return the newest message to the address."""
        return [mail for recipient, mail in self.scene.post.taken if recipient == address][-1]

    def begin_on_a_clock(self, control: str, ago: timedelta) -> None:
        """Let x0 and o0 begin match 2 with that time control. The turn of o0, the fourth, has waited that long."""
        self.say(X, self.personal(X), f"challenge o0 quadrature time={control}")
        self.hand_in(self.answer(O, "accept"))
        for address, turn in ((X, "e3f4"), (O, "e9f8"), (X, "b3b4")):
            self.hand_in(self.answer(address, turn))
        long_ago(self.server.engine, 2, ago)

    def personal(self, address: str) -> str:
        """Return the personal address of the player with that address."""
        (number,) = self.scene.rows("select id from player where address = :address", address=address)
        return address_with(
            self.server.settings.server, self.server.services.keyring, Token(Purpose.PERSONAL, number), 0
        )

    def return_path(self, mail: EmailMessage) -> str:
        """Return the envelope sender of a message of ours."""
        with Session(self.server.engine) as session:
            row = session.exec(select(Outgoing).where(Outgoing.message_id == str(mail["Message-ID"]))).one()
            return bounces.return_path(self.server.settings.server, self.server.services.keyring, row)


@dataclass(frozen=True)
class Plot:
    """A kind of message: a function that prepares and writes it, and the steps that it doesn't reach."""

    write: Callable[[Rehearsal], Letter]
    passes_by: frozenset[Step] = GATHER
    played: int = 0
    """The number of turns of the match that were played before."""
    when_gathering: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for the gathering of news and what follows."""


def _turn(rehearsal: Rehearsal) -> Letter:
    move = rehearsal.next_move
    return Letter(move.sender, move.to, move.raw)


def _yes_to_a_held_mail(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.scene.door.address, f"move 1 {rehearsal.next_move.text}\n\nFrom my telephone.")
    return rehearsal.answer(X, "yes")


def _offer_accepted(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.personal(X), "challenge o0 hexaphages begin=me")
    return rehearsal.answer(O, "accept\n\nWith pleasure.")


def _invitation_accepted(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.personal(X), "challenge newcomer@mail.example hexaphages begin=me")
    return rehearsal.answer("newcomer@mail.example", "accept zoe")


def _yes_of_a_new_address(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.personal(X), f"change address {NEW}")
    rehearsal.hand_in(rehearsal.answer(X, "yes"))
    return rehearsal.answer(NEW, "yes")


def _export(rehearsal: Rehearsal) -> Letter:
    return Letter(X, to := rehearsal.personal(X), written(X, to, "export me"))


def _yes_to_leaving(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.personal(X), "delete me")
    return rehearsal.answer(X, "yes")


def _third_bounce(rehearsal: Rehearsal) -> Letter:
    rehearsal.hand_in(_turn(rehearsal))
    rehearsal.scene.rows("update player set bounces = 2 where address = :address", address=O)
    mail = rehearsal.last(O)
    return Letter("", rehearsal.return_path(mail), reports.dsn(mail))


def _half_refused(rehearsal: Rehearsal) -> Letter:
    return Letter(X, to := rehearsal.next_move.to, written(X, to, f"say Look\n{rehearsal.next_move.text}\naccept 1\n"))


def _news_that_wait(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(O, rehearsal.personal(O), "set mail batch")
    return Letter(X, to := rehearsal.next_move.to, written(X, to, f"say Look\n{rehearsal.next_move.text}\n"))


def _draw_agreed(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.next_move.to, "draw")
    rehearsal.hand_in(rehearsal.answer(O, "accept draw\n\nGladly."))
    return rehearsal.answer(O, "yes")


def _turns_taken_back(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.next_move.to, "undo")
    return rehearsal.answer(O, "accept")


def _turns_prepared(rehearsal: Rehearsal) -> Letter:
    """Return a message of o0, who prepares for x0's next turn."""
    rehearsal.hand_in(_turn(rehearsal))
    turns = matches.sample().moves
    rehearsal.hand_in(rehearsal.answer(O, f"{turns[1]}\nif {turns[2]} then {turns[3]}"))
    return rehearsal.answer(O, f"cancel conditions\nif {turns[2]} then {turns[3]} then if {turns[4]} then {turns[5]}")


def _turn_foreseen(rehearsal: Rehearsal) -> Letter:
    """Return a turn of x0 that o0 has foreseen, with what x0 has foreseen: four turns are played at once."""
    turns = matches.sample().moves
    rehearsal.hand_in(_turns_prepared(rehearsal))
    return rehearsal.answer(X, f"{turns[2]}\nif {turns[3]} then {turns[4]}\n\nLet's see.")


def _claim(rehearsal: Rehearsal) -> Letter:
    """Return the claim of x0, who was told that o0 has run out of time."""
    rehearsal.begin_on_a_clock("3d/move", timedelta(days=3, hours=1))
    server = rehearsal.server
    assert due.TIME_OUTS.act(server.engine, server.settings.server, server.clock()) == 1
    rehearsal.send()
    return rehearsal.answer(X, "claim")


def _seek_taken(rehearsal: Rehearsal) -> Letter:
    rehearsal.say(X, rehearsal.personal(X), "seek hexaphages time=5d+12h repeat=2")
    to = rehearsal.personal(O)
    return Letter(O, to, written(O, to, "take 1\n\nWith pleasure."))


def _turns_of_the_sample() -> int:
    return len(matches.sample().moves)


PLOTS: dict[str, Plot] = {
    "a turn": Plot(_turn),
    "the last turn of a match": Plot(_turn, played=_turns_of_the_sample() - 1),
    "a turn that was foreseen": Plot(_turn_foreseen),
    "turns prepared": Plot(_turns_prepared),
    "turns taken back": Plot(_turns_taken_back, played=2),
    "a draw agreed": Plot(_draw_agreed),
    "a claim": Plot(_claim),
    "an offer accepted": Plot(_offer_accepted),
    "an invitation accepted": Plot(_invitation_accepted),
    "a seek taken": Plot(_seek_taken),
    "a yes to a held mail": Plot(_yes_to_a_held_mail),
    "a new address's yes": Plot(_yes_of_a_new_address),
    "a yes to leaving": Plot(_yes_to_leaving),
    "an export": Plot(_export),
    "a third bounce": Plot(_third_bounce, GATHER | CONVERSE),
    "three commands, the last refused": Plot(_half_refused),
    "news that wait": Plot(_news_that_wait, frozenset(), when_gathering={forks.BATCHES_AT_ONCE: "yes"}),
}
"""Kinds of messages that store something in a way of their own."""

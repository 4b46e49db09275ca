"""What strangers and log readers aren't told: who plays here, and addresses in the words of other servers."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.cli import log_format
from pbem.config import LogSettings
from pbem.features.all import FEATURES
from pbem.mail.transports.protocols import NotAccepted
from pbem.server import daemon
from tests.correspondence import Correspondence, correspondence, said, text
from tests.scenes import after, two_turns

pytestmark = after(two_turns)


ALICE, ZOE = "alice@mail.example", "zoe@mail.example"


def test_only_an_address_that_agreed_learns_that_a_name_is_taken(letters: Correspondence) -> None:
    (about_taken,) = letters.write(ZOE, "join alice")
    (about_free,) = letters.write("yan@mail.example", "join quentin")

    assert text(about_taken).replace("alice", "NAME") == text(about_free).replace("quentin", "NAME")


LOOKING = {
    "games": "games alice",
    "show": "show 1",
    "preview": "preview 1 b7d7",
    "record": "record 1",
    "who": "who",
    "whois": "whois alice",
    "history": "history alice bob",
    "standings": "standings quadraphages",
    "seeks": "seeks",
    "tournaments": "tournaments",
    "tournament": "tournament 1",
    "conditions": "conditions 1",
    "help": "help whois",
    "rules": "rules quadraphages",
}
"""Each command that changes nothing, about alice and bob as far as it can be."""


def test_every_command_that_looks_is_in_the_list() -> None:
    assert set(LOOKING) == {name for name, command in FEATURES.commands.items() if not command.changes}


@pytest.mark.parametrize("line", LOOKING.values(), ids=LOOKING)
def test_no_command_tells_others_of_running_matches_or_of_when_somebody_is_away(
    letters: Correspondence, line: str
) -> None:
    letters.say("alice", "vacation 10d")
    personal = letters.join("carol")

    (answer,) = letters.write("carol@mail.example", line, to=personal)

    told = said(answer)
    assert not re.search("vacation until|away|12 Mar|11 Mar|bob played|to move, |waiting", told), told
    if line.startswith("games"):
        assert "#1" not in told


def test_who_may_watch_a_match_learns_of_no_absence_from_it(letters: Correspondence) -> None:
    letters.match("challenge dora quadraphages time=30d+1d", "alice2", "dora")
    for name in ("alice2", "dora"):
        letters.say(name, "set watchers on\nvacation 10d")

    (answer,) = letters.write("carol@mail.example", "show 2", to=letters.join("carol"))
    told = said(answer)
    assert "Time left: alice2 has" in told
    assert not re.search("away|due by|12 Mar|11 Mar", told), told
    (own,) = letters.say("dora", "show 2")
    assert "alice2 is away until" in said(own)


@pytest.mark.parametrize("order", ["{0} {0}", "{0} {1}", "{1} {0}", "{1} {1}"])
@pytest.mark.parametrize("is_blocked", [False, True])
def test_no_way_to_write_an_address_tells_whether_it_is_a_player_s(
    letters: Correspondence, order: str, is_blocked: bool
) -> None:
    """Who wants no invitations gives the same answers as a player who has blocked the sender."""
    mallory = letters.join("mallory")
    told = []
    for name in ("bob", "nobody"):
        if is_blocked and name == "bob":
            letters.say("bob", "block mallory")
        if is_blocked and name == "nobody":
            letters.write("yan@mail.example", "challenge nobody@mail.example quadrature", to=letters.join("yan"))
            letters.reply(letters.last("nobody"), "stop")
        for address in order.format(f"{name}@mail.example", f"{name}+q@mail.example").split():
            letters.clock.advance(hours=1, minutes=1)  # the third answer in an hour says that it is the last
            letters.write("mallory@mail.example", f"challenge {address} quadraphages", to=mallory)
            answer = said(letters.last("mallory"))
            told.append(re.sub(r"#\d+|withdraw \d+", "N", answer.replace(name, "NAME")))

    assert told[:2] == told[2:]


class Refusing:
    """A next hop whose words repeat the address and what it is told."""

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Refuse the message."""
        address = next(line for line in raw.decode().splitlines() if line.startswith("Reply-To"))
        raise NotAccepted(f"550 5.1.1 <{recipient}>: unknown, {address} from {sender} {'x' * 5_000}", later=False)

    def close(self) -> None:
        """Do nothing."""


def refusing(server: daemon.Server) -> daemon.Server:
    return replace(server, sender=replace(server.sender, outbox=Refusing()))


@pytest.mark.parametrize("form", ["console", "json"])
def test_the_words_of_the_next_hop_put_no_address_into_the_log(tmp_path: Path, form: str) -> None:
    lines = io.StringIO()
    with correspondence(tmp_path, altered=refusing) as letters:
        log_format.configure(LogSettings.model_validate({"format": form}), lines, letters.server.settings.server)
        letters.write(ZOE, "join zoe")

    assert "550 5.1.1 <(address)>: unknown" in lines.getvalue()
    assert not re.search(r"zoe@|games@|games\+", lines.getvalue())
    assert max(map(len, lines.getvalue().splitlines())) < 3_000

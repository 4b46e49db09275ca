"""Who may do what at once, who is asked first, who is introduced: the judgement as a table, without a database."""

from dataclasses import replace

import pytest

from notation.games import GAMES
from pbem.conversation.command import Reach
from pbem.conversation.judge import Judgement, judge
from pbem.conversation.syntax.mail import ParsedMessage, Reader
from pbem.features.all import FEATURES
from pbem.players.sender_identity import Sender
from pbem.storage.models import Player
from pbem.tokens import Purpose
from tests.contests import NOW

ALICE = Player(id=1, name="alice", address="alice@mail.example", confirmed=NOW, created=NOW)
GUEST = Player(id=2, address="guest@mail.example", created=NOW)
SENDERS = {
    "stranger": Sender("eve@mail.example", None, proven=False),
    "claimed": Sender(ALICE.address, ALICE, proven=False),
    "domain": Sender(ALICE.address, ALICE, proven=True),
    "match": Sender(ALICE.address, ALICE, proven=True, match=7, purpose=Purpose.PLAY),
    "personal": Sender(ALICE.address, ALICE, proven=True, purpose=Purpose.PERSONAL),
    "news": Sender(ALICE.address, ALICE, proven=False, purpose=Purpose.NOTICES),
    "guest": Sender(GUEST.address, GUEST, proven=True, match=7, purpose=Purpose.PLAY),
    "answer": Sender(ALICE.address, ALICE, proven=False, match=7, by_thread=True, purpose=Purpose.PLAY),
    "thread": Sender(GUEST.address, GUEST, proven=False, match=7, by_thread=True),
}
"""What they show: nothing, a player's From, its domain's signature, a token, a thread; two are no players yet."""
TABLE = """
                           stranger   claimed  domain   match    personal news     guest    answer   thread
help                       run        run      run      run      run      run      run      run      run
games                      introduce  run      run      run      run      run      refuse   run      refuse
record 7                   introduce  ask      run      run      run      ask      refuse   ask      refuse
who                        introduce  run      run      run      run      run      refuse   run      refuse
1 c1b1 g9h9                introduce  ask      run      run      run      ask      refuse   ask      refuse
#9 1 c1b1 g9h9             introduce  ask      run      ask      run      ask      refuse   ask      refuse
resign                     introduce  ask      ask      ask      ask      ask      refuse   ask      refuse
say Hello                  introduce  ask      run      run      run      ask      refuse   ask      refuse
challenge bob quadrupel    introduce  ask      run      ask      run      ask      refuse   ask      refuse
play quadrupel             ask        ask      run      ask      run      ask      ask      ask      ask
join carol                 ask        ask      run      ask      run      ask      run      ask      ask
stop                       ask        ask      run      ask      run      run      run      ask      run
unwatch                    introduce  ask      run      ask      run      run      refuse   ask      refuse
set mail daily             introduce  ask      run      ask      run      ask      refuse   ask      refuse
export me                  introduce  ask      run      ask      run      ask      refuse   ask      refuse
delete me                  introduce  ask      ask      ask      ask      ask      refuse   ask      refuse
accept                     introduce  ask      run      run      run      ask      run      ask      ask
ban bob                    ask        ask      ask      ask      ask      ask      ask      ask      ask
players                    run        run      run      run      run      run      run      run      run
help / ban bob             refuse     refuse   refuse   refuse   refuse   refuse   refuse   refuse   refuse
hello there                introduce  refuse   refuse   refuse   refuse   refuse   refuse   refuse   refuse
3 c1b1 / set mail daily    introduce  ask      run      ask      run      ask      refuse   ask      refuse
"""
RUN, ASK, INTRODUCE = Judgement.RUN, Judgement.ASK, Judgement.INTRODUCE
KINDS = {RUN: "run", ASK: "ask", INTRODUCE: "introduce"}  # the others refuse it


def read(text: str, match: int | None) -> ParsedMessage:
    """Return lines, separated by slashes, as read in a message about that match."""
    return Reader(FEATURES.all_commands, lambda _: GAMES["quadraphages"], match).read("", text.split(" / "))


def rows() -> list[tuple[str, str, str]]:
    """Return each cell of the table: the lines, the sender, and what becomes of it."""
    head, *lines = TABLE.strip("\n").splitlines()
    cells = ((line[:27].strip(), line[27:].split()) for line in lines)
    return [(text, who, cell) for text, found in cells for who, cell in zip(head.split(), found, strict=True)]


def test_what_becomes_of_a_message() -> None:
    expected = {(text, who): kind for text, who, kind in rows()}

    found = {(text, who): judge(SENDERS[who], read(text, SENDERS[who].match)) for text, who in expected}

    assert {cell: KINDS.get(judgement, "refuse") for cell, judgement in found.items()} == expected


BEYOND = """
set mail daily
vacation 10d
stop
start
challenge carol quadraphages
challenge stranger@far.example quadraphages
move 9 1 a7b7 i3i2
say 9 hello
resign 9
draw 9
pause 9
give 9 1d
cancel 9
mute 9
seek quadrupel
take 1
unseek 2
enter 1
climb 3 bob
retire 2
host knock-out kvadratik time=3d/move
watch 1
unwatch
block carol
reject hexaphages
limit 10
change address mallory@far.example
revoke
replay 7#1 carol
export me
delete me
"""
WITHIN = """
1 c1b1 g9h9
say hello
undo
draw
cancel
pause
mute
show
help
rules quadraphages
games
games bob
record
preview b7d7
seeks
who
history bob
"""


@pytest.mark.parametrize(("kind", "lines"), [(ASK, BEYOND), (RUN, WITHIN)])
def test_the_token_of_a_match_serves_the_match_and_looking(kind: Judgement, lines: str) -> None:
    found = {text: judge(SENDERS["match"], read(text, 7)) for text in lines.strip().split("\n")}

    assert found == dict.fromkeys(found, kind)


@pytest.mark.parametrize("text", ["challenge bob quadrupel", "play quadrupel"])
def test_a_challenge_to_the_opponent_of_the_match_needs_no_question(text: str) -> None:
    sender = SENDERS["match"]

    assert judge(sender, read(text, 7), goes_to_opponent=lambda _: True) is RUN


@pytest.mark.parametrize(
    ("who", "text", "why"),
    [
        ("claimed", "Good morning!", Judgement.NO_COMMAND),
        ("match", "Good morning!", Judgement.NO_COMMAND),
        ("guest", "resign", Judgement.NOT_A_PLAYER),
        ("guest", "who", Judgement.NOT_A_PLAYER),
        ("stranger", "help / ban bob", Judgement.NOT_ALONE),
    ],
)
def test_it_says_why_nothing_is_done(who: str, text: str, why: Judgement) -> None:
    sender = SENDERS[who]

    assert judge(sender, read(text, sender.match)) is why


def test_a_message_in_a_player_s_name_changes_nothing_whatever_it_asks_for() -> None:
    for command in FEATURES.commands.values():
        line = read(f"{command.name} 7", 7).commands
        if line and line[0].command.changes:
            assert judge(SENDERS["claimed"], replace(read("help", 7), commands=line)) is not RUN


def test_the_token_for_news_has_the_powers_of_three_commands() -> None:
    can = {
        name for name, command in FEATURES.all_commands.items() if command.reach(Purpose.NOTICES) is not Reach.NOWHERE
    }
    assert can == {"stop", "start", "unwatch"}

"""`pbem show`: one place to ask about a player, an address, a match or a message."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pbem.mail.transports.protocols import NotAccepted
from pbem.storage.models import OutgoingState
from tests.correspondence import Correspondence
from tests.scenes import after, match

pytestmark = after(match, "challenge bob quadraphages time=3d/move")
ALICE, BOB = "alice@mail.example", "bob@mail.example"


@pytest.fixture
def shown(letters: Correspondence) -> Callable[..., str]:
    """Return what `pbem show` prints, on one line."""

    def show(*words: str) -> str:
        done = letters.operate("show", *words)
        assert done.exit_code == 0, done.output
        return " ".join(done.stdout.split())

    return show


def told(letters: Correspondence, *words: str) -> Any:
    return json.loads(letters.operate("show", *words, "--json").stdout)


def test_a_player_has_their_matches_and_what_was_refused_and_why(
    letters: Correspondence, shown: Callable[..., str]
) -> None:
    letters.reply(letters.last("alice"), "1 a9z9")
    alice = told(letters, "alice")
    assert alice == told(letters, ALICE) == told(letters, "player", str(alice["player"])) == told(letters, "Alice")
    refused = alice["received"][0]
    assert (refused["verdict"], refused["subject"]) == (
        "refused",
        "Re: [pbem #1, your turn] Quadraphages: alice - bob",
    )
    assert refused["why"][0] in shown("alice")
    assert refused["why"][0] in shown("mail", str(refused["message"]))
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    (match,) = told(letters, "alice")["matches"]
    assert (match["match"], match["game"], match["against"], match["turn"]) == (1, "quadraphages", "bob", "bob")
    assert (match["due"], match["left"][0]) == ("2026-03-05T08:00:00+00:00", "alice 3 days")
    assert {row["from"] for row in told(letters, "bob")["received"]} == {BOB}, "what others wrote isn't the player's"


BOBS = "player = (select id from player where name = 'bob')"


def test_it_is_said_what_waits_until_when_and_what_frees_a_player(
    letters: Correspondence, shown: Callable[..., str]
) -> None:
    letters.execute(f"update outgoing set state = 'batched', sent = null where {BOBS}")
    letters.execute(
        """update player set settings = '{"mail": "daily", "hour": "9", "zone": "UTC"}' where name = 'bob'"""
    )
    assert "batched with other news until 2026-03-02 09:00" in shown("bob")
    letters.execute(f"update outgoing set state = 'paused' where {BOBS}")
    letters.execute("update player set stopped = created where name = 'bob'")
    paused = shown("bob")
    assert 'paused until they write "start", or 2027-03-02 at the latest' in paused
    assert 'wants no news since 2026-03-02; they get it again once they write "start"' in paused
    letters.execute("update outgoing set state = 'suspended', sent = null where id = (select max(id) from outgoing)")
    letters.execute("update player set unreachable = created, bounces = 3, bounced = created where name = 'bob'")
    unreachable = shown("bob")
    assert "can't be reached since 2026-03-02" in unreachable
    assert 'suspended until a message from them or "pbem player bounced --again bob", or 2027-03-02' in unreachable
    assert letters.operate("player", "bounced", "--again", "bob").exit_code == 0
    assert "reached" not in shown("bob")
    assert letters.operate("moderate", "ban", "bob", "--yes").exit_code == 0
    assert '"pbem moderate unban bob" opens the account again' in shown("bob")


def test_an_address_of_nobody_has_its_messages(letters: Correspondence) -> None:
    letters.write("eve@far.example", "help")
    letters.execute("update outgoing set player = null where address = 'eve@far.example'")
    letters.execute("delete from player where address = 'eve@far.example'")
    eve = told(letters, "eve@far.example")
    assert eve["standing"] == ["nobody who plays here"]
    assert [row["verdict"] for row in eve["claimed"]] == ["done: help"]
    assert [row["to"] for row in eve["sent"]] == ["eve@far.example"]


def test_what_somebody_wrote_in_a_players_name_stands_apart_and_hides_nothing(letters: Correspondence) -> None:
    letters.write(ALICE, "resign 1")
    before = told(letters, "alice")
    claimed = before["claimed"][0]
    assert claimed["verdict"] == "asked for confirmation"
    assert claimed["waits"] == 'waits for the "yes" of its sender until 2026-03-16 08:00'
    assert told(letters, "mail", str(claimed["message"]))["proven"] is None
    columns = "key, size, source, sender, recipients, state, received"
    for number in range(20):
        forged = f"'forged {number}', 1, 'x', '{ALICE}', '[]', 'done', '2026-03-02 09:00:00'"
        letters.execute(f"insert into incoming ({columns}) values ({forged})")
    alice = told(letters, "alice")
    assert alice["received"] == before["received"]
    assert len(alice["claimed"]) == 10


def test_a_message_of_ours_has_attempts_last_reply_and_when_next(
    letters: Correspondence, shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise NotAccepted("451 4.7.1 greylisted, come back", later=True)

    monkeypatch.setattr(type(letters.server.outbox), "send", refuse)
    letters.reply(letters.last("alice"), "games")
    (number,) = letters.rows("select id from outgoing where state = 'owed'")
    row = told(letters, "out", str(number))
    assert (row["to"], row["player"], row["what"], row["attempts"]) == (ALICE, "alice", "answer, match 1, turn 0", 1)
    assert row["next"] == "2026-03-02T08:01:00+00:00"
    printed = shown("out", str(number))
    assert "reply: 451 4.7.1 greylisted, come back" in printed
    assert "owed: next attempt 2026-03-02 08:01" in printed
    for state in OutgoingState:
        letters.execute(f"update outgoing set state = '{state}', sent = created where id = {number}")
        assert str(state) in shown("out", str(number))


def test_a_received_message_has_the_turn_it_played_and_what_it_caused(
    letters: Correspondence, shown: Callable[..., str]
) -> None:
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    ((number, last),) = letters.rows("select max(incoming), max(id) from outgoing")
    mail = told(letters, "mail", str(number))
    assert mail["played"] == ["match 1, turn 1: 1 a7b7 i3i2"]
    assert mail["proven"] == "alice"
    assert "1 a7b7 i3i2" in mail["raw"]
    assert {row["to"] for row in mail["outgoing"]} == {ALICE, BOB}
    assert told(letters, "out", str(last))["because_of"] == number
    assert "match 1, turn 1: 1 a7b7 i3i2" in shown("mail", str(number))


def test_a_match_has_its_board_its_turns_and_what_is_wrong_with_them(
    letters: Correspondence, shown: Callable[..., str]
) -> None:
    letters.reply(letters.last("alice"), "1 a7b7 i3i2")
    printed, match = shown("1"), told(letters, "1")
    assert "match: 1 game: quadraphages options: first=x players: alice players: bob state: running" in printed
    assert "a b c d e f g h i" in printed
    assert (match["match"], match["game"], match["problems"]) == (1, "quadraphages", [])
    assert [turn["text"] for turn in match["turns"]] == ["1 a7b7 i3i2"]
    assert all(each["message_id"] in printed for each in match["messages"])
    letters.execute("update ply set text = '1 a1a2'")
    done = letters.operate("show", "1")
    assert (done.exit_code, "turn 1" in done.output, "1 a1a2" in done.stdout) == (1, True, True)
    assert any("turn 1" in problem for problem in told(letters, "1")["problems"])


def test_no_reply_token_is_printed(letters: Correspondence) -> None:
    token = str(letters.last("alice")["Reply-To"]).partition("+")[2].partition("@")[0]
    letters.reply(letters.last("alice"), f"say write to games+{token}@pbem.example\n\n1 a9z9 {token}")
    everything = [
        letters.operate("show", *words, *more).output
        for words in (["alice"], ["bob"], ["mail", "7"], ["1"], *(["out", str(number)] for number in range(1, 12)))
        for more in ([], ["--json"])
    ]
    assert any("(token)" in each for each in everything)
    assert [each for each in everything if token in each] == []

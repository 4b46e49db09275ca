"""Two accounts of the same person become one: what goes where, who is told, and that nothing is left of the first."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import Session
from typer.testing import Result

from pbem.cli import core
from pbem.errors import Refused
from pbem.features.all import FEATURES
from pbem.features.moderation import merges
from pbem.features.moderation.acts import Order
from pbem.features.tournaments import entries, hosting
from pbem.matches.clock import calendars
from pbem.matches.ratings import derivation
from pbem.storage import database
from pbem.storage.models import Player
from tests.correspondence import ADDRESS, Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"
ADMIN = "admin@pbem.example"


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Correspondence]:
    """Let bob be the second account of alice; both play carol, and each other."""
    with correspondence(tmp_path, server=f'admin = "{ADMIN}"') as letters:
        monkeypatch.setattr(core, "now", letters.clock)
        letters.play(twice)
        yield letters


def twice(letters: Correspondence) -> None:
    """Begin #1 of alice and bob, #2 and #3 of bob and carol, end #4 of alice and bob, and challenge."""
    letters.match("challenge bob quadrature rated")
    letters.join("carol")
    bob = own(letters, BOB)
    letters.write(BOB, "challenge carol quadrature rated", to=bob)
    letters.reply(letters.last("carol"), "accept")
    letters.reply(letters.last("bob"), "#2 e3f4")
    letters.write(CAROL, "challenge bob quadrature rated", to=own(letters, CAROL))
    letters.reply(letters.last("bob"), "accept")
    letters.write(ALICE, "challenge bob quadrature rated", to=own(letters, ALICE))
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), "#4 e3f4")
    letters.reply(letters.last("bob"), "#4 e9f8")
    letters.resign("bob", "#4 resign")
    letters.write(BOB, "challenge alice kvadratik\nchallenge carol kvadratik\nseek quadrupel", to=bob)


def own(letters: Correspondence, address: str) -> str:
    """Return the personal address of a player, from their welcome."""
    return str(letters.received[address][1]["Reply-To"].addresses[0].addr_spec)


def done(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def merge(letters: Correspondence, *words: str) -> str:
    return done(letters.operate("player", "merge", "bob", "alice", "--yes", *words))


@pytest.mark.sql
def test_everything_goes_to_the_account_that_stays_and_everyone_is_told(letters: Correspondence) -> None:
    names = dict(letters.execute("select name, id from player"))
    alice, bob, carol = names["alice"], names["bob"], names["carol"]

    told = merge(letters, "--note", "One person.", "--tell")

    assert "part of that of alice (alice@mail.example), which can't be undone." in told
    assert "and 2 running ones go on. 2 matches between the two don't count for ratings, of which 1 ended" in told
    assert letters.execute("select id, seat0, seat1, challenger, state from match order by id") == [
        (1, alice, bob, alice, "over"),
        (2, alice, carol, alice, "running"),
        (3, carol, alice, carol, "running"),
        (4, alice, bob, alice, "over"),
        (5, bob, alice, bob, "withdrawn"),
        (6, alice, carol, alice, "offered"),
    ]
    assert letters.execute("select id from match where counted is not null") == []
    assert letters.execute("select player from seek") == [(alice,)]
    assert letters.execute("select act, player, former_name, note from moderationact") == [
        ("merge", alice, "bob", "One person.")
    ]
    mails = letters.wait()
    assert {str(mail["To"]) for mail in mails} == {ALICE, BOB, CAROL}
    to_bob = " ".join(text(next(mail for mail in mails if mail["To"] == BOB)).split())
    to_carol = " ".join(text(mail) for mail in mails if mail["To"] == CAROL)
    to_alice = next(text(mail) for mail in mails if mail["X-PBeM-Event"] == "merged" and mail["To"] == ALICE)
    assert "your account bob part of the account alice" in to_bob
    assert "is now called alice" in " ".join(to_carol.split())
    assert "One person" not in to_carol
    assert "  | One person." in to_alice
    assert "yours to play: #2, #3." in " ".join(to_alice.split())
    assert "without a result: #1." in " ".join(to_alice.split())
    assert not any(BOB in text(mail) for mail in mails if mail["To"] != BOB)
    assert not any(ALICE in text(mail) for mail in mails if mail["To"] != ALICE)
    done(letters.operate("check"))


@pytest.mark.slow
def test_the_matches_go_on(letters: Correspondence) -> None:
    carol = letters.last("carol")
    merge(letters)
    letters.wait()

    turn = letters.write(CAROL, "#2 e9f8", to=own(letters, CAROL))
    answer = letters.write(ALICE, "#2 f4g5\ngames", to=own(letters, ALICE))

    assert {str(mail["To"]) for mail in turn} == {CAROL, ALICE}
    assert "kvadratik" in str(carol["Subject"]).lower()
    assert letters.execute("select plies from match where id = 2") == [(3,)]
    assert "#3" in "".join(text(mail) for mail in answer if mail["To"] == ALICE)
    accepted = letters.reply(carol, "accept")
    assert {str(mail["To"]) for mail in accepted} == {CAROL, ALICE}


def test_what_is_written_from_the_old_account_does_nothing_and_is_answered(letters: Correspondence) -> None:
    personal, turn = own(letters, BOB), letters.last("bob")
    merge(letters)
    letters.wait()
    before = everything(letters)

    for to, words in (
        (personal, "#3 e3f4"),
        (ADDRESS, "join bob"),
        (str(turn["Reply-To"].addresses[0].addr_spec), "resign"),
        (ADDRESS, "help"),
        (personal, "delete me"),
    ):
        letters.clock.advance(days=1, hours=1)
        (answer,) = letters.write(BOB, words, to=to, In_Reply_To=str(turn["Message-ID"]))
        assert answer["To"] == BOB
        assert "is part of the account of alice, so your message did nothing" in " ".join(text(answer).split()), words
        assert ALICE not in text(answer)
        assert "+" not in str(answer["Reply-To"])
    assert everything(letters) == before


def everything(letters: Correspondence) -> list[object]:
    return [
        *letters.execute("select id, name, address, confirmed, epoch, merged_into, deleted from player order by id"),
        *letters.execute("select id, seat0, seat1, state, plies from match order by id"),
    ]


@pytest.mark.slow
def test_nobody_else_gets_the_name_and_a_challenge_to_it_finds_the_player(letters: Correspondence) -> None:
    merge(letters)
    letters.wait()

    (question,) = letters.write("dora@mail.example", "join bob")
    (taken,) = letters.reply(question, "yes")
    by_name = letters.write(CAROL, "challenge bob quadrature", to=own(letters, CAROL))
    by_address = letters.write(CAROL, f"challenge {BOB} quadrupel", to=own(letters, CAROL))
    (challenged,) = letters.write(ALICE, "challenge bob quadrupel", to=own(letters, ALICE))
    (again,) = letters.write(ALICE, "rematch 4", to=own(letters, ALICE))

    assert "bob is taken" in text(taken)
    assert {str(mail["To"]) for mail in (*by_name, *by_address)} == {CAROL, ALICE}
    assert "You can't challenge yourself." in text(challenged)
    assert "You can't challenge yourself." in text(again)
    assert letters.operate("player", "rename", "carol", "bob", "--yes").exit_code == 1


@pytest.mark.sql
def test_ratings_are_those_that_the_matches_give(letters: Correspondence) -> None:
    letters.write(CAROL, "#2 e9f8", to=own(letters, CAROL))
    (question,) = letters.write(CAROL, "resign 2", to=own(letters, CAROL))
    letters.reply(question, "yes")
    letters.run_for(days=8)
    bob = letters.execute("select id from player where name = 'bob'")[0][0]
    rated = "select player, week, rating, deviation, volatility, wins, losses, superseded from playerrating order by id"
    before = letters.execute(rated)
    assert bob in {row[0] for row in before}
    assert len(before) == 3

    merge(letters)

    assert letters.execute(rated) == []
    assert letters.operate("check").exit_code == 0
    letters.run_for(minutes=1)
    after = letters.execute(rated)
    assert [row[5:7] for row in after] == [(1, 0), (0, 1)]
    assert letters.operate("check").exit_code == 0
    done(letters.operate("ratings", "rebuild"))
    assert letters.execute(rated) == after


def test_a_week_that_was_computed_from_what_is_no_longer_so_is_computed_again(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    week, now = derivation.newest_week(letters.clock() + timedelta(days=8)), letters.clock() + timedelta(days=8)
    compute = derivation.after_week

    def overtaken(*arguments: object) -> object:
        monkeypatch.undo()
        merge(letters)
        return compute(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(derivation, "after_week", overtaken)
    engine = letters.server.engine
    assert not derivation.rate_week(engine, "quadrature", week)

    assert letters.execute("select count(*) from playerrating") == [(0,)]
    derivation.rate_due(engine, now)
    assert letters.execute("select count(*) from playerrating") == [(0,)], "no match between others has ended"


@pytest.mark.slow
def test_news_that_waits_goes_to_the_account_that_stays(letters: Correspondence) -> None:
    letters.write(BOB, "set mail daily", to=own(letters, BOB))
    letters.write(CAROL, "#2 e9f8\n\nGood luck!", to=own(letters, CAROL))
    merge(letters)

    letters.wait()
    mails = letters.wait(hours=1)

    told = [text(mail) for mail in letters.received[ALICE] if "Good luck!" in text(mail)]
    assert len(told) == 1
    assert not any("Good luck!" in text(mail) for mail in mails if mail["To"] == BOB)


@pytest.mark.slow
def test_exports_and_deletion_take_in_the_old_account(letters: Correspondence) -> None:
    letters.write(BOB, "#2 say Hello from bob.", to=own(letters, BOB))
    merge(letters, "--note", "bob is alice")
    letters.wait()

    (export,) = letters.write(ALICE, "export me", to=own(letters, ALICE))
    held = next(part.get_content() for part in export.iter_attachments() if part.get_filename() == "alice.json")
    facts = json.loads(held)
    assert [(each["name"], each["address"]) for each in facts["other_accounts"]] == [("bob", BOB)]
    assert facts["player"]["earlier_addresses"] == [BOB]
    assert facts["moderation"][0]["former_name"] == "bob"
    assert any(mail["to"] == BOB for mail in facts["mails_out"])
    assert any("Hello from bob." in each["words"] for each in facts["words"])

    (question,) = letters.write(ALICE, "delete me", to=own(letters, ALICE))
    letters.reply(question, "yes")
    letters.wait()

    tables = ("player", "outgoing", "outgoingcontent", "incoming", "rawmessage", "moderationact", "departure", "seek")
    left = [str(row) for table in tables for row in letters.execute(f"select * from {table}")]
    left = [row for row in left if "From: carol@" not in row]  # what others wrote goes when its time is up
    assert [row for row in left if "bob" in row or "alice" in row] == []
    assert letters.operate("check").exit_code == 0


@pytest.mark.slow
def test_an_account_can_be_passed_on_twice(letters: Correspondence) -> None:
    merge(letters)
    done(letters.operate("player", "merge", "alice", "carol", "--yes"))
    letters.wait()

    (answer,) = letters.write(BOB, "games")

    assert "is part of the account of carol" in " ".join(text(answer).split())
    assert letters.execute("select count(*) from match where state = 'running'") == [(0,)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("bob", "bob"), "That's one account already: bob."),
        (("bob", "nobody"), "No player is called nobody."),
        (("house", "bob"), "No player is called house."),
    ],
)
def test_what_cannot_become_one_stays_apart(letters: Correspondence, words: tuple[str, ...], sentence: str) -> None:
    before = everything(letters)

    result = letters.operate("player", "merge", *words, "--yes")

    assert result.exit_code == 1
    assert sentence in " ".join(result.output.split())
    assert everything(letters) == before


@pytest.mark.slow
def test_a_closed_account_is_not_opened_by_a_merger(letters: Correspondence) -> None:
    done(letters.operate("player", "ban", "bob", "--yes"))
    before = everything(letters)

    for words in (("bob", "alice"), ("alice", "bob")):
        result = letters.operate("player", "merge", *words, "--yes")
        assert "The account of bob is closed." in " ".join(result.output.split())

    assert everything(letters) == before


@pytest.mark.slow
def test_an_address_that_somebody_else_gets_is_theirs(letters: Correspondence) -> None:
    merge(letters)
    letters.wait()

    ((bob,),) = letters.execute("select id from player where merged_into is not null")

    (asked,) = letters.write(CAROL, f"change address {BOB}", to=own(letters, CAROL))
    (question,) = letters.reply(asked, "yes")[-1:]
    letters.reply(letters.last("bob"), "yes")

    assert question is not None
    assert letters.execute("select address from player order by id") == [(ALICE,), (f"merged-{bob}",), (BOB,)]
    (answer,) = letters.write(CAROL, "help")
    assert "part of the account" not in text(answer)


@pytest.mark.slow
def test_vacations_do_not_meet(letters: Correspondence) -> None:
    letters.write(BOB, "vacation 10d", to=own(letters, BOB))
    letters.write(ALICE, "vacation 5d", to=own(letters, ALICE))

    merge(letters)

    alice = letters.execute("select id from player where name = 'alice'")[0][0]
    now = letters.clock()
    with database.read_only(letters.server.engine) as session:
        away = calendars.of_player(session, session.get_one(Player, alice), now).away
    assert len(away) == 1
    assert letters.operate("check").exit_code == 0


@pytest.mark.slow
@pytest.mark.sql
def test_of_two_mergers_at_once_one_is_refused(letters: Correspondence) -> None:
    engine, server = letters.server.engine, letters.server.settings.server
    names = dict(letters.execute("select name, id from player"))
    refused: list[str] = []

    def run(session: Session, gone: str, stays: str) -> None:
        merges.merge(
            session,
            server,
            FEATURES,
            session.get_one(Player, names[gone]),
            session.get_one(Player, names[stays]),
            Order("test"),
            letters.clock(),
        )

    def other() -> None:
        try:
            with database.transaction(engine) as session:
                run(session, "alice", "bob")
        except Refused as refusal:
            refused.append(refusal.sentence)

    thread = threading.Thread(target=other, daemon=True)
    with database.transaction(engine) as session:
        run(session, "bob", "alice")
        thread.start()  # it waits for the ratings, which this one has locked
    thread.join(30)

    assert refused == ["bob isn't a player's account."]
    assert letters.operate("check").exit_code == 0


def opened(letters: Correspondence, *names: str) -> None:
    """Open a tournament, and let dora, emil and these players enter."""
    with database.transaction(letters.server.engine) as session:
        entries.open_(session, hosting.read("round-robin kvadratik time=3d/move", "none"), None, letters.clock())
    for name in (*names, "dora", "emil"):
        address = f"{name}@mail.example"
        to = own(letters, address) if name in names else letters.join(name)
        letters.write(address, "enter 1", to=to)


@pytest.mark.slow
@pytest.mark.sql
def test_a_place_in_a_tournament_goes_to_the_account_that_stays(letters: Correspondence) -> None:
    opened(letters, "bob")
    done(letters.operate("tournament", "begin", "1"))
    letters.wait(minutes=1)

    merge(letters)

    names = dict(letters.execute("select name, id from player"))
    ids = ("select player from entry", "select first from pairing", "select second from pairing")
    found = {row[0] for each in ids for row in letters.execute(each)} - {None}
    assert found == {names["alice"], names["dora"], names["emil"]}
    assert "alice" in done(letters.operate("tournament", "show", "1"))
    done(letters.operate("check"))


@pytest.mark.slow
def test_accounts_that_have_played_in_the_same_tournament_stay_apart(letters: Correspondence) -> None:
    opened(letters, "bob", "alice")
    before = everything(letters)
    done(letters.operate("tournament", "begin", "1"))
    letters.wait(minutes=1)
    begun = everything(letters)
    assert begun != before

    refused = letters.operate("player", "merge", "bob", "alice", "--yes")

    assert "Both accounts have played in tournament 1" in " ".join(refused.output.split())
    assert everything(letters) == begun


@pytest.mark.slow
def test_of_two_places_in_a_tournament_that_has_not_begun_one_is_left(letters: Correspondence) -> None:
    opened(letters, "bob", "alice")

    merge(letters)

    assert letters.execute("select count(*) from entry") == [(3,)]

"""Tournaments by email: opened, entered, played to the end, and left early."""

from tests import scenes as others
from tests.correspondence import Correspondence, text
from tests.scenes import after
from tests.tournaments import scenes
from tests.tournaments.scenes import FOUR, THREE, finish, resign, running, told

KNOCK_OUT = "knock-out kvadratik time=3d/move places=3"
TOGETHER = "round-robin kvadratik time=3d/move places=3 together=1"


@after(scenes.begun, KNOCK_OUT, *THREE)
def test_a_knock_out_goes_on_to_the_final_and_who_leaves_is_in_no_report(letters: Correspondence) -> None:
    assert "You have a bye" in text(letters.last("alice")), "without ratings, who entered first has the highest seed"
    finish(letters)
    final = [mail for mail in letters.received["alice@mail.example"] if mail["X-PBeM-Tournament"] == "1"]
    assert "round 2 of 2" in text(final[-1])
    assert "Standings before this round" in text(final[-1])
    finish(letters)
    assert "won the tournament" in text(letters.last("alice"))

    stored = (
        "select payload, facts from outgoingcontent join outgoing on outgoing.id = outgoing"
        " where template in ('tournament_over', 'round', 'turn')"
    )
    (carol,) = letters.rows("select id from player where name = 'carol'")
    assert "carol" in str(letters.rows(stored))
    letters.reply(scenes.answer(letters, "carol", "delete me"), "yes")
    letters.wait()

    assert "carol" not in str(letters.rows(stored))
    assert f"deleted-{carol}" in told(letters, "bob", "tournament 1")


@after(scenes.begun, "round-robin kvadratik time=3d/move places=3 called Little Cup", *THREE)
def test_the_report_of_a_tournament_goes_to_everybody(letters: Correspondence) -> None:
    reports = [mail for mail in finish(letters) if mail["Subject"] == "[pbem] Little Cup: over"]

    assert {str(mail["To"]) for mail in reports} == {f"{name}@mail.example" for name in THREE}
    assert all("Thank you for playing!" in text(mail) for mail in reports)


@after(scenes.begun, TOGETHER, *THREE)
def test_rounds_follow_each_other_where_they_are_not_played_together(letters: Correspondence) -> None:
    seen = []
    for _ in range(3):
        ((number, _),) = running(letters)
        seen += letters.rows(f"select round from match where id = {number}")
        finish(letters)

    assert seen == [1, 2, 3]
    assert letters.rows("select count(*) from tournament where ended is not null") == [1]


@after(scenes.begun, TOGETHER, *THREE)
def test_who_withdraws_later_plays_on_what_has_begun_and_loses_the_rest(letters: Correspondence) -> None:
    ((number, first),) = running(letters)
    assert f"goes on and counts: #{number}." in told(letters, first, "withdraw from 1")

    resign(letters, first, number)

    assert letters.rows("select count(*) from pairing where match is null") == [1]
    ((_, other),) = running(letters)
    assert other != first


@after(scenes.begun, KNOCK_OUT, *THREE)
def test_who_runs_out_of_time_loses_without_a_claim(letters: Correspondence) -> None:
    ((number, first),) = running(letters)
    letters.run_for(days=4)

    assert letters.rows(f"select termination from match where id = {number}") == ["timeout"]
    ((final, _),) = running(letters)
    (seats,) = letters.rows(f"select seat0, seat1 from match where id = {final}")
    assert letters.rows(f"select id from player where name = '{first}'")[0] not in seats


@after(scenes.opened, "round-robin kvadratik time=3d/move places=8 days=5 called Little Cup", *THREE)
def test_it_begins_on_its_day_or_is_called_off(letters: Correspondence) -> None:
    letters.play(scenes.opened, "round-robin kvadratik time=3d/move places=8 days=5 called Other Cup")
    for name, number in (("alice", 1), ("bob", 1), ("alice", 2), ("bob", 2), ("carol", 2)):
        letters.say(name, f"enter {number}")
    assert letters.rows("select count(*) from match") == [0]

    sent = [mail for mail in letters.wait(days=5, minutes=1) if "Too few players" in text(mail)]

    assert {str(mail["To"]) for mail in sent} == {"alice@mail.example", "bob@mail.example"}
    assert letters.rows("select tournament, count(*) from match group by tournament") == [(2, 3)]
    assert "Nobody can enter" in told(letters, "carol", "enter 1")


@after(scenes.begun, "round-robin kvadratik time=3d/move places=4 called Little Cup", *FOUR)
def test_who_is_banned_or_leaves_is_out(letters: Correspondence) -> None:
    letters.play(scenes.opened, "round-robin kvadratik time=3d/move places=4")
    letters.say("alice", "enter 2")

    letters.operate("moderate", "ban", "alice", "--yes")
    letters.reply(scenes.answer(letters, "dave", "delete me"), "yes")
    letters.wait()

    assert letters.rows("select count(*) from entry where tournament = 2") == [0]
    assert letters.rows("select count(*) from entry where tournament = 1 and withdrawn is not null") == [2]
    finish(letters)
    assert "Withdrawn: alice" in text(letters.last("bob")) or "deleted-" in text(letters.last("bob"))
    assert letters.rows("select ended is not null from tournament where id = 1")[0]
    assert not [mail for mail in letters.received["alice@mail.example"] if "Little Cup: over" in mail["Subject"]]


@after(scenes.begun, KNOCK_OUT, *THREE)
def test_a_match_of_a_tournament_cannot_be_paused_or_cancelled(letters: Correspondence) -> None:
    ((number, first),) = running(letters)

    for words in ("pause", "cancel"):
        assert "others wait for its end, so that isn't possible" in told(letters, first, f"#{number} {words}")


@after(others.two_players)
def test_the_operator_opens_a_tournament_and_lets_it_begin(letters: Correspondence) -> None:
    letters.join("carol")
    opened = letters.operate(
        "tournament", "open", "round-robin", "kvadratik", "time=3d/move", "called", "Little", "Cup"
    )
    assert "tournament 1, Little Cup, is open" in opened.output
    for name in THREE:
        letters.say(name, "enter 1")

    assert "running" in letters.operate("tournament", "begin", "1").output
    assert "is running" in letters.operate("tournament", "begin", "1").output
    letters.wait()

    assert len(running(letters)) == 3
    assert letters.operate("tournament", "show", "9").exit_code == 1
    refused = letters.operate("tournament", "open", "round-robin", "chess")
    assert refused.exit_code == 1
    assert "one kind" in refused.output

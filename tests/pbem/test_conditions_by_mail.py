"""Conditional moves by mail: what they change for the opponent, and what can't be prepared."""

import zipfile
from io import BytesIO
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from notation.games import GAMES
from pbem.matches.snapshot import snapshot_of
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests import scenes
from tests.correspondence import Correspondence, correspondence, said, text, to
from tests.positions import stand

TREE = "if e9f8 then f3g4 then if f9g8 then g4h5\nelse b3b4"


def waiting(letters: Correspondence) -> None:
    """Begin a match of Quadrature in which alice has played, and it's bob's turn."""
    letters.match("challenge bob quadrature")
    letters.reply(letters.last("alice"), "e3f4")


pytestmark = scenes.after(waiting)


def standing(letters: Correspondence) -> list[object]:
    """Return what a condition could change."""
    return [row for table in ("prepared", "ply", "player") for row in letters.execute(f"select * from {table}")]


def lines_of(letters: Correspondence) -> str:
    """Return what is prepared in the match, as it is stored."""
    return str(letters.execute("select lines from prepared"))


def test_what_is_prepared_is_in_the_data_of_its_author_alone(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    for name, is_author in (("alice", True), ("bob", False)):
        (answer,) = letters.say(name, "export me")
        for part in answer.iter_attachments():
            content = part.get_payload(decode=True)
            if part.get_content_subtype() != "zip":
                assert (b"g4h5" in content) is is_author
            elif not is_author:
                archive = zipfile.ZipFile(BytesIO(content))
                assert b"g4h5" not in b"".join(map(archive.read, archive.namelist()))

    for line in ("record full", "preview e9f8"):
        (answer,) = letters.reply(letters.last("bob"), line)
        assert "b3b4" not in answer.as_string(), line


def test_what_is_not_played_changes_nothing_for_the_opponent(tmp_path: Path) -> None:
    """Two matches, in one of which something was prepared in vain: the opponent's messages are the same."""
    told = []
    for prepares in (True, False):
        with correspondence(tmp_path / str(prepares)) as letters:
            letters.play(waiting)
            if prepares:
                letters.reply(letters.last("alice"), "if e9f8 then f3g4")
            sent = to(letters.reply(letters.last("bob"), "b9b8\n\nHello!"), "bob")
            told.append([(str(mail["Subject"]), [*mail], text(mail)) for mail in sent])
    assert told[0] == told[1]


def test_whoever_wants_no_receipts_is_told_of_an_answer(letters: Correspondence) -> None:
    turn = letters.last("bob")
    letters.say("bob", "set receipt off")
    letters.reply(letters.last("alice"), TREE)
    (turn,) = to(letters.reply(turn, "e9f8"), "bob")

    assert "* alice played f3g4" in text(turn)
    assert to(letters.reply(turn, "b9b8"), "bob") == []


def test_a_digest_tells_all_turns(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    letters.say("alice", "set mail batch")
    letters.reply(letters.last("bob"), "e9f8\n\nHello!")
    letters.reply(letters.last("bob"), "say Are you there?")
    (digest,) = letters.wait(minutes=16)

    assert "bob played e9f8. You played f3g4." in said(digest)
    assert "We played your turn f3g4, as you had prepared." in said(digest)


def before_a_forced_turn() -> tuple[str, ...]:
    """Return the turns of a match of Quadraphages, of which the last leaves seat 0 only one."""
    game, notation = GAMES["quadraphages"].game, GAMES["quadraphages"].notation
    for seed in range(100):
        random, position, turns = Random(seed), game.position({}), ()
        while position.turn is not None:
            if turns and position.turn == 0 and len([*islice(position.moves(), 2)]) == 1:
                return turns
            move = random.choice([*islice(position.moves(), 60)])
            turns, position = (*turns, notation.format(move, position)), position.play(move)
    raise AssertionError


def test_a_forced_turn_is_played_at_once_and_told(tmp_path: Path) -> None:
    *turns, last = before_a_forced_turn()
    with correspondence(tmp_path) as letters:
        letters.match()
        stand(letters, "quadraphages", turns)
        letters.say("alice", "set automove on")
        sent = letters.say("bob", f"#1 {last}")
        turn, *_ = letters.rows("select number, text, incoming from ply order by -number")

    (hers,), (his,) = to(sent, "alice"), to(sent, "bob")
    number, forced, brought_by = turn
    assert (number, brought_by) == (len(turns) + 2, None)
    assert f"You played {forced}, your only legal turn" in said(hers)
    assert f"alice played {forced}" in said(his)
    assert "only legal" not in said(his)


def test_nothing_is_prepared_for_a_board_that_has_moved_on(letters: Correspondence) -> None:
    old = letters.last("alice")
    letters.reply(letters.last("bob"), "b9b8")
    seen = letters.last("alice")
    letters.reply(seen, "b3b4")
    before = standing(letters)
    (answer,) = letters.reply(old, "if e9f8 then f3g4")
    assert "You replied to an older message" in said(answer)
    assert "Look at the board as it is now, and reply to this message." in said(answer)
    assert standing(letters) == before
    letters.reply(seen, "queue c3c4")
    assert lines_of(letters) != "[]", "alice has only moved herself since that message"


def test_a_wrong_line_below_a_turn_leaves_the_turn(letters: Correspondence) -> None:
    (answer,) = to(letters.reply(letters.last("bob"), "b9b8\nelse c9c8\nif b3b4 then c9c1"), "bob")

    assert "Turn 2 of it" in said(answer)
    assert (letters.played, lines_of(letters)) == (["e3f4", "b9b8"], "[]")


def test_too_much_to_read_changes_nothing(letters: Correspondence) -> None:
    before = standing(letters)
    for line, sentence in (("if e9f8 then f3g4 " * 300, "too much to read"), ("if", "Nothing was done")):
        (answer,) = letters.reply(letters.last("alice"), line)
        assert sentence in said(answer)
    assert standing(letters) == before


def test_an_offer_in_the_same_message_is_answered_first(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    (turn,) = to(letters.reply(letters.last("bob"), "draw\ne9f8"), "alice")

    assert "there is an offer to answer first" in said(turn)
    assert (letters.played, lines_of(letters)) == (["e3f4", "e9f8"], "[]")


def test_the_answer_to_the_largest_tree_has_a_bounded_size(letters: Correspondence) -> None:
    """It shows a board for each of eight lines, and Gmail cuts what has more than 100 KB."""
    lines = []
    with transaction(letters.server.engine) as session:
        snapshot = snapshot_of(session, session.get_one(Match, 1))
    notation = GAMES["quadrature"].notation
    for reply in ("b9b8", "c9c8", "d9d8", "e9e8", "f9f8", "g9g8", "h9h8", "i9i8"):
        position, turns = snapshot.position.play(notation.parse(reply)), [reply]
        while len(turns) < 6:
            move = next(iter(position.moves()))
            turns.append(notation.format(move, position))
            position = position.play(move)
        lines.append(" then ".join(f"if {turns[at]} then {turns[at + 1]}" for at in range(0, 6, 2)))
    (answer,) = letters.reply(letters.last("alice"), "\n".join(lines))

    assert all(line.split()[1] in lines_of(letters) for line in lines)
    assert text(answer).count(" 11 ") >= len(lines)
    assert len(answer.as_bytes()) < 100_000


def test_a_preview_of_a_reply_offers_to_prepare_it(letters: Correspondence) -> None:
    (preview,) = letters.reply(letters.last("bob"), "preview e9f8 / f4g5 / b9b8")
    html = preview.get_body(("html",))
    assert html is not None
    assert "body=e9f8%0D%0Aif%20f4g5%20then%20b9b8" in html.get_content()
    assert "    e9f8\n    if f4g5 then b9b8\n" in text(preview).replace("\r", "")

    letters.reply(preview, "e9f8\nif f4g5 then b9b8", quote=False)
    assert letters.rows("select seat from prepared") == [1]


def test_who_leaves_has_prepared_nothing(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    letters.say("alice", "delete me")
    letters.reply(letters.last("alice"), "yes")
    assert lines_of(letters) == "[]"
    assert "g4h5" not in str(letters.execute("select payload from outgoingcontent"))


def test_a_resignation_at_the_end_of_a_line_comes_after_the_turns_in_front_of_it(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "if e9f8 then b3b4 then if b9b8 then I resign.")
    told = letters.reply(letters.last("bob"), "e9f8\nif b3b4 then b9b8")

    assert letters.rows("select termination, plies from match") == [("resignation", 4)]
    assert len(told) == 2
    assert "You played b3b4, as you had prepared" in said(letters.last("alice"))
    assert "You resigned, as you had prepared." in said(letters.last("alice"))


@pytest.mark.parametrize("turn", ["b9b8", "e9f8\ndraw"])
def test_another_turn_or_an_offer_ends_no_match(letters: Correspondence, turn: str) -> None:
    letters.reply(letters.last("alice"), "if e9f8 then resign")
    letters.reply(letters.last("bob"), turn)

    assert letters.rows("select state, plies from match") == [("running", 2)]
    assert letters.execute("select * from prepared") == []

"""Conditional moves by mail: what is read as a condition, who learns of it, and what a message about it says."""

import textwrap
import zipfile
from email.message import EmailMessage
from io import BytesIO
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.matches import lifecycle
from pbem.matches import turns as reading
from pbem.matches.snapshot import snapshot_of
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"
ONLY_NAMED = "You can only prepare to resign after a turn of your opponent that you name."
TREE = "if e9f8 then f3g4 then if f9g8 then g4h5\nelse b3b4"


def waiting(letters: Correspondence) -> None:
    """Begin a match of Quadrature in which alice has played, and it's bob's turn."""
    letters.match("challenge bob quadrature")
    letters.reply(letters.last("alice"), "e3f4")


@pytest.fixture
def letters(tmp_path: Path) -> object:
    with correspondence(tmp_path) as letters:
        letters.play(waiting)
        yield letters


def to(mails: list[EmailMessage], address: str) -> list[EmailMessage]:
    return [mail for mail in mails if mail["To"] == address]


def words(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def standing(letters: Correspondence) -> list[object]:
    """Return what a condition could change."""
    tables = ("prepared", "ply", "player")
    return [row for table in tables for row in letters.execute(f"select * from {table}")]


def lines_of(letters: Correspondence) -> str:
    """Return what is prepared in the match, as it is stored."""
    return str(letters.execute("select lines from prepared"))


# What is read as a condition


def read(*lines: str, game: str = "quadraphages") -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return the commands of a message about match 1 with their words, and its prose."""
    parsed = Reader(FEATURES.commands, lambda number: GAMES[game] if number in (1, 2) else None, 1).read("", lines)
    return [(line.command.name, line.words) for line in parsed.commands], parsed.prose


LONG = "if a7b7 i3i2 3 b7b4 i2f2 then c1c4 g9g6 2 c4c6 g6g8"


@pytest.mark.parametrize(
    "lines",
    [
        [LONG],
        ["if a7b7 i3i2 3 b7b4 i2f2 then", "c1c4 g9g6 2 c4c6 g6g8"],
        ["if a7b7 i3i2 3 b7b4 i2f2", "then c1c4 g9g6 2 c4c6 g6g8"],
        ["if a7b7 i3i2 3 b7b4 i2f2", "then", "c1c4 g9g6 2 c4c6 g6g8"],
    ],
)
def test_a_wrapped_line_is_one_condition(lines: list[str]) -> None:
    ((name, said),), prose = read(*lines, "", "Good luck!")

    assert (name, said, prose) == ("if", LONG, ("Good luck!",))


@pytest.mark.parametrize("width", range(65, 79))
def test_it_may_be_wrapped_anywhere(width: int) -> None:
    further = "if b4b7 f2f5 1 b7b8 f5f6 then c6c7 g8g9 2 ---- g9i9 then if b8d8 f6d6 1 d8d9 d6d5"
    whole = f"{LONG} then {further} then else c7a7 i9i7 2 a7a9 i7g7"
    found, prose = read("1 c1b1 g9h9", *textwrap.wrap(whole, width, break_on_hyphens=False), "", "Good luck!")

    assert (found[1:], prose) == ([("if", whole)], ("Good luck!",))


@pytest.mark.parametrize("below", ["c1b1 g9h9 3", "Good luck!", "3 cheers for a7!", "if a7b9 then c1c4", "#2 c1b1"])
def test_a_line_below_a_short_condition_is_another_one(below: str) -> None:
    found, prose = read("if a7b7 then c1c4", below)

    assert found[0] == ("if", "if a7b7 then c1c4")
    assert len(found) + len(prose) == 2


@pytest.mark.parametrize(
    "line",
    [
        "If you like, then let's play again.",
        "If I had seen that, I would have played elsewhere.",
        "else I resign",
        "Else nothing new here.",
        "queue up for the next one",
        "Conditions are hard today, said she",
        "then I went home",
    ],
)
def test_prose_is_no_condition(line: str) -> None:
    found, prose = read("1 c1b1 g9h9", line)

    assert ([name for name, _ in found], prose) == (["move"], (line,))


@pytest.mark.parametrize("line", ["if a7b7 then c1c4", "else c1c4 g9g6 2 c4c6 g6g8", "queue c1c4 g9g6 2 c4c6 g6g8"])
def test_a_condition_below_words_is_not_for_the_opponent(line: str) -> None:
    found, prose = read("1 c1b1 g9h9", "", "Good luck!", line)

    assert [name for name, _ in found] == ["move", "queue" if line.startswith("queue") else "if"]
    assert prose == ("Good luck!",)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("line", ["cancel conditions", "cancel conditions 1", "cancel 1 conditions", "Cancel my queue"])
def test_conditions_are_cancelled_and_the_match_is_not(letters: Correspondence, line: str) -> None:
    letters.reply(letters.last("alice"), TREE)
    (answer,) = letters.reply(letters.last("alice"), line)

    assert "You no longer have anything prepared" in text(answer)
    assert lines_of(letters) == "[]"
    assert "cancel" not in str(letters.execute("select offers from match"))


# Who learns of it


@pytest.mark.slow
def test_nobody_but_the_author_learns_of_it(letters: Correspondence) -> None:
    """The opponent gets no message about it, none of theirs differs from what it would be, and their data hasn't it."""
    sent = letters.reply(letters.last("alice"), TREE)
    assert [str(mail["To"]) for mail in sent] == [ALICE]
    for line in ("conditions", "show", "record full", "games alice", "preview e9f8", "conditions 1"):
        answer = letters.reply(letters.received[BOB][-1], line)[0].as_string()
        assert "g4h5" not in answer.replace("g4h5 |", ""), line
        assert "b3b4" not in answer, line
    (answer,) = letters.reply(letters.received[BOB][1], "export me")
    for part in answer.iter_attachments():
        content = part.get_payload(decode=True)
        if part.get_content_subtype() == "zip":
            archive = zipfile.ZipFile(BytesIO(content))
            content = b"".join(map(archive.read, archive.namelist()))
        assert b"g4h5" not in content
    (mine,) = letters.reply(letters.received[ALICE][1], "export me")
    files = [part for part in mine.iter_attachments() if part.get_content_subtype() != "zip"]
    assert files
    assert all(b"g4h5" in part.get_payload(decode=True) for part in files)


def test_what_is_not_played_changes_nothing_for_the_opponent(tmp_path: Path) -> None:
    """Two matches, in one of which something was prepared in vain: the opponent's messages are the same."""
    told = []
    for prepares in (True, False):
        with correspondence(tmp_path / str(prepares)) as letters:
            letters.play(waiting)
            if prepares:
                letters.reply(letters.last("alice"), "if e9f8 then f3g4")
            sent = to(letters.reply(letters.last("bob"), "b9b8\n\nHello!"), BOB)
            told.append([(str(mail["Subject"]), [*mail], text(mail)) for mail in sent])
    assert told[0] == told[1]


def test_each_side_gets_one_message_about_all_turns(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    sent = letters.reply(letters.last("bob"), "e9f8\nif f3g4 then f9g8\n\nHello!")

    (hers,), (his,) = to(sent, ALICE), to(sent, BOB)
    assert letters.execute("select count(*) from ply") == [(5,)]
    assert "* You played f3g4, as you had prepared" in text(hers)
    assert "bob played f9g8" in words(hers)
    assert "Hello!" in text(hers)
    assert "prepared" not in text(his).replace("You played f9g8, as you had prepared", "")
    assert (his["X-PBeM-Number"], hers["X-PBeM-Number"]) == ("5", "5")
    assert str(his["Subject"]).startswith("[pbem #1, your turn]")


def test_whoever_wants_no_receipts_is_told_of_an_answer(letters: Correspondence) -> None:
    turn = letters.last("bob")
    letters.reply(letters.received[BOB][1], "set receipt off")
    letters.reply(letters.last("alice"), TREE)
    (turn,) = to(letters.reply(turn, "e9f8"), BOB)

    assert "* alice played f3g4" in text(turn)
    assert to(letters.reply(turn, "b9b8"), BOB) == []


@pytest.mark.slow
def test_a_digest_tells_all_turns(letters: Correspondence) -> None:
    letters.reply(letters.received[ALICE][1], "set mail batch")
    letters.reply(letters.received[ALICE][3], TREE)
    letters.reply(letters.last("bob"), "e9f8\n\nHello!")
    letters.reply(letters.last("bob"), "say Are you there?")
    (digest,) = letters.wait(minutes=16)

    assert "bob played e9f8. You played f3g4." in words(digest)
    assert "We played your turn f3g4, as you had prepared." in words(digest)


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


@pytest.mark.slow
def test_a_forced_turn_is_played_at_once_and_told(tmp_path: Path) -> None:
    notation = GAMES["quadraphages"].notation
    *turns, last = before_a_forced_turn()
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadraphages")
        with transaction(letters.server.engine) as session:
            match = session.get_one(Match, 1)
            for turn in turns:
                snapshot = snapshot_of(session, match)
                played = reading.read(notation, snapshot.base, None, reading.parse(notation, turn))
                lifecycle.play(session, snapshot, snapshot.base.turn or 0, played, letters.clock())
        letters.write(ALICE, "set automove on", to=str(letters.received[ALICE][1]["Reply-To"]))
        sent = letters.write(BOB, f"#1 {last}", to=str(letters.received[BOB][1]["Reply-To"]))

        ((forced, brought_by),) = letters.execute("select text, incoming from ply order by number desc limit 1")
        assert letters.execute("select count(*) from ply") == [(len(turns) + 2,)]
        assert f"You played {forced}, your only legal turn" in words(to(sent, ALICE)[0])
        assert f"alice played {forced}" in words(to(sent, BOB)[0])
        assert "only legal" not in words(to(sent, BOB)[0])
        assert brought_by is None


# What is wrong


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("if e9e8 then e9e8", "Turn 2 of it"),
        ("if e9f8", "ends with a turn of your opponent"),
        ("if e9f8 then f3g4\nif e9f8 then b3b4", "two answers"),
        ("else b3b4\nif e9f8 then b3b9", "Line 2"),
        ("if he plays e9f8 then I play f3g4", 'start the line with "say"'),
        ("queue", "Which turn?"),
        ("queue e9 to the end", "read this as a turn"),
        ("if e9f8 then f3g4 " * 300, "too much to read"),
        ("conditions", "You have prepared nothing"),
        ("cancel conditions", "You have prepared nothing"),
        ("#7 if e9f8 then f3g4", "no match #7"),
        ("if", "Nothing was done"),
    ],
)
def test_bad_input_changes_nothing_and_is_told_what_works(letters: Correspondence, line: str, sentence: str) -> None:
    before = standing(letters)
    (answer,) = letters.reply(letters.last("alice"), line)

    assert sentence in words(answer)
    assert standing(letters) == before


def test_nothing_is_prepared_for_a_board_that_has_moved_on(letters: Correspondence) -> None:
    old = letters.last("alice")
    letters.reply(letters.last("bob"), "b9b8")
    letters.reply(letters.last("alice"), "b3b4")
    before = standing(letters)
    (answer,) = letters.reply(old, "if e9f8 then f3g4")
    assert "You replied to an older message" in words(answer)
    assert "Look at the board as it is now, and reply to this message." in words(answer)
    assert standing(letters) == before
    (answer,) = letters.reply(letters.received[ALICE][-3], "queue c3c4")
    assert lines_of(letters) != "[]", "alice has only moved herself since that message"


def test_it_is_ones_own_turn(letters: Correspondence) -> None:
    (answer,) = letters.reply(letters.last("bob"), TREE)
    assert "It's your turn in match #1" in words(answer)
    assert lines_of(letters) == "[]"


def test_a_wrong_line_below_a_turn_leaves_the_turn(letters: Correspondence) -> None:
    sent = letters.reply(letters.last("bob"), "b9b8\nelse c9c8\nif b3b4 then c9c1")
    (answer,) = to(sent, BOB)

    assert "Turn 2 of it" in words(answer)
    assert (letters.execute("select count(*) from ply"), lines_of(letters)) == ([(2,)], "[]")


def test_an_offer_in_the_same_message_is_answered_first(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    (turn,) = to(letters.reply(letters.last("bob"), "draw\ne9f8"), ALICE)

    assert "there is an offer to answer first" in words(turn)
    assert (letters.execute("select count(*) from ply"), lines_of(letters)) == ([(2,)], "[]")


@pytest.mark.slow
def test_a_match_that_is_over_or_not_begun_takes_none(letters: Correspondence) -> None:
    letters.resign("bob")
    (answer,) = letters.reply(letters.last("alice"), TREE)
    assert "is over" in words(answer)
    letters.write(ALICE, "challenge bob quadrature", to=str(letters.received[ALICE][1]["Reply-To"]))
    (answer,) = letters.reply(letters.last("alice"), "#2 if e3f4 then e9f8")
    assert lines_of(letters) == "[]"


@pytest.mark.slow
def test_a_message_has_as_much_work_as_it_can_have(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.play(waiting)
        personal = str(letters.received[ALICE][1]["Reply-To"])
        for _ in range(5):
            letters.write(ALICE, "challenge bob quadrature", to=personal)
            letters.reply(letters.last("bob"), "accept")
            letters.reply(letters.last("alice"), "e3f4")
        (answer,) = letters.write(ALICE, "\n".join(f"#{number} queue b3b4" for number in range(1, 7)), to=personal)
        assert "can't hold everything" in words(answer)
        assert letters.execute("select match from prepared order by match") == [(1,), (2,), (3,), (4,)]


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_preview_of_a_reply_offers_to_prepare_it(letters: Correspondence) -> None:
    (preview,) = letters.reply(letters.last("bob"), "preview e9f8 / f4g5 / b9b8")
    html = preview.get_body(("html",))
    assert html is not None
    assert "body=e9f8%0D%0Aif%20f4g5%20then%20b9b8" in html.get_content()
    assert "    e9f8\n    if f4g5 then b9b8\n" in text(preview).replace("\r", "")

    letters.reply(preview, "e9f8\nif f4g5 then b9b8", quote=False)
    assert letters.execute("select seat from prepared") == [(1,)]


@pytest.mark.slow
def test_who_leaves_has_prepared_nothing(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), TREE)
    letters.reply(letters.received[ALICE][1], "delete me")
    letters.reply(letters.last("alice"), "yes")
    assert lines_of(letters) == "[]"
    assert not [row for row in letters.execute("select payload from outgoingcontent") if "g4h5" in str(row)]


@pytest.mark.slow
@pytest.mark.parametrize("line", ["#1 if e9e8 then f3g4", "#1 queue c3c4", "#1 cancel conditions"])
def test_what_is_forged_waits_for_a_yes_of_the_address_on_file(letters: Correspondence, line: str) -> None:
    """Without a token, with that of another match, with the opponent's, and with one that proves nothing."""
    letters.reply(letters.last("alice"), "if e9f8 then f3g4")
    seen = letters.last("alice")
    letters.write(BOB, "challenge alice quadrature begin=me", to=str(letters.received[BOB][1]["Reply-To"]))
    letters.reply(letters.last("alice"), "accept")
    other = str(letters.last("alice")["Reply-To"])
    before = standing(letters)
    news = str(letters.received[ALICE][3]["List-Unsubscribe"] or letters.last("bob")["List-Unsubscribe"])
    for headers, to_ in (
        ({}, "games@pbem.example"),
        ({"In_Reply_To": str(seen["Message-ID"])}, "games@pbem.example"),
        ({}, other),
        ({}, news.removeprefix("<mailto:").partition("?")[0]),
    ):
        letters.clock.advance(hours=1, minutes=1)  # the same question isn't repeated before
        (question,) = letters.write(ALICE, line, to=to_, **headers)
        assert (question["To"], str(question["Subject"])) == (ALICE, "[pbem] Was this you?")
        assert standing(letters) == before
    for mail in letters.write(BOB, line, to=str(letters.last("bob")["Reply-To"])):
        assert mail["To"] == BOB
    assert standing(letters) == before
    (done,) = to(letters.reply(question, "yes"), ALICE)
    assert "repared" in text(done)
    assert standing(letters) != before


# Resigning on a condition


@pytest.mark.sql
def test_a_resignation_is_played_after_the_turn_that_was_named_and_both_are_told_in_one_message(
    letters: Correspondence,
) -> None:
    (shown,) = letters.reply(letters.last("alice"), "if e9f8 then resign")
    assert "Then you resign, and the match is over." in words(shown)
    ((lines,),) = letters.execute("select lines from prepared")
    assert str(lines).replace("'", '"') == '[["e9f8", "resign"]]'

    told = letters.reply(letters.last("bob"), "e9f8")

    assert letters.execute("select state, termination, termination_seat, winner, plies from match") == [
        ("over", "resignation", 0, 1, 2)
    ]
    assert letters.execute("select * from prepared") == []
    assert sorted(str(mail["To"]) for mail in told) == [ALICE, BOB]
    assert "bob played e9f8. The match is over: you resigned. You resigned, as you had prepared." in words(
        letters.last("alice")
    )
    assert "You played e9f8. The match is over: alice resigned." in words(letters.last("bob"))
    assert "prepared" not in words(letters.last("bob"))
    assert letters.operate("check").exit_code == 0


def test_a_resignation_at_the_end_of_a_line_comes_after_the_turns_in_front_of_it(
    letters: Correspondence,
) -> None:
    letters.reply(letters.last("alice"), "if e9f8 then b3b4 then if b9b8 then I resign.")
    told = letters.reply(letters.last("bob"), "e9f8\nif b3b4 then b9b8")

    assert letters.execute("select termination, plies from match") == [("resignation", 4)]
    assert len(told) == 2
    assert "You played b3b4, as you had prepared" in words(letters.last("alice"))
    assert "You resigned, as you had prepared." in words(letters.last("alice"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("turn", ["b9b8", "e9f8\ndraw"])
def test_another_turn_or_an_offer_ends_no_match(letters: Correspondence, turn: str) -> None:
    letters.reply(letters.last("alice"), "if e9f8 then resign")
    letters.reply(letters.last("bob"), turn)

    assert letters.execute("select state, plies from match") == [("running", 2)]
    assert letters.execute("select * from prepared") == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "if e9f8 then b3b4 then else resign",
            ONLY_NAMED,
        ),
        ("queue resign", "We can't read what follows"),
        ("if resign then e9f8", ONLY_NAMED),
        ("if e9f8 then resign then if b9b8 then b3b4", "The match would be over before that."),
        ("if e9f8 then b3b4\nif e9f8 then resign", "There are two answers to the same turn."),
    ],
)
def test_a_resignation_that_makes_no_sense_is_refused(letters: Correspondence, line: str, sentence: str) -> None:
    before = standing(letters)
    (refused,) = letters.reply(letters.last("alice"), line)

    assert sentence in words(refused)
    assert standing(letters) == before

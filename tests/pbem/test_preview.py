"""preview, and show and record of an earlier turn: what they show, and that they change and reveal nothing."""

from email.message import EmailMessage

from notation.board import format_board
from notation.record import Record, diagrams
from tests import scenes
from tests.correspondence import Correspondence, text

TURNS = ("3 a7a4 i3f3", "c1c4 g9g6 4 c4g4 g6c6", "a4a8 f3b3 1 a8b8 b3b4")


pytestmark = scenes.after(scenes.match)


def kept(letters: Correspondence) -> list[object]:
    """Return all rows about players and matches."""
    return [letters.execute(f"select * from {table}") for table in ("player", "match", "ply")]


def asked(letters: Correspondence, name: str, words: str) -> str:
    """Reply to the newest message, assert that nothing changed, and return the text of the one reply."""
    before = kept(letters)
    (answer,) = letters.reply(letters.last(name), words)
    assert str(answer["To"]) == f"{name}@mail.example"
    assert kept(letters) == before
    return flat(answer)


def flat(mail: EmailMessage) -> str:
    """Return the words of a message as one line, with long lists joined."""
    return " ".join(text(mail).replace("\n* ... ", " ").split())


def play(letters: Correspondence, *turns: str) -> None:
    for number, turn in enumerate(turns):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)


def board(*turns: str, lit: bool = True) -> str:
    """Return the board of Quadraphages after these turns; if not lit, as records print it."""
    diagram = diagrams(Record("quadraphages", {}, ("Jx", "Bo"), turns))[-1]
    return " ".join(format_board(diagram, lit=lit, notes=lit).split())


def test_a_turn_is_chosen_step_by_step(letters: Correspondence) -> None:
    assert "* 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8" in asked(letters, "alice", "preview")
    assert "* 3 a7a4 i3i6 | 3 a7a4 i3f3 * 3 a7d7 i3i6 | 3 a7d7 i3f3" in asked(letters, "alice", "preview 3")
    said = asked(letters, "alice", "preview 3 a7A4 I3")
    assert "* alice, begun: 3 a7a4 i3" in said
    assert "Your turn is not complete yet." in said
    assert "* 3 a7a4 i3i6 | 3 a7a4 i3f3" in said
    assert "[X]" in said
    assert "3 a7d7" not in said


def test_what_is_begun_is_previewed_on_and_stays_the_secret_of_who_began_it(letters: Correspondence) -> None:
    letters.execute("""update player set settings = '{"watchers": "on"}'""")
    letters.reply(letters.last("alice"), "3")
    letters.join("carol")

    own = asked(letters, "alice", "preview a7a4 i3f3")
    assert board(TURNS[0]) in own
    assert f'reply "{TURNS[0]}"' in own
    assert board(TURNS[0]) in asked(letters, "alice", f"preview {TURNS[0]}")
    for words in ("preview a7a4", "preview 3 a7a4"):
        said = asked(letters, "alice", words)
        assert "* alice, begun: 3 a7a4" in said
        assert "To complete it" in said
        assert "* a7a4 i3i6 | a7a4 i3f3 You can also reply" in said
    assert "You have already sent the first part of this turn, 3" in asked(letters, "alice", "preview 2 a7a5 i3g3")
    for name in ("bob", "carol"):
        for words in ("preview #1 a7a4 i3f3", "preview #1 a7a4 i3", "#1 show", "#1 record", "preview #1#0 a7a4 i3f3"):
            said = asked(letters, name, words)
            assert "last number 3" not in said, words
            assert "begun" not in said, words
        said = asked(letters, name, "#1 preview")
        assert board() in said
        said = asked(letters, name, "#1 preview 2 a7a5 i3g3")
        assert board("2 a7a5 i3g3") in said


def test_no_refusal_betrays_what_somebody_has_begun(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "3")

    for words in (TURNS[0], "undo", "preview i9", "knitting elephants"):
        said = asked(letters, "bob", words)
        assert board() in said
        assert "last number 3" not in said
    assert "last number 3" in asked(letters, "alice", "preview i9")


def test_a_match_is_shown_as_it_was(letters: Correspondence) -> None:
    play(letters, *TURNS)

    for number in range(4):
        said = asked(letters, "alice", f"show 1#{number}")
        assert board(*TURNS[:number]) in said
        assert ("before the first turn" if number == 0 else f"after turn {number} of 3") in said
        assert said == asked(letters, "alice", f"#1#{number} show")
        recorded = asked(letters, "alice", f"record #1#{number}")
        assert board(*TURNS[:number], lit=False) in recorded
    said = asked(letters, "alice", "show 1#4")
    assert "Match #1 has 3 turns, so there is no turn 4." in said
    assert '"show 1#0" is its beginning, "show 1#3" its last position' in said
    assert "has 3 turns" in asked(letters, "alice", "preview 1#9 1")

"""What people write who haven't read anything, at first and in a match: an answer always comes, and mostly helps."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text

HERE = Path(__file__).parent
LANGUAGES = HERE.parents[1] / "templates" / "languages"
LEAST = 0.9
"""The share of the sentences whose answer must be the one that helps most."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, and what its answer should be."""

    wanted: str
    lines: str
    state: str = ""


def corpus(name: str) -> list[Sentence]:
    """Return the sentences of a file."""
    rows = (line for line in (HERE / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    cells = ([cell.strip() for cell in row.split("|")] for row in rows)
    return [Sentence(found[-2], found[-1], found[0] if len(found) > 2 else "") for found in cells]


def words_of(mail: EmailMessage) -> str:
    """Return what the answer says, in one line."""
    return " ".join(text(mail).split())


def in_english(said: str) -> str:
    """Return what an answer says, with the parts that are in other languages in English."""
    pages = {path.stem: path.read_text(encoding="utf-8") for path in LANGUAGES.glob("*.jinja")}
    parts = {language: re.findall(r"""set \w+ = (['"])(.*)\1 %}""", page) for language, page in pages.items()}
    for of_language in parts.values():
        for (_, theirs), (_, ours) in zip(of_language, parts["en"], strict=True):
            named = [part.replace("EXAMPLE", "anna").replace("\\'", "'") for part in (theirs, ours)]
            said = said.replace(*named) if theirs else said
    return said


def answer_to_first(mails: list[EmailMessage]) -> str:
    """Return what kind of answer a first mail got, in the words of the corpus; empty for silence."""
    if not mails:
        return ""
    said = in_english(words_of(mails[0]))
    if "Someone, hopefully you" in said:
        line, *more = said.partition("| ")[2].partition(" If it was you")[0].split(" | ")
        kind = line.replace(" level=3", "").replace(" level=1", "")
        return "rest" if more or "along with the rest of your message" in said else kind
    if "What name would you like to play under?" in said:
        return "keep" if "Then we'll do the rest of your message" in said else "name"
    for game in ("quadrupel", "kvadratik"):
        if said.startswith(f"{game.upper()} "):
            return f"rules {game}"
    if "Write each command on a line of its own" in said:
        return "help"
    if said.startswith("You want to know") or "We don't have that game." in said:
        return "answer"
    if "You want to get no more mail from us." in said and "stop" in said:
        return "nothing"
    return "intro" if "Here you can play board games by email." in said else said[:60]


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Correspondence]:
    with correspondence(tmp_path_factory.mktemp("first"), more="[limits]\nstrangers_per_day = 5000\n") as letters:
        letters.join("bob")
        yield letters


def test_a_first_mail_gets_the_answer_that_helps(letters: Correspondence) -> None:
    wrong, sentences = [], corpus("first_mails.txt")
    for number, sentence in enumerate(sentences):
        subject, colons, body = sentence.lines.partition("::")
        subject, body = (subject, body) if colons else ("", subject)
        address = f"eve{number}@host{number}.example"
        found = answer_to_first(letters.write(address, body.strip().replace(" / ", "\n"), subject.strip()))
        assert found, f"nothing answers {sentence.lines!r}"
        if found != sentence.wanted:
            wrong.append((sentence.lines, sentence.wanted, found))

    assert len(wrong) <= (1 - LEAST) * len(sentences), [row[:3] for row in wrong]


SAYS = {
    "suggest accept": "#1 accept",
    "suggest decline": "#1 decline",
    "suggest resign": "#1 resign",
    "suggest draw": "#1 draw",
    "suggest undo": "#1 undo",
    "suggest pause": "#1 pause",
    "suggest cancel": "#1 cancel",
    "suggest say": "#1 say ",
    "suggest stop": '"stop"?',
    "suggest delete": "| delete me",
    "suggest vacation": "vacation",
    "suggest rematch": "#1 rematch",
    "say show": "To move, reply with your turn",
    "say turn": "your turn",
    "say time": "Time left",
    "say hint": '"hint"',
    "say board": "a b c d e f g h i",
    "say record": '"#1 record"?',
    "say operator": "have the operator read your message",
    "say analy": "analyse",
    "say stop": '"stop"?',
}


def stage(letters: Correspondence, state: str) -> None:
    """Let alice have challenged bob, play with him, or have ended that."""
    personal = letters.join("alice")
    letters.join("bob")
    letters.write("alice@mail.example", "challenge bob quadraphages time=3d/move begin=you", to=personal)
    if state != "offered":
        letters.reply(letters.last("bob"), "accept")
    if state == "over":
        letters.resign("alice")


def test_a_sentence_in_a_match_gets_the_answer_that_helps(tmp_path: Path) -> None:
    wrong, sentences = [], corpus("in_a_match.txt")
    for number, sentence in enumerate(sentences):
        folder = tmp_path / str(number)
        with correspondence(folder, server='admin = "admin@pbem.example"') as letters:
            letters.play(stage, sentence.state)
            mails = [mail for mail in letters.reply(letters.last("bob"), sentence.lines) if "bob@" in str(mail["To"])]
            state = letters.execute("select state from match")[0][0]
        assert mails or state != sentence.state, f"nothing answers {sentence.lines!r}"
        said = words_of(mails[0]) if mails else ""
        wanted = SAYS.get(sentence.wanted, sentence.wanted.partition(" ")[2])
        if not (state != sentence.state if sentence.wanted == "done" else wanted in said):
            wrong.append((sentence.state, sentence.lines, sentence.wanted, said[:150]))

    assert len(wrong) <= (1 - LEAST) * len(sentences), [row[:3] for row in wrong]


def test_a_turn_in_words_keeps_its_condition_and_the_words_to_pass_on(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        personal = letters.join("alice")
        letters.join("bob")
        letters.write("alice@mail.example", "challenge bob quadrupel swap=off begin=me", to=personal)
        letters.reply(letters.last("bob"), "accept")
        said = "I go d2 to e2, and if he answers with c2 to c1 then c4 to b4. And tell Bob I like him"

        (mail,) = letters.reply(letters.last("alice"), said)

        assert all(f"#1 {line}" in words_of(mail) for line in ("d2e2", "if c2c1 then c4b4", "say I like him"))
        assert len(letters.execute("select * from ply")) == 0
        letters.reply(mail, "yes")
        letters.reply(letters.last("bob"), "c2c1")
        assert [text for (text,) in letters.execute("select text from ply order by number")] == ["d2e2", "c2c1", "c4b4"]
        assert any("I like him" in words_of(each) for each in letters.received["bob@mail.example"])


@pytest.mark.parametrize("time", ["3d/1d/move", "60d,7d/move", "14d+1d", "none", "36h/move"])
def test_a_time_is_named_in_answer_to_an_invitation_with_any_time_control(tmp_path: Path, time: str) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("bob")
        letters.say("bob", f"challenge zoe@mail.example quadrupel time={time}")

        (mail,) = letters.reply(letters.last("zoe"), "I'm in, but I need five days a move.\n\nZoe")

        assert "time=5d/move" in words_of(mail)


def test_a_greeting_is_no_misspelt_command(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrupel swap=off begin=me")

        (mail,) = letters.reply(letters.last("alice"), "Hoi hoi,\ndoe mij maar van d2 naar d1.")

        assert '"d2d1"?' in words_of(mail)


@pytest.mark.parametrize(("said", "state"), [("Gern, ich bin dabei!", "running"), ("No time, sorry.", "declined")])
def test_words_for_the_inviter_go_with_the_answer(tmp_path: Path, said: str, state: str) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("bob")
        letters.say("bob", "challenge zoe@mail.example quadrupel")

        (mail,) = letters.reply(letters.last("zoe"), f"{said} Please tell Bob that I miss him.")

        assert letters.execute("select state from match") == [("offered",)]
        letters.reply(mail, "yes")
        assert letters.execute("select state from match") == [(state,)]
        assert '"I miss him."' in words_of(letters.last("bob"))


def test_who_speaks_to_the_inviter_by_name_says_all_of_it_to_them(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("bob")
        letters.say("bob", "challenge zoe@mail.example quadrupel")

        (mail,) = letters.reply(
            letters.last("zoe"), "Sorry Bob, no time for games. The hens keep me busy. Is this free?"
        )

        assert '"Sorry Bob, no time for games. The hens keep me busy."' in words_of(mail)
        letters.reply(mail, "yes")
        assert "The hens keep me busy." in words_of(letters.last("bob"))
        assert "Is this free" not in words_of(letters.last("bob"))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I'd like d2d1. And ask him whether a draw would suit.", ("play d2d1, and to offer a draw.", "#1 draw")),
        ("Ich ziehe d2 nach d1. Was kostet das alles hier eigentlich?", ("You want to play d2d1.", "here is free")),
        ("d4d4 for me. And what does it cost?", ("We can't play d4 d4 here.", "here is free")),
        ("d4d4 for me. The hens keep me busy.", ("We can't play d4 d4 here.", "didn't send them", "The hens")),
    ],
)
def test_what_a_message_wants_beside_a_turn_is_not_lost(tmp_path: Path, said: str, expected: tuple[str, ...]) -> None:
    with correspondence(tmp_path) as letters:
        personal = letters.join("alice")
        letters.join("bob")
        letters.write("alice@mail.example", "challenge bob quadrupel swap=off begin=me", to=personal)
        letters.reply(letters.last("bob"), "accept")

        (mail,) = letters.reply(letters.last("alice"), said)

        assert [part for part in expected if part not in words_of(mail)] == []


@pytest.mark.parametrize(
    ("said", "turn", "is_asked"),
    [
        ("I jump with c4 over b3 to a2", "c4a2", False),
        ("Just in case: where he goes b3 to b2, my answer is c4 to c5.", "c4c5", True),
    ],
)
def test_a_turn_in_words_is_offered_for_a_yes_if_nothing_else_is_named(
    tmp_path: Path, said: str, turn: str, is_asked: bool
) -> None:
    with correspondence(tmp_path) as letters:
        personal = letters.join("alice")
        letters.join("bob")
        letters.write("alice@mail.example", "challenge bob quadrupel swap=off begin=me", to=personal)
        letters.reply(letters.last("bob"), "accept")

        (mail,) = letters.reply(letters.last("alice"), said)

        assert f'"{turn}"' in words_of(mail)
        letters.reply(mail, "yes")
        assert letters.execute("select text from ply") == ([] if is_asked else [(turn,)])


def test_a_guest_accepts_under_the_name_that_they_give(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("bob")
        letters.say("bob", "challenge zoe@mail.example quadrupel")

        (mail,) = letters.reply(letters.last("zoe"), "Gladly, count me in! Put me down as Desmond. What are the rules?")

        assert all(f"| {line}" in words_of(mail) for line in ("#1 accept desmond", "rules quadrupel"))
        letters.reply(mail, "yes")
        assert letters.execute("select name from player where address = 'zoe@mail.example'") == [("desmond",)]
        assert "Be the first to bring your four stones" in words_of(letters.last("zoe"))


def test_several_people_are_invited_at_once(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("alice")

        said = "Please invite zoe@mail.example and yann@mail.example to a match of Quadrupel with me, they may begin."
        (mail,) = letters.say("alice", said)

        letters.reply(mail, "yes")
        assert letters.execute("select count(*) from match") == [(2,)]
        assert all(letters.last(name)["Subject"].endswith("alice's invitation") for name in ("zoe", "yann"))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("What would the board look like after d2d1? Don't play it, just show me.", "Nothing has been played."),
        ("Is Bob a strong player?", "has finished no match"),
        ("How does a match end? And how much time do I have left?", "Time left"),
    ],
)
def test_what_is_only_looked_at_is_shown_at_once(tmp_path: Path, said: str, shown: str) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters)

        (mail,) = letters.reply(letters.last("alice"), said)

        assert 'Reply "yes"' not in words_of(mail)
        assert shown in words_of(mail)
        assert letters.execute("select count(*) from ply") == [(0,)]


def test_a_player_is_blocked_and_their_match_given_up(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters)

        (mail,) = letters.reply(letters.last("alice"), "I give up. And block Bob, I never want to hear from him again.")
        letters.reply(mail, "yes")

        assert letters.execute("select state from match") == [("over",)]
        assert letters.execute("select count(*) from block") == [(1,)]


def test_giving_up_against_the_house_goes_with_the_next_match(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("alice")
        letters.say("alice", "play quadrupel level=4 begin=me")

        (mail,) = letters.reply(letters.last("alice"), "I give up. Another one, please, but at level 1.")
        letters.reply(mail, "yes")

        assert letters.execute("select level, state from match order by id") == [(4, "over"), (1, "running")]


@pytest.mark.parametrize(
    "said", ["Thanks, got it.", "Danke dir!", "Hooray, congrats!", "Merci beaucoup, c'était un plaisir."]
)
def test_thanks_are_no_error(tmp_path: Path, said: str) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters)
        (mail,) = letters.reply(letters.last("bob"), said)
        assert "neither a turn nor a command" not in words_of(mail)


def begin(letters: Correspondence) -> None:
    """Let alice, who begins, play bob."""
    letters.join("alice")
    letters.join("bob")
    letters.say("alice", "challenge bob quadrupel swap=off begin=me")
    letters.reply(letters.last("bob"), "accept")

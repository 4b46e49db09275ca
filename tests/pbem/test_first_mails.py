"""First mails as people write them who haven't read anything, and what each of them gets: never silence."""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text

ASKED = "Was this you?"
INTRODUCED = "Hello! Here you can play board games by email."
WHICH_NAME = "What name would you like to play under?"
HELPED = "Write each command on a line of its own"
OPPONENTS = "FINDING AN OPPONENT"
NOTHING_TO_STOP = "This address gets no news from us"

FIRST_MAILS: list[tuple[str, str, str]] = [
    # Subject, text, the beginning of what answers it
    ("", "join", WHICH_NAME),
    ("join", "", WHICH_NAME),
    ("register", "", WHICH_NAME),
    ("", "signup", WHICH_NAME),
    ("", "subscribe", INTRODUCED),
    ("subscribe", "", INTRODUCED),
    ("", "info", HELPED),
    ("", "help", HELPED),
    ("Help!", "", HELPED),
    ("", "help me", HELPED),
    ("", "faq", HELPED),
    ("", "help opponent", OPPONENTS),
    ("", "How do I find an opponent?", INTRODUCED),
    ("", "games", INTRODUCED),
    ("", "list", INTRODUCED),
    ("", "who", INTRODUCED),
    ("", "", INTRODUCED),
    ("hello", "", INTRODUCED),
    ("", "Hi", INTRODUCED),
    ("", "How does this work?", INTRODUCED),
    ("Question", "Dear Sir or Madam,\n\nI saw your address in a forum.\nWhat do I have to do?\n\nJane Doe", INTRODUCED),
    ("", "I want to play chess", INTRODUCED),
    ("", "start", INTRODUCED),
    ("", "yes", INTRODUCED),
    ("", "accept", INTRODUCED),
    ("", "challenge bob kvadratik", INTRODUCED),
    ("", "#3 a7b7 i3i2", INTRODUCED),
    ("", "Hallo, ich möchte gern mitspielen!", INTRODUCED),
    ("", "unsubscribe", NOTHING_TO_STOP),
    ("", "join carol", ASKED),
    ("Join Carol", "", ASKED),
    ("", "Please register me as Carol", ASKED),
    ("", "Hello,\n\nplease register me as Carol.\n\nThank you!", ASKED),
    ("", "join as carol", ASKED),
    ("", "Hi there, join carol please!", ASKED),
    ("", '"join carol"', ASKED),
    ("signup carol secret", "", ASKED),
    ("", "join Carol Smith", WHICH_NAME),
    ("", "join 4", WHICH_NAME),
    ("", "join carol\nchallenge bob kvadratik", ASKED),
    ("", "challenge bob kvadratik\njoin carol", ASKED),
    ("", "join carol\nfoo bar", ASKED),
    ("", "rules", "Which game?"),
    ("", "rules quadrupel", "QUADRUPEL"),
    ("", "rules chess", "There is no game of that name."),
]


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Correspondence]:
    with correspondence(tmp_path_factory.mktemp("first")) as letters:
        letters.join("bob")
        yield letters


def words_of(mail: EmailMessage) -> str:
    return " ".join(f"{str(mail['Subject']).removeprefix('[pbem] ')} {text(mail)}".split())


@pytest.mark.parametrize(("number", "subject", "body", "expected"), [(n, *row) for n, row in enumerate(FIRST_MAILS)])
def test_a_first_mail_gets_an_answer_that_helps(
    letters: Correspondence, number: int, subject: str, body: str, expected: str
) -> None:
    (answer,) = letters.write(f"carol{number}@host{number}.example", body, subject)

    assert expected in words_of(answer)
    assert "bob" not in words_of(answer)
    assert len(answer.as_bytes()) < 8_000
    assert [part.get_content_type() for part in answer.walk()] == ["text/plain"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", ["How does this work?", "help", "rules kvadratik", "join", "challenge bob kvadratik"])
def test_two_mails_of_a_newcomer_s_own_lead_to_a_match(tmp_path: Path, first: str) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("bob")
        (answer,) = letters.write("carol@mail.example", first)
        letters.reply(answer, "join carol\nchallenge bob kvadratik begin=me\n\nHello Bob!")
        letters.reply(letters.last("bob"), "Yes, gladly!")
        letters.reply(letters.last("carol"), "setup +x+x")

        assert letters.execute("select plies from match") == [(1,)]
        assert "| Hello Bob!" in text(letters.received["bob@mail.example"][-3])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "body", ["join carol\nchallenge bob kvadratik", "challenge bob kvadratik\njoin carol\n\nHello Bob!"]
)
def test_what_a_newcomer_writes_beside_join_waits_for_their_yes(tmp_path: Path, body: str) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("bob")
        (question,) = letters.write("carol@mail.example", body)
        assert "kvadratik" not in text(question)
        assert "along with the rest of your message" in words_of(question)
        mails = letters.reply(question, "yes")

        assert sorted(str(mail["To"]) for mail in mails) == ["bob@mail.example", "carol@mail.example"]
        assert letters.execute("select game, state from match") == [("kvadratik", "offered")]
        assert ("| Hello Bob!" in text(letters.last("bob"))) == ("Hello" in body)


@pytest.mark.parametrize(("answer", "name"), [("yes", "carol"), ("Otto.", "otto"), ("My name is Hanna", "hanna")])
def test_what_a_first_mail_asked_for_is_done_with_the_name(tmp_path: Path, answer: str, name: str) -> None:
    with correspondence(tmp_path) as letters:
        letters.join("bob")
        (question,) = letters.write("carol@mail.example", "I want to play quadrupel with Bob, please")
        assert WHICH_NAME in words_of(question)
        assert "Then we'll do the rest of your message." in words_of(question)
        assert "bob" not in words_of(question)
        letters.reply(question, answer)

        assert letters.execute("select game, state from match") == [("quadrupel", "offered")]
        assert letters.execute("select name from player where address = 'carol@mail.example'") == [(name,)]
        assert letters.last("bob")["Subject"]


@pytest.mark.parametrize(
    "first", ["join otto and play kvadratik", "I'm Otto and I'd like to play kvadratik, easy please"]
)
def test_a_sentence_that_joins_and_plays_needs_one_yes(tmp_path: Path, first: str) -> None:
    with correspondence(tmp_path) as letters:
        (question,) = letters.write("carol@mail.example", first)
        assert letters.execute("select count(*) from match") == [(0,)]
        letters.reply(question, "yes")

        ((game, level),) = letters.execute("select game, level from match where state = 'running'")
        assert game == "kvadratik"
        assert level == (1 if "easy" in first else 2)


def test_a_sentence_about_a_challenge_reaches_nobody_before_its_sender_has_agreed(tmp_path: Path) -> None:
    """Anybody can write in somebody else's name."""
    with correspondence(tmp_path) as letters:
        mails = letters.write("carol@mail.example", "My name is Otto, and I play quadrupel with dora@mail.example")

        assert [str(mail["To"]) for mail in mails] == ["carol@mail.example"]
        assert "dora" not in words_of(mails[0])


def test_a_yes_takes_the_name_that_the_address_suggests(letters: Correspondence) -> None:
    (answer,) = letters.write("dora.dee@mail.example", "Hi!")
    assert 'Or reply just "yes", and your name is doradee.' in words_of(answer)
    (welcome,) = letters.reply(answer, "yes")

    assert "Welcome, doradee!" in text(welcome)


def test_a_suggested_name_that_is_taken_is_told_only_to_who_agrees(letters: Correspondence) -> None:
    (answer,) = letters.write("bob@elsewhere.example", "Hi!")
    assert "your name is bob." in words_of(answer)
    (told,) = letters.reply(answer, "yes")
    assert 'Did you mean "join bob2"?' in text(told)
    (welcome,) = letters.reply(told, "yes")

    assert "Welcome, bob2!" in text(welcome)


def test_who_proves_their_address_is_asked_which_of_two_names(letters: Correspondence) -> None:
    (answer,) = letters.write("eve@mail.example", "info")
    (told,) = letters.reply(answer, "join Eve Adams")
    assert '* "join eve" * "join adams"' in words_of(told)
    (welcome,) = letters.reply(told, "join adams")

    assert "Welcome, adams!" in text(welcome)


def test_who_proves_their_address_and_asks_for_nothing_is_told_again(letters: Correspondence) -> None:
    (answer,) = letters.write("fred@mail.example", "info")
    (told,) = letters.reply(answer, "And what now?")

    assert INTRODUCED in words_of(told)


def test_a_machine_gets_no_first_answer(letters: Correspondence) -> None:
    assert letters.write("gina@mail.example", "Hello", Auto_Submitted="auto-replied") == []
    assert letters.write("no-reply@mail.example", "Hello") == []


@pytest.mark.slow
def test_nothing_of_a_first_mail_comes_back(letters: Correspondence) -> None:
    for number, body in enumerate(("BUY PILLS", "join BUY PILLS", "register PILLS BUY CHEAP", "help PILLS", "PILLS")):
        for mail in letters.write(f"victim{number}@mail.example", body, "PILLS"):
            assert "pills" not in words_of(mail).lower()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "words", ["accept", "Accept!", "accept nora", "yes", "decline", "stop", "Hello, who are you?", "#1 accept"]
)
def test_a_guest_who_writes_a_new_mail_is_told_of_the_invitation(tmp_path: Path, words: str) -> None:
    """Their message proves nothing, so it does nothing; a yes to the reply, which goes to that address, accepts."""
    with correspondence(tmp_path) as letters:
        letters.write("bob@mail.example", "challenge nora@mail.example kvadratik", to=letters.join("bob"))
        (told,) = letters.write("nora@mail.example", words)

        assert "bob's invitation to play Kvadratik is waiting for you" in words_of(told)
        assert told["To"] == "nora@mail.example"
        assert [part.get_content_type() for part in told.walk()] == ["text/plain"]
        assert letters.execute("select state from match") == [("offered",)]
        assert letters.execute("select name from player order by id") == [("bob",), (None,)]
        assert letters.write("nora@mail.example", words) == []
        (other,) = letters.write("peter@mail.example", words)
        assert "invitation" not in words_of(other)

        letters.reply(told, "yes")
        assert letters.execute("select state from match") == [("running",)]

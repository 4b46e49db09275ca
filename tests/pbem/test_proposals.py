"""What `yes` can't do: stale suggestions, and those made to others; resigning; and Rognlie's passwords."""

from email.message import EmailMessage

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, correspondence, said, text

pytestmark = scenes.after(scenes.two_turns)

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"
SLIP, MEANT = "b7d7 i2g2 1 7d6d g2g1", "b7d7 i2g2 1 d7d6 g2g1"


def standing(letters: Correspondence) -> list[object]:
    """Return everything that a message can change for the players."""
    return [letters.execute(f"select * from {table} order by id") for table in ("match", "ply", "player")]


def slip(letters: Correspondence, line: str = SLIP) -> EmailMessage:
    """Return the reply to a slip by alice, which changes nothing."""
    before = standing(letters)
    (answer,) = letters.reply(letters.last("alice"), line)
    assert before == standing(letters)
    return answer


# Suggestions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "played"),
    [
        ("b7d7 i2g2 3 d7d4 g2d2", ["b7d7 i2g2 3 d7d4 g2d2"]),
        ("Ok!\nb7d7 i2g2 3 d7d4 g2d2", []),
        ("yes\nb7d7 i2g2 3 d7d4 g2d2", []),
        ("no, thanks", []),
    ],
)
def test_another_answer_than_yes_plays_only_what_it_says(
    letters: Correspondence, words: str, played: list[str]
) -> None:
    answer = slip(letters)
    letters.reply(answer, words)

    assert letters.played[2:] == played
    if played:
        assert "the match has moved on" in said(*letters.reply(answer, "yes"))
        assert letters.played[2:] == played


def test_a_part_that_was_suggested_is_kept_after_yes_and_its_successor_goes_with_it(letters: Correspondence) -> None:
    answer = slip(letters, "b7d7 2i2g 3")
    assert "so far: b7d7 i2g2 3" in text(*letters.reply(answer, "yes"))
    assert "it was done" in said(*letters.reply(answer, "yes"))
    answer = slip(letters, "d7d4 2g2d")
    assert 'Did you mean "d7d4 g2d2"?' in said(answer)
    letters.reply(answer, "undo")
    before = standing(letters)

    assert "the match has moved on" in said(*letters.reply(answer, "yes"))
    assert before == standing(letters)


# Others' yes -----------------------------------------------------------------------------------------


def test_nobody_else_says_yes_to_a_suggestion(letters: Correspondence) -> None:
    personal = letters.join("carol")
    answer = slip(letters)
    before = standing(letters)
    thread = {"In_Reply_To": str(answer["Message-ID"]), "References": str(answer["Message-ID"])}
    bobs = letters.last("bob")["Reply-To"].addresses[0].addr_spec

    for sender, to in ((BOB, bobs), (CAROL, personal), (CAROL, ADDRESS), ("eve@mail.example", ADDRESS), (BOB, ADDRESS)):
        for mail in letters.write(sender, "yes", f"Re: {answer['Subject']}", to=to, **thread):
            assert mail["To"] == ALICE or MEANT not in text(mail)
        assert before == standing(letters)


def test_nobody_says_yes_to_what_another_was_offered(letters: Correspondence) -> None:
    """Not even to a command that they could give themselves."""
    letters.join("carol")
    (answer,) = letters.say("carol", "chalenge bob quadraphages")
    before = standing(letters)

    for thread in ({"In_Reply_To": str(answer["Message-ID"])}, {}):
        (told,) = letters.write(ALICE, "yes", to=letters.personal("alice"), **thread)
        assert "Nothing was done" in text(told)
        assert before == standing(letters)
    letters.reply(answer, "yes")
    assert before != standing(letters)


def test_an_unproven_yes_asks_the_address_on_file(letters: Correspondence) -> None:
    answer = slip(letters)
    before = standing(letters)
    assert "can't see which message you replied to" in said(*letters.write(ALICE, "yes", "[pbem #1]"))

    (question,) = letters.write("eve@mail.example", "yes", In_Reply_To=str(answer["Message-ID"]))

    assert question["To"] == ALICE
    assert f"| #1 {MEANT}" in text(question)
    assert before == standing(letters)
    letters.reply(question, "yes")
    assert letters.played[-1] == MEANT


def test_a_suggestion_dies_with_the_tokens(letters: Correspondence) -> None:
    answer = slip(letters)
    letters.execute("update player set epoch = epoch + 1 where name = 'alice'")
    before = standing(letters)

    for mail in letters.reply(answer, "yes") + letters.write(ALICE, "yes", In_Reply_To=str(answer["Message-ID"])):
        assert MEANT not in text(mail)
    assert before == standing(letters)


WORDS = ["yes", "ok", "yes\n\nwell", "no", "resign", "resing", SLIP, MEANT, "b7d7 i2g2 3", "undo", "show"]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["alice", "bob", "carol", "eve"]),
            st.sampled_from(WORDS),
            st.integers(0, 30),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_only_who_is_to_move_plays_and_only_what_they_were_shown(
    tmp_path_factory: pytest.TempPathFactory, mails: list[tuple[str, str, int, bool]]
) -> None:
    """After any reply by anyone to any message, every turn played is one that alice wrote or agreed to."""
    with correspondence(tmp_path_factory.mktemp("yes")) as letters:
        letters.play(scenes.two_turns)
        letters.join("carol")
        for who, body, which, keeps_token in mails:
            address = f"{who}@mail.example"
            everything = [mail for way, mail in letters.log if way == "out"]
            mail = everything[which % len(everything)]
            own = str(mail["To"]) == address
            before = letters.played
            letters.write(
                address,
                body,
                f"Re: {mail['Subject']}",
                to=mail["Reply-To"].addresses[0].addr_spec if own and keeps_token else ADDRESS,
                In_Reply_To=str(mail["Message-ID"]),
            )
            after = letters.played
            assert after[: len(before)] == before
            assert set(after[len(before) :]) <= {MEANT}
            assert not after[len(before) :] or who == "alice"
        ((state, termination),) = letters.execute("select state, termination from match")
        assert state == "running" or termination == "resignation"


# Resigning -------------------------------------------------------------------------------------------


def test_a_forwarded_message_does_not_resign(letters: Correspondence) -> None:
    """Someone who has the reply token doesn't have the question that the player gets."""
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    letters.write("eve@mail.example", "resign", to=to)

    for body in ("yes", "resign", "yes\nresign", "resign\nyes"):
        letters.write("eve@mail.example", body, to=to)
        assert letters.rows("select state from match") == ["running"]
    assert {str(mail["To"]) for way, mail in letters.log if way == "out"} == {ALICE, BOB}


# Players from Rognlie's server -----------------------------------------------------------------------------------

SECRET = "h4x0r-tr0ub4dor"


@pytest.mark.parametrize(
    "line",
    [
        f"quadraphages move 1 alice {SECRET} {MEANT}",
        f"quadraphages resign 1 alice {SECRET}",
        f"set alice {SECRET} html on",
        f"quadraphages moev 1 alice {SECRET} {SLIP}",
        f"change password alice {SECRET} {SECRET}2",
    ],
)
def test_a_password_is_nowhere_but_in_the_message_as_it_came(letters: Correspondence, line: str) -> None:
    for address in (letters.last("alice")["Reply-To"].addresses[0].addr_spec, ADDRESS):
        for body, subject in (
            (line, ""),
            ("", line),
            (f"multiple\nchallenge nobody quadraphages\n{line}", ""),
            (f"Hi!\n{line}\n\nBye", ""),
        ):
            letters.write(ALICE, body, subject, to=address)
    letters.reply(letters.last("alice"), "yes")

    assert not [mail for way, mail in letters.log if way == "out" and SECRET in str(mail).replace("=\n", "")]
    for table in ("outgoing", "outgoingcontent", "player", "match", "ply"):
        assert SECRET not in str(letters.execute(f"select * from {table}"))
    assert SECRET not in str(letters.execute("select sender, recipients, verdict, error from incoming"))


def test_a_move_tied_to_its_turn_is_played_in_that_turn_only(letters: Correspondence) -> None:
    for number in (1, 2, 4, 9):
        (answer,) = letters.say("alice", f"quadraphages move 1 alice secret {MEANT}#{number}")
        assert f"Turn {number} is not the next one: the match is at turn 3" in said(answer)
    assert len(letters.played) == 2

    letters.say("alice", f"quadraphages move 1 alice secret {MEANT}#3")

    assert letters.played[-1] == MEANT
    (again,) = letters.say("alice", f"quadraphages move 1 alice other {MEANT}#3")
    assert f"Your turn {MEANT} has already been played" in said(again)

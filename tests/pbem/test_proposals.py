"""What `yes` does and can't do: suggestions, stale ones, those made to others; resigning; and Rognlie's passwords."""

import re
from email.message import EmailMessage

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql

from pbem.conversation.suggested_yes import NO, YES, consents, refuses
from tests.correspondence import ADDRESS, Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"


SLIP, MEANT = "b7d7 i2g2 1 7d6d g2g1", "b7d7 i2g2 1 d7d6 g2g1"


def plies(letters: Correspondence) -> list[str]:
    with letters.server.engine.connect() as connection:
        return [str(row[0]) for row in connection.execute(sql('select text from ply order by "match", number'))]


def standing(letters: Correspondence) -> list[tuple[object, ...]]:
    """Return everything that a message can change for the players."""
    with letters.server.engine.connect() as connection:
        return [
            tuple(row)
            for table in ("match", "ply", "player")
            for row in connection.execute(sql(f'select * from "{table}" order by id'))
        ]


def only(mails: list[EmailMessage], address: str = ALICE) -> EmailMessage:
    (mail,) = mails
    assert mail["To"] == address
    return mail


def words(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def slip(letters: Correspondence, line: str = SLIP) -> EmailMessage:
    """Return the reply to a slip by alice."""
    before = standing(letters)
    answer = only(letters.reply(letters.last("alice"), line))
    assert before == standing(letters)
    return answer


# A slip, and yes -------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (SLIP, MEANT),
        ("7b7d 2i2g 1 7d6d 2g1g", MEANT),
        ("b7d7 i2g2 d7d6 g2g1", MEANT),
        ("b7d7 i2g2 3 d7d6 g2g1", MEANT),
        ("d7d6 g2g1 1 b7d7 i2g2", MEANT),
        ("d7b7 i2g2 1 d7d6 g2g1", MEANT),
        ("b7d7 i2g2 1 d7d6 g2gi", MEANT),
        ("b7d7i2g21d7d6g2g1", MEANT),
        ("b7d7 i2g2 l d7d6 g2gl", MEANT),
        ("move b7d7 i2g2 1 d7d6 2g1g", MEANT),
    ],
)
def test_a_slip_is_played_after_yes_and_not_before(letters: Correspondence, line: str, meant: str) -> None:
    answer = slip(letters, line)
    assert f'Did you mean "{meant}"? Reply "yes", and it\'s played.' in words(answer)

    mails = letters.reply(answer, "yes\n\nSorry!")

    assert sorted(str(mail["To"]) for mail in mails) == [ALICE, BOB]
    assert plies(letters)[-1] == meant
    assert "| Sorry!" in text(mails[1])


@pytest.mark.slow
def test_several_turns_are_offered_where_a_slip_resembles_them_alike(letters: Correspondence) -> None:
    answer = slip(letters, "b7d7 i2g2 1 d7d6 g2h1")
    offered = re.findall(r'^\* "(.*)"', text(answer), flags=re.MULTILINE)

    assert 1 < len(offered) <= 3
    before = standing(letters)
    assert "suggests nothing" in words(only(letters.reply(answer, "yes")))
    assert before == standing(letters)
    letters.reply(answer, offered[1])
    assert plies(letters)[-1] == offered[1]


def test_yes_in_another_shape_or_language_is_yes(letters: Correspondence) -> None:
    for word in sorted(YES):
        for line in (word, word.upper(), f"{word}!", f"*{word}*", f'"{word}".', f"{word}, bob"):
            assert consents(["", line, "and more"]), line
        assert not consents([f"{word} but I meant another one"])
        assert not refuses([word])
    for word in sorted(NO):
        assert refuses([f"{word}, that was not me"])
        assert not consents([word])
    assert not consents([])
    assert not consents(["", " "])
    assert not refuses(["---"])


@pytest.mark.slow
def test_another_answer_than_yes_plays_what_it_says(letters: Correspondence) -> None:
    answer = slip(letters)

    letters.reply(answer, "b7d7 i2g2 3 d7d4 g2d2")

    assert plies(letters)[-1] == "b7d7 i2g2 3 d7d4 g2d2"
    assert "the match has moved on" in words(only(letters.reply(answer, "yes")))
    assert len(plies(letters)) == 3


@pytest.mark.slow
def test_no_leaves_it(letters: Correspondence) -> None:
    answer = slip(letters)
    before = standing(letters)

    only(letters.reply(answer, "no, thanks"))

    assert before == standing(letters)


@pytest.mark.slow
def test_yes_and_another_turn_below_it_play_none(letters: Correspondence) -> None:
    answer = slip(letters)
    before = standing(letters)

    assert "two turns for the same match" in words(only(letters.reply(answer, "yes\nb7d7 i2g2 3 d7d4 g2d2")))
    assert before == standing(letters)


def test_ok_above_a_turn_is_only_a_word(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "Ok!\nb7d7 i2g2 3 d7d4 g2d2")

    assert plies(letters)[-1] == "b7d7 i2g2 3 d7d4 g2d2"


@pytest.mark.slow
def test_a_second_yes_is_told_that_the_turn_is_played(letters: Correspondence) -> None:
    answer = slip(letters)
    letters.reply(answer, "yes")
    before = standing(letters)

    assert f"Your turn {MEANT} has already been played" in words(only(letters.reply(answer, "Yes.")))
    letters.reply(letters.last("bob"), "f1f3 h7h5 8")
    assert "already been played" in words(only(letters.reply(answer, "yes please")))
    assert before[1:] == [row for row in standing(letters) if row in before][1:]


@pytest.mark.slow
def test_a_part_that_was_suggested_is_kept_after_yes(letters: Correspondence) -> None:
    answer = slip(letters, "b7d7 2i2g 3")
    assert 'Did you mean "b7d7 i2g2 3"?' in words(answer)

    begun = only(letters.reply(answer, "yes"))

    assert "so far: b7d7 i2g2 3" in text(begun)
    assert "it was done" in words(only(letters.reply(answer, "yes")))


@pytest.mark.slow
def test_a_suggestion_within_a_part_is_gone_with_the_part(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "b7d7 i2g2 3")
    answer = slip(letters, "d7d4 2g2d")
    assert 'Did you mean "d7d4 g2d2"?' in words(answer)
    letters.reply(answer, "undo")
    before = standing(letters)

    assert "has changed since we suggested that" in words(only(letters.reply(answer, "yes")))
    assert before == standing(letters)


@pytest.mark.slow
def test_yes_without_a_thread_is_about_the_newest_mail_in_the_match(letters: Correspondence) -> None:
    answer = slip(letters)
    to = answer["Reply-To"].addresses[0].addr_spec

    letters.write(ALICE, "yes", to=to)

    assert plies(letters)[-1] == MEANT


@pytest.mark.slow
def test_yes_without_a_thread_does_nothing_when_something_else_came_since(letters: Correspondence) -> None:
    to = slip(letters)["Reply-To"].addresses[0].addr_spec
    letters.reply(letters.last("bob"), "say Take your time.")
    before = standing(letters)

    assert "suggests nothing" in words(only(letters.write(ALICE, "yes", to=to)))
    assert before == standing(letters)


# Others' yes -----------------------------------------------------------------------------------------


@pytest.mark.slow
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


@pytest.mark.slow
def test_nobody_says_yes_to_what_another_was_offered(letters: Correspondence) -> None:
    """Not even to a command that they could give themselves."""
    carols = letters.join("carol")
    answer = only(letters.write(CAROL, "chalenge bob quadraphages", to=carols), CAROL)
    before = standing(letters)

    for thread in ({"In_Reply_To": str(answer["Message-ID"])}, {}):
        told = only(letters.write(ALICE, "yes", to=to_play(letters), **thread))
        assert "Nothing was done" in text(told)
        assert before == standing(letters)
    letters.reply(answer, "yes")
    assert before != standing(letters)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("subject", ["", "[pbem #1]"])
def test_an_unproven_yes_must_say_which_mail_it_answers(letters: Correspondence, subject: str) -> None:
    slip(letters)

    assert "can't see which message you replied to" in words(only(letters.write(ALICE, "yes", subject)))


def test_a_turn_is_suggested_to_nobody_but_who_is_to_move(letters: Correspondence) -> None:
    answer = words(only(letters.reply(letters.last("bob"), '"h7h5 f1f3 3"'), BOB))

    assert "Did you mean" not in answer
    assert "It's alice's turn" in answer


@pytest.mark.slow
def test_an_unproven_yes_asks_the_address_on_file(letters: Correspondence) -> None:
    answer = slip(letters)
    before = standing(letters)

    forged = letters.write("eve@mail.example", "yes", In_Reply_To=str(answer["Message-ID"]))

    question = only(forged)
    assert f"| #1 {MEANT}" in text(question)
    assert before == standing(letters)
    letters.reply(question, "yes")
    assert plies(letters)[-1] == MEANT


@pytest.mark.slow
def test_a_suggestion_dies_with_the_tokens(letters: Correspondence) -> None:
    answer = slip(letters)
    with letters.server.engine.begin() as connection:
        connection.execute(sql("update player set epoch = epoch + 1 where name = 'alice'"))
    before = standing(letters)

    for mail in letters.reply(answer, "yes") + letters.write(ALICE, "yes", In_Reply_To=str(answer["Message-ID"])):
        assert MEANT not in text(mail)
    assert before == standing(letters)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["alice", "bob", "carol", "eve"]),
            st.sampled_from(
                ["yes", "ok", "yes\n\nwell", "no", "resign", "resing", SLIP, MEANT, "b7d7 i2g2 3", "undo", "show"]
            ),
            st.integers(0, 30),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_only_who_is_to_move_plays_and_only_what_he_was_shown(
    tmp_path_factory: pytest.TempPathFactory, mails: list[tuple[str, str, int, bool]]
) -> None:
    """After any reply by anyone to any message, every turn played is one that alice wrote or agreed to."""
    with correspondence(tmp_path_factory.mktemp("yes")) as letters:
        letters.match()
        letters.join("carol")
        letters.reply(letters.last("alice"), "1 a7b7 i3i2")
        letters.reply(letters.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
        allowed = {MEANT, "b7d7 i2g2 1 d7d6 g2g1"}
        for who, body, which, keeps_token in mails:
            address = f"{who}@mail.example"
            everything = [mail for way, mail in letters.log if way == "out"]
            mail = everything[which % len(everything)]
            own = str(mail["To"]) == address
            before = plies(letters)
            letters.write(
                address,
                body,
                f"Re: {mail['Subject']}",
                to=mail["Reply-To"].addresses[0].addr_spec if own and keeps_token else ADDRESS,
                In_Reply_To=str(mail["Message-ID"]),
            )
            after = plies(letters)
            assert after[: len(before)] == before
            assert set(after[len(before) :]) <= allowed
            assert not after[len(before) :] or who == "alice"
        with letters.server.engine.connect() as connection:
            over = connection.execute(sql('select state, reason from "match"')).one()
        assert over.state == "running" or over.termination == "resignation"


# Misspelt commands -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_misspelt_command_is_done_after_yes_and_once(letters: Correspondence) -> None:
    personal = letters.join("carol")
    answer = only(letters.write(CAROL, "chalenge bob quadraphages first=o", to=personal), CAROL)
    assert 'We don\'t know the command "chalenge".' in words(answer)
    assert 'Did you mean "challenge bob quadraphages first=o"? Reply "yes", and it\'s done.' in words(answer)

    mails = letters.reply(answer, "ja, bitte")

    assert [str(mail["To"]) for mail in mails] == [BOB, CAROL]
    assert "it was done" in words(only(letters.reply(answer, "yes"), CAROL))
    with letters.server.engine.connect() as connection:
        assert connection.execute(sql('select count(*) from "match"')).scalar() == 2


@pytest.mark.slow
def test_a_misspelt_game_is_offered_too(letters: Correspondence) -> None:
    personal = letters.join("carol")

    answer = only(letters.write(CAROL, "challenge bob quadrafages", to=personal), CAROL)
    assert 'Did you mean "challenge bob quadraphages"?' in words(answer)
    letters.reply(answer, "yes")

    assert "carol challenges you to Quadraphages" in words(letters.last("bob"))


def test_a_misspelt_subject_is_offered(letters: Correspondence) -> None:
    answer = only(letters.write(ALICE, "", "gmaes bob"))

    assert 'Did you mean "games bob"?' in words(answer)


def test_yes_where_nothing_was_suggested_is_explained(letters: Correspondence) -> None:
    before = standing(letters)

    for mail in (letters.received[ALICE][1], letters.last("alice")):
        answer = only(letters.reply(mail, "yes"))
        assert "suggests nothing" in words(answer)
        assert '"say TEXT"' in words(answer)
    assert before == standing(letters)


# Resigning -------------------------------------------------------------------------------------------


def state(letters: Correspondence) -> str:
    with letters.server.engine.connect() as connection:
        return str(connection.execute(sql('select state from "match"')).scalar())


@pytest.mark.slow
def test_resigning_asks_once_more_whatever_the_proof(letters: Correspondence) -> None:
    personal = next(line.strip() for line in text(letters.received[ALICE][1]).splitlines() if "games+" in line)
    for to in (letters.last("alice")["Reply-To"].addresses[0].addr_spec, personal):
        question = only(letters.write(ALICE, "#1 resign\n\nWell played!", to=to))
        assert "You're about to resign match #1" in words(question)
        assert "| Well played!" in text(question)
        assert question["Subject"].endswith("] Quadraphages: alice - bob")
        assert state(letters) == "running"
    assert "not said" not in words(letters.last("bob"))

    mails = letters.reply(question, "Yes")

    assert sorted(str(mail["To"]) for mail in mails) == [ALICE, BOB]
    assert "The match is over: you resigned." in words(mails[1])
    assert "| Well played!" in text(mails[1])


@pytest.mark.slow
def test_a_forwarded_mail_does_not_resign(letters: Correspondence) -> None:
    """Someone who has the reply token doesn't have the question that the player gets."""
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    letters.write("eve@mail.example", "resign", to=to)

    for body in ("yes", "resign", "yes\nresign", "resign\nyes"):
        letters.write("eve@mail.example", body, to=to)
        assert state(letters) == "running"
    assert {str(mail["To"]) for way, mail in letters.log if way == "out"} == {ALICE, BOB}


@pytest.mark.slow
def test_a_no_and_a_maybe_do_not_resign(letters: Correspondence) -> None:
    question = only(letters.reply(letters.last("alice"), "resign"))
    again = only(letters.reply(question, "What is this? I never wrote that!"))
    assert "We can't tell whether your reply means yes" in words(again)
    assert state(letters) == "running"

    assert "discarded" in words(only(letters.reply(again, "No!")))
    assert "already dealt with that message" in words(only(letters.reply(question, "yes")))
    assert state(letters) == "running"


@pytest.mark.slow
def test_the_whole_mail_waits_with_a_resignation(letters: Correspondence) -> None:
    question = only(letters.reply(letters.last("alice"), "challenge bob hexaphages\nresign"))
    assert "| challenge bob hexaphages" in text(question)
    with letters.server.engine.connect() as connection:
        assert connection.execute(sql('select count(*) from "match"')).scalar() == 1

    letters.reply(question, "yes")

    with letters.server.engine.connect() as connection:
        assert connection.execute(sql('select state from "match" order by id')).scalars().all() == ["over", "offered"]


@pytest.mark.slow
def test_a_resignation_that_can_not_be_is_refused_at_once(letters: Correspondence) -> None:
    letters.resign("alice")

    assert "is over" in words(only(letters.reply(letters.received[ALICE][2], "resign")))


@pytest.mark.slow
def test_an_unproven_resignation_is_asked_about_once(letters: Correspondence) -> None:
    question = only(letters.write(ALICE, "resign 1"))
    assert "can't be sure that it's from you" in words(question)

    letters.reply(question, "yes")

    assert state(letters) == "over"


@pytest.mark.slow
def test_a_misspelt_resignation_is_asked_about_twice(letters: Correspondence) -> None:
    question = only(letters.reply(slip(letters, "resing"), "yes"))

    assert "You're about to resign match #1" in words(question)
    letters.reply(question, "yes")
    assert state(letters) == "over"


# Players from Rognlie's server -----------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "word", ["move", "resign", "chat", "set", "undo", "move#9", "typo", "change", "queue", "foreign"]
)
def test_a_password_is_nowhere_but_in_the_mail_as_it_came(letters: Correspondence, word: str) -> None:
    secret = "h4x0r-tr0ub4dor"
    line = {
        "move": f"quadraphages move 1 alice {secret} {MEANT}",
        "move#9": f"quadraphages move 1 alice {secret} {MEANT}#9",
        "resign": f"quadraphages resign 1 alice {secret}",
        "chat": f"quadraphages chat 1 alice {secret} hello",
        "set": f"set alice {secret} html on",
        "undo": f"quadraphages move 1 alice {secret} undo",
        "typo": f"quadraphages moev 1 alice {secret} {SLIP}",
        "change": f"change password alice {secret} {secret}2",
        "queue": f"quadraphages queue 1 alice {secret} {MEANT}",
        "foreign": f"quadraphages move 1 al {secret} {MEANT}",
    }[word]
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    for address in (to, ADDRESS):
        for body, subject in (
            (line, ""),
            ("", line),
            (f"multiple\nchallenge nobody quadraphages\n{line}", ""),
            (f"Hi!\n{line}\n\nBye", ""),
        ):
            letters.write(ALICE, body, subject, to=address)
    question = letters.last("alice")
    letters.reply(question, "yes")

    out = [str(mail) for way, mail in letters.log if way == "out"]
    assert not [mail for mail in out if secret in mail or secret in text_of(mail)]
    with letters.server.engine.connect() as connection:
        for table in ("incoming", "outgoing", "outgoingcontent", "player", "match", "ply"):
            for row in connection.execute(sql(f'select * from "{table}"')).mappings():
                kept = {name: value for name, value in row.items() if name != "raw"}
                assert secret not in str(kept)


def text_of(mail: str) -> str:
    return mail.replace("=\n", "")


@pytest.mark.slow
def test_a_move_tied_to_its_turn_is_played_in_that_turn_only(letters: Correspondence) -> None:
    before = standing(letters)
    for number in (1, 2, 4, 9):
        answer = words(
            only(letters.write(ALICE, f"quadraphages move 1 alice secret {MEANT}#{number}", to=to_play(letters)))
        )
        assert f"Turn {number} is not the next one: the match is at turn 3" in answer
    assert before == standing(letters)

    letters.write(ALICE, f"quadraphages move 1 alice secret {MEANT}#3", to=to_play(letters))

    assert plies(letters)[-1] == MEANT
    again = only(letters.write(ALICE, f"quadraphages move 1 alice other {MEANT}#3", to=to_play(letters)))
    assert f"Your turn {MEANT} has already been played" in words(again)


def to_play(letters: Correspondence) -> str:
    """Return alice's personal address, whose token isn't about a turn."""
    return next(line.strip() for line in text(letters.received[ALICE][1]).splitlines() if "games+" in line)


def test_words_in_the_body_travel_with_chat(letters: Correspondence) -> None:
    letters.write(ALICE, "Well played so far!", "quadraphages chat 1 alice secret", to=to_play(letters))

    assert "| Well played so far!" in text(letters.last("bob"))
    assert "secret" not in text(letters.last("bob"))


@pytest.mark.slow
def test_words_of_rognlie_s_without_a_counterpart_are_explained(letters: Correspondence) -> None:
    for line, part in (
        ("broadcast alice secret", "write to all players"),
        ("quadraphages standings", "Nobody has a rating yet"),
        ("change password alice secret other", "no passwords"),
        ("quadraphages move 1 alice secret swap", "allows swapping sides"),
    ):
        answer = words(only(letters.write(ALICE, "", line, to=to_play(letters))))
        assert part in answer
        assert "We don't know the command" not in answer

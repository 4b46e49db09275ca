"""Leaving removes the data of the player who leaves, and nothing that belongs to others."""

import io
import re
import zipfile

import pytest

from tests.correspondence import Correspondence, text

CAROL, EVE = "carol@mail.example", "eve@mail.example"


def people(letters: Correspondence) -> tuple[int, int]:
    """Let bob and carol chat in the middle of a match, with a question to bob open; then let eve join.

    Return the last ids of received and of sent messages before she did.
    """
    letters.match(first="bob", second="carol", challenge="challenge carol quadraphages")
    letters.reply(letters.last("bob"), "1 a7b7 i3i2\n\nWelcome to the match! Hello, carol: your turn.")
    letters.reply(letters.last("carol"), "say I refused to turn; hello to you.")
    letters.write(CAROL, "move 7 a")
    letters.reply(letters.last("bob"), "resign")
    ((came, owed),) = letters.execute("select (select max(id) from incoming), (select max(id) from outgoing)")
    letters.join("eve")
    return int(str(came)), int(str(owed))


def rows_up_to(letters: Correspondence, came: int, owed: int) -> list[tuple[object, ...]]:
    return [
        *letters.execute(f"select * from incoming where id <= {came} order by id"),
        *letters.execute(f"select * from outgoing where id <= {owed} order by id"),
        *letters.execute(f"select * from outgoingcontent where outgoing <= {owed} order by outgoing"),
        *letters.execute("select * from mention order by outgoing, player"),
    ]


def number_of(letters: Correspondence, name: str) -> int:
    (number,) = letters.rows(f"select id from player where name = '{name}'")
    return int(number)


def leaves(letters: Correspondence, name: str) -> None:
    letters.reply(letters.say(name, "delete me")[0], "yes")


@pytest.mark.parametrize("name", ["turn", "by", "bo"])
def test_somebody_named_like_a_word_leaves_and_everything_of_others_stays_byte_for_byte(
    letters: Correspondence, name: str
) -> None:
    """Old databases contain such names, from before they were refused."""
    last = letters.play(people)
    eve, personal = number_of(letters, "eve"), letters.personal("eve")
    letters.execute(f"update player set name = '{name}' where name = 'eve'")
    before = rows_up_to(letters, *last)
    assert [row for row in before if "held" in row], "bob has been asked whether he means it"
    letters.reply(letters.write(EVE, "delete me", to=personal)[0], "yes")
    assert letters.execute(f"select name from player where id = {eve}") == [(f"deleted-{eve}",)]
    assert letters.execute(f"select count(*) from incoming where player = {eve} and removed is null") == [(0,)]
    assert rows_up_to(letters, *last) == before


def test_what_an_opponent_wrote_stays_and_what_the_leaver_wrote_goes(letters: Correspondence) -> None:
    """Bob's words are bob's, even if they mention eve; hers are removed from our messages to him."""
    letters.match(first="eve", second="bob")
    letters.reply(letters.last("eve"), "1 a7b7 i3i2\n\nGreetings from the rabbithole.")
    letters.reply(letters.last("bob"), "say Thank you, eve, for the dormouse.")
    bob = number_of(letters, "bob")
    messages = (
        "select incoming.id, raw from incoming join rawmessage on rawmessage.incoming = incoming.id"
        f" where player = {bob} order by incoming.id"
    )
    theirs = letters.execute(messages)
    assert "dormouse" in str(theirs)
    leaves(letters, "eve")
    assert letters.execute(messages) == theirs
    said = f"select payload, facts from outgoingcontent join outgoing on outgoing.id = outgoing where player = {bob}"
    told = str(letters.execute(said))
    assert "rabbithole" not in told
    assert not re.search("""["']eve["']""", told)


def test_whoever_asked_about_the_leaver_keeps_a_list_without_the_name(letters: Correspondence) -> None:
    letters.match(first="eve", second="bob")
    letters.execute('update player set settings = \'{"watchers": "on"}\'')
    eve = number_of(letters, "eve")
    letters.join("carol")
    for words in ("games eve", "show 1", "challenge eve kvadratik"):
        letters.say("carol", words)
    letters.say("bob", "games")
    named = (
        "select outgoing from outgoingcontent"
        " where cast(payload as text) like '%\"eve\"%' or cast(facts as text) like '%\"eve\"%'"
    )
    assert len(letters.execute(named)) > 8
    leaves(letters, "eve")
    assert letters.execute(named) == []
    assert letters.execute(f"select count(*) from mention where player = {eve}") == [(0,)]
    assert letters.execute("select count(*) from mention") != [(0,)], "bob's match with eve is shown to carol"
    letters.wait(days=91)
    assert letters.execute("select count(*) from mention") == [(0,)]


def test_joining_and_leaving_all_day_is_refused_from_the_third_time_on(letters: Correspondence) -> None:
    sent = 0
    for _ in range(6):
        mails = letters.write(EVE, "join eve")
        sent += len(mails)
        if "more than once today" in text(mails[0]):
            break
        sent += len(letters.reply(mails[0], "yes"))
        (question,) = letters.say("eve", "delete me")
        sent += 1 + len(letters.reply(question, "yes"))
    assert letters.execute("select count(*) from player where deleted is not null") == [(2,)]
    assert "more than once today" in text(letters.last("eve"))
    assert sent <= 9
    letters.wait(days=1, minutes=1)
    assert letters.execute("select count(*) from departure") == [(0,)]
    letters.reply(letters.write(EVE, "join eve")[0], "yes")
    assert letters.execute("select count(*) from player where name = 'eve'") == [(1,)]


def test_an_export_holds_nobody_else_s_message(letters: Correspondence) -> None:
    """Carol had an address that is eve's now, and mallory wrote in eve's name; neither message is eve's."""
    letters.join("carol")
    letters.say("carol", "help\n\nMy secret is the dormouse.")
    letters.execute(f"update incoming set sender = '{EVE}' where player is not null")
    letters.execute("update player set address = 'elsewhere@mail.example' where name = 'carol'")
    letters.join("eve")
    letters.write(EVE, "set mail daily\n\nMallory forged this: hatter.")
    letters.say("eve", "export me")
    export = next(mail for mail in letters.received[EVE] if list(mail.iter_attachments()))
    archive = next(part for part in export.iter_attachments() if str(part.get_filename()).endswith(".zip"))
    with zipfile.ZipFile(io.BytesIO(archive.get_content())) as file:
        enclosed = b"".join(file.read(name) for name in file.namelist())
    assert b"export me" in enclosed
    assert b"join eve" in enclosed, "she has confirmed that one"
    assert b"dormouse" not in enclosed
    assert b"hatter" not in enclosed

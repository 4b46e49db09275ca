"""Reply tokens never reach anyone else by mail, in whatever form a quote shows them."""

import re
import textwrap
from collections.abc import Callable
from email.message import EmailMessage
from urllib.parse import quote

import pytest
from sqlmodel import Session, col, select

from pbem import tokens
from pbem.messages.contents.message_payloads import Answer
from pbem.messages.reply_links import address_with
from pbem.storage.mailer import kept_content
from pbem.storage.message_payload_base import dump
from pbem.storage.models import Outgoing
from pbem.tokens import Keyring, Purpose, Token
from tests import scenes
from tests.correspondence import Correspondence, parsed, text
from tests.shown_tokens import shows

pytestmark = scenes.after(scenes.match)

ALICE, BOB = "alice@mail.example", "bob@mail.example"
FORMS: dict[str, Callable[[str, str], str]] = {
    "Samsung, in one line": lambda to, quoted: (
        f"-------- Urspr\u00fcngliche Nachricht --------Von: PBeM <{to}> Datum: 17.11.21  11:00  (GMT+01:00) "
        f"An: {ALICE} Betreff: [pbem #1] Quadraphages\n{quoted}"
    ),
    "wrapped before its end": lambda to, quoted: (
        f"On Wed, Nov 17, 2021 at 11:00 AM PBeM <{to}\n>:\n\n{textwrap.indent(quoted, '> ')}"
    ),
    "above an unmarked quote": lambda to, quoted: f"PBeM <{to}> wrote:\n\n{quoted}",
    "headers in a rare language": lambda to, quoted: (
        f"Fr\u00e1: PBeM [mailto:{to}]\nTil: {ALICE}\nEfni: leikur\n\n{quoted}"
    ),
    "a link in the quote": lambda to, quoted: f"pbem skrifar: <mailto:{quote(to)}?subject=Re%3A>\n{quoted}",
    "wrapped within the token": lambda to, quoted: f"Svo skrifar PBeM <{to[:30]}\n{to[30:]}>\n{quoted}",
    "quoted-printable, left as it was": lambda to, quoted: f"pbem skrifar games=2B{to[6:30]}=\n{to[30:]}\n{quoted}",
}


def everything(mail: EmailMessage) -> str:
    """Return everything in a message: headers and decoded parts."""
    parts = [part.get_payload(decode=True) or b"" for part in mail.walk() if not part.is_multipart()]
    return "\n".join(
        [*(f"{name}: {value}" for name, value in mail.items()), *(each.decode("latin-1") for each in parts)]
    )


@pytest.mark.parametrize("form", FORMS)
def test_an_attribution_that_is_not_recognised_hands_the_opponent_no_token(letters: Correspondence, form: str) -> None:
    turn = letters.last("alice")
    to = turn["Reply-To"].addresses[0].addr_spec
    token = to.partition("+")[2].partition("@")[0]
    letters.reply(turn, f"say Hello!\n\n{FORMS[form](to, text(turn))}", quote=False)
    (heard,) = [mail for mail in letters.received[BOB] if "| Hello!" in text(mail)]

    assert not shows(everything(heard), token)
    theirs = re.findall("[a-z2-7]{40}", everything(heard).lower())
    assert theirs
    for found in set(theirs):
        letters.write("mallory@evil.example", "1 a7b7 i3i2", to=f"games+{found}@pbem.example")
    assert letters.played == []


def test_no_token_leaves_in_the_subject_a_record_or_an_export(letters: Correspondence) -> None:
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    token = to.partition("+")[2].partition("@")[0]
    letters.reply(letters.last("alice"), f"say My address is {to}")
    with Session(letters.server.engine) as session:
        owed = session.exec(select(Outgoing).where(Outgoing.address == BOB).order_by(col(Outgoing.id).desc())).first()
        assert owed is not None
        assert token in str(owed.payload), "the row knows it, and the message does not"
        owed.match, owed.template = None, "answer"
        kept_content(owed).payload = dump(Answer(sections=(), subject=f"Hello {to}"))
        mail = parsed(*letters.server.renderer.render(session, [owed]))
        session.rollback()
    assert str(mail["Subject"]) == "Re: [pbem] Hello games+(token)@pbem.example"
    for name in ("alice", "bob"):
        files = [part for part in letters.say(name, "export me")[-1].walk() if part.get_filename()]
        assert len(files) == 3
        assert not any(token in everything(part).lower() for part in files)


def test_an_address_that_is_asked_whether_it_is_a_player_s_gets_no_token_that_acts(letters: Correspondence) -> None:
    letters.say("alice", "change address alice@work.example")
    letters.reply(letters.last("alice"), "yes")
    (question,) = letters.received["alice@work.example"]

    found = {each: tokens.parse(each) for each in re.findall("[a-z2-7]{40}", everything(question).lower())}

    assert {token.purpose for token in found.values() if token} == {Purpose.ADDRESS}, found


def test_a_player_s_own_addresses_and_links_stay(letters: Correspondence) -> None:
    welcome = letters.received[ALICE][1]

    assert re.search(r"^ *games\+[a-z2-7]{40}@pbem\.example\r?$", text(welcome), re.MULTILINE)
    for mail in (welcome, letters.last("alice")):
        assert re.search(r"mailto:games%2B[a-z2-7]{40}@", everything(mail))
        assert "(token)" not in everything(mail)


def test_a_token_of_an_earlier_epoch_or_another_key_goes_too(letters: Correspondence) -> None:
    """They are no longer valid, or valid elsewhere; a reader can't tell."""
    server = letters.server.settings.server
    foreign = [address_with(server, Keyring("a key"), Token(Purpose.PERSONAL, 1), 0)]
    foreign += [address_with(server, letters.server.services.keyring, Token(Purpose.PERSONAL, 1), 7)]
    mails = letters.reply(letters.last("alice"), "say look at this\n\n" + "\n".join(foreign))
    assert len(mails) == 2
    for mail in mails:
        assert text(mail).count("(token)@") == 2

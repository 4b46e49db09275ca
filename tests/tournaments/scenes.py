"""Tournaments by email: open, entered and played."""

from email.message import EmailMessage

from pbem.features.tournaments import host_syntax, openings
from pbem.storage import database
from tests.correspondence import Correspondence, said

THREE = ("alice", "bob", "carol")
FOUR = (*THREE, "dave")


def opened(letters: Correspondence, words: str, *names: str) -> None:
    """Let players join, and the operator open a tournament at the time of the tests."""
    for name in names:
        letters.join(name)
    with database.transaction(letters.server.engine) as session:
        openings.open_(session, host_syntax.read(words, "none", letters.clock()))


def begun(letters: Correspondence, words: str, *names: str) -> None:
    """Let these players enter tournament 1 as well."""
    letters.play(opened, words, *names)
    for name in names:
        letters.say(name, "enter 1")


def ladder(letters: Correspondence) -> None:
    """Let four players enter a ladder."""
    letters.play(begun, "ladder kvadratik time=3d/move reach=2 together=1 called Long Ladder", *FOUR)


def answer(letters: Correspondence, name: str, words: str) -> EmailMessage:
    """Let a player write. Return the answer."""
    return next(
        mail
        for mail in letters.say(name, words)
        if str(mail["To"]).startswith(name) and mail["Auto-Submitted"] == "auto-replied"
    )


def told(letters: Correspondence, name: str, words: str) -> str:
    """Let a player write. Return what the answer says, in one line."""
    return said(answer(letters, name, words))


def resign(letters: Correspondence, name: str, match: int) -> list[EmailMessage]:
    """Let a player resign a match. Return what the server sent then."""
    return letters.reply(answer(letters, name, f"#{match} resign"), "yes")


def running(letters: Correspondence) -> list[tuple[int, str]]:
    """Return the matches of tournament 1 that go on, and who moves first in them."""
    return letters.rows(
        "select match.id, player.name from match join player on player.id = challenger"
        " where ended is null and tournament = 1 order by match.id"
    )


def finish(letters: Correspondence) -> list[EmailMessage]:
    """Let those who move first resign in all matches that go on. Return what is sent at the end."""
    sent: list[EmailMessage] = []
    for match, name in running(letters):
        sent = resign(letters, name, match)
    return sent


def rungs(letters: Correspondence) -> list[str]:
    """Return who stands on the ladder, from the top."""
    return letters.rows("select name from entry join player on player.id = player where rung is not null order by rung")

"""The weekly bulletin: for those who want it, once a week, and with nothing that its readers couldn't look up."""

from datetime import timedelta
from email.message import EmailMessage

import pytest

from pbem.features.bulletin import bulletins
from pbem.features.bulletin import bulletins as scheduled
from pbem.storage import database
from pbem.storage.models import Bulletin
from tests import scenes
from tests.correspondence import Correspondence, text


def a_week(letters: Correspondence) -> None:
    """Let carol want the bulletin, in a week in which alice has won against bob, who seeks a match."""
    letters.match("challenge bob quadrature rated")
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(letters.last("bob"), "e9f8")
    letters.resign("bob")
    letters.say("bob", "seek kvadratik")
    letters.join("carol")
    letters.say("carol", "set bulletin on")


pytestmark = scenes.after(a_week)


def bulletins_in(mails: list[EmailMessage]) -> list[EmailMessage]:
    return [mail for mail in mails if mail["X-PBeM-Event"] == "bulletin"]


def test_several_daemons_and_crashes_send_it_once(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, server = letters.server.engine, letters.server.settings.server
    at = letters.clock() + timedelta(days=8)

    class Killed(BaseException):
        """What the test raises where the process would be killed."""

    def kill(_step: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pbem.failpoints.reach", kill)
        with pytest.raises(Killed):
            scheduled.send(engine, server, at)
    assert letters.rows("select count(*) from outgoing where template = 'bulletin'") == [0]
    with database.transaction(engine) as one:
        (number,) = bulletins.due(one, at, 9)
        row = database.lock_if_free(one, Bulletin, number)
        assert row is not None
        assert bulletins.next_for(one, row, at) is not None
        assert bulletins.next_for(one, row, at) is None
        one.rollback()

    assert scheduled.send(engine, server, at) == 1
    assert scheduled.send(engine, server, at) == 0
    assert letters.rows("select count(*) from outgoing where template = 'bulletin'") == [1]


def test_it_tells_of_what_ended_and_begins_and_ends_when_it_is_not_wanted(letters: Correspondence) -> None:
    assert bulletins_in(letters.run_for(days=6, hours=23)) == []
    (mail,) = bulletins_in(letters.run_for(hours=2))
    lines = text(mail).splitlines()
    assert "* #1  Quadrature  alice - bob  alice won, resignation" in lines
    assert any(line.startswith("* Kvadratik  bob") for line in lines)
    assert "The first in Quadrature:" in lines

    letters.say("carol", "set bulletin off")

    assert bulletins_in(letters.run_for(days=8)) == []
    assert letters.execute("select * from bulletin") == []


def test_who_has_stopped_their_news_gets_none_and_none_is_made_up_for(letters: Correspondence) -> None:
    letters.say("carol", "stop")
    assert bulletins_in(letters.run_for(days=8)) == []

    letters.say("carol", "start")

    assert bulletins_in(letters.run_for(days=1)) == []
    assert len(bulletins_in(letters.run_for(days=6))) == 1

"""`stop` and `start`: what proves it, and who else hears of it."""

import pytest

from pbem import tokens
from pbem.tokens import Purpose
from tests import scenes
from tests.correspondence import Correspondence, text, to

pytestmark = scenes.after(scenes.match)

ALICE = "alice@mail.example"


def stopped(letters: Correspondence) -> object:
    """Return since when alice gets no news, if so."""
    return letters.rows("select stopped from player where name = 'alice'")[0]


def test_its_token_is_revoked_with_all_others(letters: Correspondence) -> None:
    address = str(letters.last("alice")["List-Unsubscribe"]).removeprefix("<mailto:").partition("?")[0]
    token = tokens.parse(address.partition("+")[2].partition("@")[0])
    assert token is not None
    assert token.purpose is Purpose.NOTICES
    letters.execute("update player set epoch = epoch + 1 where name = 'alice'")

    (question,) = letters.write(ALICE, "", "stop", to=address)

    assert 'reply "yes" to this message' in text(question)
    assert stopped(letters) is None
    letters.reply(question, "yes")
    assert stopped(letters) is not None


def test_twice_is_as_good_as_once(letters: Correspondence) -> None:
    letters.say("alice", "unsubscribe")
    since = stopped(letters)
    letters.clock.advance(hours=1)
    letters.say("alice", "unsubscribe")
    assert stopped(letters) == since is not None
    for words in ("Welcome back!", "You're already getting news by email."):
        (answer,) = letters.say("alice", "start")
        assert words in text(answer)
        assert "#1  Quadraphages" in text(answer)


def test_who_challenges_is_told_news_again(letters: Correspondence) -> None:
    letters.say("alice", "stop")
    letters.say("alice", "challenge bob kvadratik")

    assert stopped(letters) is None


@pytest.mark.parametrize("words", ["games", "#1 say Hello", "#1 1 a7a7", "#1 resign"])
def test_what_does_not_play_on_is_answered_and_changes_nothing_about_it(letters: Correspondence, words: str) -> None:
    letters.say("alice", "stop")

    assert len(to(letters.say("alice", words), "alice")) == 1
    assert stopped(letters) is not None

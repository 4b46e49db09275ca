"""Repeated, crossing and late messages: unique keys ensure that each acts once; a reply explains the rest."""

from dataclasses import replace

import pytest

from pbem.messages.reply_links import address_with
from pbem.tokens import Purpose, Token
from tests.operating import matches
from tests.operating.people import words, written
from tests.reliability.conftest import Stage
from tests.reliability.scene import Letter, Lmtp, Scene, conserved, plies
from tests.servers import until

pytestmark = pytest.mark.parametrize("database", ["sqlite", "postgresql"])

OTHER = "1 a7a6 i3i2"
"""A first turn other than the sample's."""


def by_lmtp(stage: Stage, database: str) -> tuple[Scene, Lmtp]:
    scene = stage("lmtp", database)
    assert isinstance(scene.door, Lmtp)
    return scene, scene.door


def explained(scene: Scene, address: str, *said: str) -> None:
    """Assert that one of the messages to that address contains all of these words."""
    mails = [" ".join(words(mail).split()) for recipient, mail in scene.post.taken if recipient == address]
    assert [mail for mail in mails if all(word in mail for word in said)], mails


def test_the_same_mail_on_many_connections_at_once_is_one_mail(stage: Stage, database: str) -> None:
    scene, door = by_lmtp(stage, database)
    letters = scene.seed(8)
    daemon = scene.start().ready()
    for letter in letters:
        scene.write(*[letter] * 6)
        door.deliver_at_once(daemon)
        assert door.untold == 0, "every copy is accepted, so that nobody sends it again"
    scene.quiet()
    assert conserved(scene) == 0


def test_two_different_turns_at_once_are_one_turn_and_an_explanation(stage: Stage, database: str) -> None:
    scene, door = by_lmtp(stage, database)
    wanted = scene.seed(1)[0]
    other = replace(wanted, raw=written(wanted.sender, wanted.to, f"{OTHER}\n"), ply=(1, 1, OTHER))
    scene.write(wanted, other)
    door.deliver_at_once(scene.start().ready())
    scene.quiet()
    played = plies(scene)[1]
    assert played in ([wanted.ply[2]], [OTHER])
    late = wanted if played == [OTHER] else other
    scene.written[late.message_id] = replace(late, ply=None, told=(late.sender,))
    assert conserved(scene) == 0
    explained(scene, wanted.sender, "You replied to an older message, and the match has moved on.")


def test_replies_that_cross_are_one_turn_and_an_explanation(stage: Stage, database: str) -> None:
    """The opponent moves out of turn, at the same moment as the player whose turn it is."""
    scene, door = by_lmtp(stage, database)
    letter = scene.seed(1)[0]
    opponent = letter.told[1]
    early = replace(letter, sender=opponent, to=personal(scene, opponent), ply=None, told=(opponent,))
    early = replace(early, raw=written(opponent, early.to, f"move 1 {matches.sample().moves[0]}\n"))
    scene.write(letter, early)
    door.deliver_at_once(scene.start().ready())
    scene.quiet()
    assert conserved(scene) == 0


def personal(scene: Scene, address: str) -> str:
    """Return the personal address of the player with that address."""
    (player,) = scene.rows("select id from player where address = :address", address=address)
    with scene.server() as server:
        return address_with(server.settings.server, server.services.keyring, Token(Purpose.PERSONAL, player), 0)


def test_a_mail_that_was_long_on_its_way_changes_nothing(stage: Stage, database: str) -> None:
    """A turn is sent twice, and the opponent moves before the second message arrives."""
    scene, door = by_lmtp(stage, database)
    letter = scene.seed(1)[0]
    daemon = scene.start().ready()
    scene.write(letter)
    door.deliver(daemon)
    turn = until(lambda: [mail for to, mail in scene.post.taken if to == letter.told[1]], "the opponent is told")[0]
    reply = matches.sample().moves[1]
    to = turn["Reply-To"].addresses[0].addr_spec
    answer = Letter(letter.told[1], to, written(letter.told[1], to, f"{reply}\n"), (1, 2, reply), letter.told)
    scene.write(answer)
    door.deliver(daemon)
    scene.quiet()
    same = replace(letter, raw=written(letter.sender, letter.to, f"{letter.ply[2]}\n"), ply=None, told=letter.told[:1])
    other = replace(same, raw=written(letter.sender, letter.to, f"{OTHER}\n"))
    scene.write(same, other)
    door.deliver(daemon)
    scene.quiet()
    assert conserved(scene) == 0
    explained(scene, letter.sender, f"Your turn {letter.ply[2]} has already been played.")
    explained(scene, letter.sender, "You replied to an older message, and the match has moved on.")

"""Plain sentences in place of commands: what each means is understood, in several languages."""

import pytest

from pbem.conversation.syntax.intents import INTENTS, Intent, understood
from pbem.storage.models import Match

EXAMPLES = [(intent, example) for intent in INTENTS for example in intent.examples]


@pytest.mark.parametrize(("intent", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_every_example_is_understood(intent: Intent, example: str) -> None:
    match = Match(id=7, game="quadrupel", state=intent.match[0] if intent.match else "running")

    refused = understood(["Hi!", example] if intent.name != "thanks" else [example], match)

    assert refused is not None
    assert intent.means in refused.sentence
    assert refused.proposal or refused.fits

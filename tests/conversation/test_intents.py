"""Plain sentences in place of commands: what each means is understood, in several languages."""

from pbem.conversation.syntax.intents import INTENTS, understood
from pbem.storage.models import Match

EXAMPLES = [(intent, example) for intent in INTENTS for example in intent.examples]


def test_every_example_is_understood() -> None:
    for intent, example in EXAMPLES:
        match = Match(id=7, game="quadrupel", state=intent.match[0] if intent.match else "running")

        refused = understood(["Hi!", example] if intent.name != "thanks" else [example], match)

        assert refused is not None, example
        assert intent.means in refused.sentence, example
        assert refused.proposal or refused.fits, example

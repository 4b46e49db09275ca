"""The conformance kit: what holds for every game, as checks that the author of a game runs on theirs."""


class Nonconforming(Exception):
    """A game that breaks a promise. The text is a sentence that says which, and where."""


def require(holds: object, sentence: str) -> None:
    """Raise Nonconforming with that sentence unless the promise holds."""
    if not holds:
        raise Nonconforming(sentence)

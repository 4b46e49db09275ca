"""What is a yes and what a no, in any shape and language."""

from pbem.conversation.offer_answers import agrees, declines
from pbem.conversation.suggested_yes import NO, YES, consents, refuses


def test_yes_in_another_shape_or_language_is_yes() -> None:
    for word in sorted(YES):
        for line in (word, word.upper(), f"{word}!", f"*{word}*", f'"{word}".', f"{word}, bob"):
            assert consents(["", line, "and more"]), line
        assert not consents([f"{word} but I meant another one"])
        assert not refuses([word])


def test_no_is_no_whatever_follows() -> None:
    for word in sorted(NO):
        assert refuses([f"{word}, that was not me"])
        assert not consents([word])


def test_nothing_is_neither() -> None:
    assert not consents([])
    assert not consents(["", " "])
    assert not refuses(["---"])


def test_an_offer_is_answered_by_what_says_yes_or_no_and_nothing_else() -> None:
    yes = ("yes", "sure", "ok", "Yes, gladly!", "I accept!", "Of course, I'd love to!")
    no = ("no thanks", "No, thank you.", "Sorry, not interested.", "nope")
    neither = ("Yes?", "yes but who are you", "No idea what this is", "I'm interested", "thanks")
    assert [line for line in (*yes, *no, *neither, "Yes please, Good luck!") if agrees([line])] == list(yes)
    assert [line for line in (*yes, *no, *neither) if declines([line])] == list(no)

"""What is a yes and what a no, in any shape and language: one function, for every question, offer and suggestion."""

import pytest

from pbem.conversation.yes_or_no import Answer, answer, lines_below, says_only

YES = """
yes | Yes! | YES | *yes* | "yes". | Yes, please. | yes please, thank you | ok | Okay then | Sure, I'd love to.
I\u2019d love to! | Yes, gladly! | I accept! | I accept your challenge | Of course | that's right | go ahead | do it
It was me | Yes, that was me. | ja | Ja, bitte | gerne | Einverstanden. | Oui, merci | bien sûr | d'accord
Sí, por favor | de acuerdo | sim | tak, poproszę | da | да, пожалуйста | \u03bd\u03b1\u03b9 | כן | نعم
是的 | はい、お願いします | 네 | 👍
"""
NO = """
no | No! | nope | no thanks | No, thank you. | No, that was not me. | No. Please leave me alone.
Sorry, not interested. | I decline | not now | nein | Nein danke | kein Interesse | non merci | no gracias | não
nie, dziękuję | nej | нет, спасибо | όχι | לא | لا | 不 | いいえ | 아니요 | never mind | cancel | stop
"""
NEITHER = """
Hm? I never wanted to delete my account, please tell me more. | Jo Smith | Jo | J | Yes? | yes but who are you
Yes I saw it, but wait | No idea what this is | No problem | Right, I play on. | I'm interested | thanks | Hi
Hello, who are you? | Please don't write to me again. | Who are you and why do you write to me?
Your ticket 4711 has been created. | I am out of the office until Monday. | Si tacuisses | Da steht nichts
Tak for sidst, Bo | Hai Nguyen | Sim Lee | Ok, what is this about? | Sure you have the right person? | Yes/No
yes or no | Unsubscribe | SPAM | What? | wrong address | Do it yourself | Exactly what do you want? | 8 | +1
--- | yes I resign, no wait
"""


@pytest.mark.parametrize(("lines", "expected"), [(YES, Answer.YES), (NO, Answer.NO), (NEITHER, None)])
def test_a_line_that_says_nothing_else_is_an_answer(lines: str, expected: Answer | None) -> None:
    said = {line: answer([line]) for line in lines.strip().replace("\n", " | ").split(" | ")}

    assert said == dict.fromkeys(said, expected)


def test_only_the_first_line_answers_perhaps_below_a_greeting() -> None:
    assert answer(["", "yes", "", "Jo Smith"]) is Answer.YES
    assert answer(["Hello,", "", "yes please"]) is Answer.YES
    assert answer(["Hello,", "Hi,", "yes"]) is None
    assert answer(["I never wanted that.", "", "Yes"]) is None
    assert answer([]) is None
    assert answer(["", " "]) is None


def test_what_stands_below_the_answer_is_returned_apart() -> None:
    assert lines_below(["Hello,", "", "yes", "", "c1b1"]) == ["", "c1b1"]
    assert lines_below([]) == ()


def test_words_of_answers_are_nobody_s_name() -> None:
    assert all(map(says_only, ("yes", "Thanks", "unsubscribe", "spam", "nein")))
    assert not any(map(says_only, ("carol", "Jo Smith", "")))

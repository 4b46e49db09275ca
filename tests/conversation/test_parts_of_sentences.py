"""What is read in a sentence: names, languages, who begins, times and days, turns, and words for somebody else."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.conversation.syntax import names_in_sentences, sentence_entities, vocabulary
from pbem.conversation.syntax.commands_for_wishes import Place
from pbem.conversation.syntax.names_in_sentences import (
    addressed,
    likeliest_name,
    opponents,
    own_name,
    signed,
    told,
)
from pbem.conversation.syntax.sentence_entities import (
    absence,
    hour_in,
    level_beside,
    turn_in,
    without_rejected,
    zone_in,
)
from pbem.conversation.syntax.wishes_in_sentences import read, sentences_in
from pbem.features.accounts import name_rules

TODAY = date(2026, 11, 28)


def begin(text: str) -> str:
    return sentence_entities.named(text, TODAY).begin


def times(text: str) -> tuple[str, str]:
    found = sentence_entities.named(text, TODAY)
    return found.time, found.span


def days(text: str) -> list[str]:
    return [f"{day:%d.%m.%y}" for day in sentence_entities.days_in(text, TODAY)]


def others(text: str) -> list[str]:
    return list(opponents(text))


Cases = dict[str, Any]
READ: list[tuple[Callable[[str], Any], Cases]] = [
    (begin, {"I want to go first": "me", "Arthur may begin": "you", "inizio io": "me", "let us start a game": ""}),
    (begin, {"il primo tratto lo lascio a lui": "you", "wie begint bepaalt het lot": "random", "first time here": ""}),
    (begin, {"start me a match": "", "but you begin this time": "you", "can I start a new one with you": ""}),
    (times, {"with 3 days per move": ("3d", ""), "drei Tage pro Zug": ("3d", ""), "a fortnight a move": ("14d", "")}),
    (times, {"I'm away for two weeks": ("", "14d"), "Eile hab ich keine, eine Woche pro Zug": ("7d", "")}),
    (times, {"I have another week": ("", "7d"), "Bedenkzeit 3 Tage wäre gut": ("3d", "")}),
    (
        days,
        {
            "ab Montag, 7. Dezember": ["07.12.26"],
            "vom 5. bis 19. Dezember": ["05.12.26", "19.12.26"],
            "from 3 August till the 17th": ["03.08.27", "17.08.27"],
            "from Friday to the Friday after": ["04.12.26", "11.12.26"],
        },
    ),
    (
        zone_in,
        {
            "I live in New York now": "America/New_York",
            "my zone is Europe/Vienna": "Europe/Vienna",
            "sono a Roma": "Europe/Rome",
            "late here": "",
        },
    ),
    (hour_in, {"every day at 7": "7", "um 20 Uhr": "20", "in the evening": "18", "one of 12 mails": ""}),
    (turn_in, {"what if I play c1d1 g9g8 1 d1e1 g8g7?": "c1d1 g9g8 1 d1e1 g8g7", "and d2 to d3?": "d2d3"}),
    (
        without_rejected,
        {"I play e7e6 and not e6e7 as I said": "I play e7e6 and", "I don't play e7e6": "I don't play e7e6"},
    ),
    (names_in_sentences.is_name, {"tom": True, "kimś": False, "komputerem": False, "ordinateur": False, "l": False}),
    (name_rules.name_from_address, {"Carol.Smith@mail.example": "carolsmith", "42@mail.example": ""}),
    (names_in_sentences.as_name, {"Rocío": "rocio", "Людмила": "lyudmila"}),
    (own_name, {"Hi, my name is Carol.": "carol", "I'm Petra": "petra", "I'm new here": "", "Piet is de naam": "piet"}),
    (own_name, {"Put me down as Fritz, please": "fritz", "zapiszcie mnie jako Kuba": "kuba"}),
    (own_name, {"My name is Carol and I'd like to play": "carol"}),
    (others, {"I'd play with bob, or against my friend Ann": ["bob", "ann"], "gegen eucha Programm": []}),
    (vocabulary.plain, {"Où puis-je jouer ?": "ou puis-je jouer ?", "Łódź, ёлка": "lodz, елка"}),
    (
        vocabulary.words,
        {"kak nachat igrat?": ["как", "начат", "играт", "?"], "tak, jak grać?": ["tak", "jak", "grac", "?"]},
    ),
    (vocabulary.language_of, {"Ich möchte gegen dich spielen": "de", "Chcę grać, ale nie wiem jak": "pl", "no": "en"}),
]


@pytest.mark.parametrize(("reader", "cases"), READ)
def test_what_a_sentence_names_is_read(reader: Callable[[str], Any], cases: Cases) -> None:
    assert {text: reader(text) for text in cases} == cases


def test_a_message_is_read_in_sentences() -> None:
    found = sentences_in(["Hello!", "I would like to play the game of", "quadrupel. Is it free?"])
    assert found == ["Hello!", "I would like to play the game of quadrupel.", "Is it free?"]


def test_a_leap_day_that_is_past_names_no_day() -> None:
    assert list(sentence_entities.days_in("I'm away until 29 February", date(2028, 3, 1))) == []
    assert list(sentence_entities.days_in("I'm away until 29 February", date(2028, 2, 1))) == [date(2028, 2, 29)]


def test_an_absence_lasts_from_its_first_day() -> None:
    found = absence("I'm off on Friday for 7 days", [date(2026, 12, 4)], 7, TODAY)
    assert found == (date(2026, 12, 4), date(2026, 12, 11))


@pytest.mark.parametrize(
    ("text", "level", "found"), [("aber schwerer", 2, "3"), ("più facile", 0, "0"), ("again", 3, "")]
)
def test_a_level_beside_another(text: str, level: int, found: str) -> None:
    assert level_beside(text, level) == found


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["Can we play?", "Harold Whitcombe"], "harold"),
        (["Can we play?", "Harold Whitcombe", "Leeds"], "harold"),
        (["See you, Ben"], "ben"),
        (["I play Quadrature"], ""),
        (["Bonjour,", "Je joue quand ?"], ""),
        (["Count me in", "Bex x"], "bex"),
        (["Yes please!", "Groetjes Fenna", "ps what is a kvadratik?"], "fenna"),
        (["Nehme ich an.", "Schöne Grüße aus Passau", "Hannelore"], "hannelore"),
        (["D'accord", "Bien à vous,", "Odette Faucher (78 ans)"], "odette"),
        (["No thanks.", "Rob Hallam", "Senior Estimator | Hallam & Pike Ltd"], "rob"),
        (["It was fun.", "Thanks a lot", "Tunde"], "tunde"),
        (["Is this free?", "nonno Attilio"], "attilio"),
    ],
)
def test_a_message_ends_with_the_name_of_its_author(lines: list[str], name: str) -> None:
    assert signed(lines)[1] == name


def test_what_stands_below_a_message_is_none_of_it() -> None:
    lines = ["Count me in.", "Kind regards", "Ann", "Bakery Ltd, 1 High Street", "ps is it free?"]
    assert signed(lines)[0] == ["Count me in.", "ps is it free?"]


@pytest.mark.parametrize(
    ("said", "name"),
    [("its Zorlak btw", "zorlak"), ("Jowan doet mee", "jowan"), ("Kaźmirz z tej strony", "kazmirz"), ("not me", "")],
)
def test_a_name_is_known_where_nothing_announces_it(said: str, name: str) -> None:
    assert likeliest_name(said) == name


@pytest.mark.parametrize(
    ("said", "name", "words"),
    [
        ("please tell Bob I'll be late", "bob", "I'll be late"),
        ("Kannst du Bob ausrichten, dass ich komme?", "bob", "dass ich komme?"),
        ("bob: take your time", "bob", "take your time"),
        ("I'll tell Bob yes or no", "bob", ""),
        ("Yes, but don't tell Bob that I'm a beginner", "bob", ""),
        ("Should I tell Bob that I resign?", "bob", ""),
        ("Powiedz Bobowi, że dam radę", "bob", "dam radę"),
        ("Y dile que me he roto el brazo", "bob", "me he roto el brazo"),
    ],
)
def test_words_to_pass_on(said: str, name: str, words: str) -> None:
    assert told(said, name) == words


@pytest.mark.parametrize(
    "said",
    [
        "Grace, has your son passed?",
        "Fine, that was a good one, Grace!",
        "Grace love, it is late",
        "Danke Grace aber heute nicht",
        "Nee hoor Grace, ik stop er nu mee",
        "You have got me, Grace, well played",
    ],
)
def test_a_sentence_speaks_to_somebody_by_their_name(said: str) -> None:
    assert addressed(said, "grace")
    assert not addressed("I'd love to play Grace.", "grace")
    assert not addressed("Yes to Grace, though I don't know the rules.", "grace")


@given(st.text(max_size=60) | st.sampled_from(["!!!", "\U0001f44d", "12.", ", ,", "if", "@", "Tell bob", "5. 6."]))
def test_nothing_is_too_odd_to_be_read(sentence: str) -> None:
    for place in (Place(today=TODAY), Place(today=TODAY, player="alice", match=1, state="running", rival="bob")):
        assert read([sentence], place).lines != (sentence,)

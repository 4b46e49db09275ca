"""The one file of phrases: what each wish says of itself, and that its own wordings are understood."""

import lzma
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import learn_wishes
from pbem.conversation.syntax import vocabulary, wish_classifier
from pbem.conversation.syntax.commands_for_wishes import Place
from pbem.conversation.syntax.names_in_sentences import is_name
from pbem.conversation.syntax.wishes_in_sentences import read
from pbem.features.all import FEATURES

ROOT = Path(__file__).parents[2]
LEAST = 0.85
"""The share of the wordings that their own wish must be recognised in, as far as sentences tell it."""
STRANGER = Place(today=date(2026, 11, 28), admin=True)


def in_match(state: str, *, level: int | None = None) -> Place:
    is_player = {"bob", "carol"}.__contains__
    return Place(
        today=date(2026, 11, 28),
        player="alice",
        match=1,
        state=state,
        game="quadrupel",
        level=level,
        rival="bob",
        is_player=is_player,
    )


@pytest.mark.slow
def test_the_weights_are_learned_from_the_phrases() -> None:
    learned = learn_wishes.learn(list(learn_wishes.examples(list(learn_wishes.messages()))))
    assert learned == lzma.decompress(wish_classifier.FILE.read_bytes()), "make wishes"


@pytest.mark.slow
def test_each_wording_is_recognised() -> None:
    found = list(learn_wishes.wordings())
    known = sum(_best(name, wording) == name for name, wording in found)
    assert known >= LEAST * len(found), known / len(found)


def _best(name: str, wording: str) -> str:
    wish = vocabulary.wishes()[name]
    places = [STRANGER, *(in_match(state) for state in wish.match)] if not wish.who or wish.who == "stranger" else []
    place = in_match(wish.match[0]) if wish.match else places[0] if places else in_match("running")
    wishes = [each for each in vocabulary.wishes().values() if place.can_want(each)]
    possible = {like for each in wishes for like in (each.like or each.name).split()}
    return next((found for found, _ in wish_classifier.recognised(wording) if found in possible), "nothing")


def test_a_guess_has_its_reasons() -> None:
    speaking = [feature for feature, weight in wish_classifier.reasons("Do I give up?", "resign")[:2] if weight > 0]
    assert speaking == ["i give", "give up"]


def test_lines_of_wishes_begin_with_commands() -> None:
    for wish in vocabulary.wishes().values():
        for line in filter(None, (wish.line, wish.look)):
            verb = line.split()[1] if line.startswith("#") else line.split()[0]
            assert verb in FEATURES.commands or verb in ("{hint}", "{analyse}", "{again}", "{counter}", "{operator}"), (
                wish.name
            )


@pytest.mark.parametrize(
    "word",
    [
        "l",
        "kimś",
        "komputerem",
        "my",
        "brother",
        "together",
        "someone",
        "ordinateur",
        "amico",
        "кем-нибудь",
        "vriend",
        "mich",
    ],
)
def test_no_word_of_a_sentence_is_a_name(word: str) -> None:
    assert not is_name(word)


def test_each_language_says_the_same_parts() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "templates" / "languages").glob("*.jinja")}
    assert pages.keys() == vocabulary.table("languages").keys()
    parts = re.compile(r'set \w+ =|"(?:join|yes|play|challenge|rules|help)\b[ \w]*"|\bNAME\b')
    said = {language: sorted(parts.findall(page)) for language, page in pages.items()}
    assert [language for language, found in said.items() if found != said["en"]] == []


ASKS = [
    (
        "I would like to play Quadrupel, variant maximum points, 3 days per move, with j.smith@x.example. I go second",
        ("challenge j.smith@x.example quadrupel variant=maximum-points time=3d/move begin=you",),
        "invite j.smith@x.example to Quadrupel (maximum points), 3 days a move, and they begin",
    ),
    ("challenge my brother tom@x.example to a game of quadrupel", ("challenge tom@x.example quadrupel",), None),
    ("Хочу сыграть в квадратик против компьютера", ("play kvadratik",), "play Kvadratik against the house"),
    ("Je veux jouer contre l'ordinateur, niveau facile", ("play quadrupel level=1",), None),
    ("Chcę zagrać z kimś w kwadratik", ("seek kvadratik",), None),
    (
        "Exmos. Senhores,\nDesejaria uma partida contra a casa, no nível 3.\nCom os melhores cumprimentos,\nRui Melo",
        ("join rui", "play quadrupel level=3"),
        None,
    ),
    (
        "Madame, Monsieur,\nJe souhaite un adversaire pour Quadrupel.\nAppelez-moi Anselme.\nSalutations,\nA. Kerv",
        ("join anselme", "seek quadrupel"),
        None,
    ),
    (
        "Quadrature with anybody who takes days over a move please, five days a move.",
        ("seek quadrature time=5d/move",),
        None,
    ),
    (
        "Je voudrais faire une partie de Quadraphages avec lui.\nSon adresse est theo@lycee.example",
        ("challenge theo@lycee.example quadraphages",),
        None,
    ),
    ("Quadrature contra la máquina al máximo nivel, sin contemplaciones", ("play quadrature level=6",), None),
    ("Quadrupel against the computer? I like all except Hexaphages.", ("play quadrupel",), None),
    ("I'd like to play the computer at anything except hexaphages and kvadratik.", ("play quadrupel",), None),
    ("Quadrupel against anybody please. I look at my mail 3 days every week.", ("seek quadrupel",), None),
    ("I've known this for 4 days and want to play hexaphages against anybody", ("seek hexaphages",), None),
    (
        "Invite tom@x.example to Hexaphages please, say four days each",
        ("challenge tom@x.example hexaphages time=4d/move",),
        None,
    ),
    (
        "nennt mich einfach lumpi. Quadrature gegen den computer, stufe 2",
        ("join lumpi", "play quadrature level=2"),
        None,
    ),
    ("Me llamo Paco, soy de Murcia. Kvadratik contra la máquina!", ("join paco", "play kvadratik"), None),
    ("My name is Walter and I was a radio amateur. Is there a fee?", (), "know what it costs"),
    ("Metta zia_pina come nome per favore.", ("join zia_pina",), None),
    (
        "Invite marisol@x.example to Hexaphages please, four days to think about each move.",
        ("challenge marisol@x.example hexaphages time=4d/move",),
        None,
    ),
    ("Mitspielen\nIch würde gern Kvadratik gegen den Rechner spielen, Stufe 2", ("play kvadratik level=2",), None),
    ("Hi, I'm Petra. I'd like to play kvadratik. Is it free?", ("join petra", "play kvadratik"), None),
    ("quadrature against the computer please, im Kev", ("join kev", "play quadrature"), None),
    ("Ik ben Sem, mag ik kvadratik tegen de computer spelen?", ("join sem", "play kvadratik"), None),
    (
        "I'd like to play quadrupel against the house under a nickname, the in-laws may see it",
        ("play quadrupel",),
        None,
    ),
    ("Najdite mne sopernika dlja partii v Kvadratik, ljubogo. Spasibo, Gena", ("join gena", "seek kvadratik"), None),
    ("Ich bin Rentner und suche jemanden für eine Partie Quadrature", ("seek quadrature",), None),
    ("Vorrei provare Quadrature contro il computer, il primo tratto a lui", ("play quadrature begin=you",), None),
    ("Is it free?", (), "know what it costs"),
    ("Is it free? And please stop writing to me.", (), "know what it costs"),
    ("Graag kvadratik tegen de computer. Hij mag beginnen", ("play kvadratik begin=you",), None),
    ("Thank you for this lovely server!", (), ""),
    ("Join our webinar tomorrow at noon!", (), ""),
    ("Wir spielen am Freitag eine neue Partie Quadrupel gegen Otto im Verein.", (), ""),
    ("Greetings, Bob", (), ""),
    ("forget me quite and lay my head to rest", (), None),
    ("Which of your games is the easiest?\n\nAnselm", (), "know what to play"),
    ("Is this a scam?", (), "know whether this is genuine"),
    ("Who runs this server?", (), "know who runs this"),
    ("Quadrupel against the computer at its easiest level, I'm only starting out", ("play quadrupel level=0",), None),
]


@pytest.mark.parametrize(("text", "lines", "sentence"), ASKS)
def test_a_stranger_s_sentences_come_to_these_lines(text: str, lines: tuple[str, ...], sentence: str | None) -> None:
    found = read(text.split("\n"), STRANGER)

    assert found.lines == lines
    assert sentence is None or found.sentence == sentence


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("I give up", ("#1 resign",)),
        ("I give up trying to install this on Windows.", ()),
        ("I don't give up!", ()),
        ("Basta, mi arrendo, non c'è più niente da fare.", ("#1 resign",)),
        ("Poddaję się, nie ma co tego ciągnąć.", ("#1 resign",)),
        ("How do I resign?", ()),
        ("I'm toast, that's it for me.", ("#1 resign",)),
        ("I don't see a way out any more, so I resign.", ("#1 resign",)),
        ("If I were you I would resign", ()),
        ("one mail a day is enough please, stop sending each turn", ("set mail daily",)),
        ("Ich bin vom 3. Januar bis 10. Januar im Urlaub", ("vacation 2027-01-03 2027-01-10",)),
        ("I'm off on Friday for two weeks, no internet there", ("vacation 2026-12-04 2026-12-18",)),
        ("Wir sind bis Freitag im Urlaub", ("vacation 2026-11-28 2026-12-04",)),
        ("I leave on Friday for my holiday", ()),
        ("Wij gaan van 12 t/m 26 juli met de boot weg", ("vacation 2027-07-12 2027-07-26",)),
        ("Desde el lunes 14 hasta el domingo 20 de diciembre no voy a estar", ("vacation 2026-12-14 2026-12-20",)),
        ("Please tell Bob I'll be late today. Thanks", ("#1 say I'll be late today.",)),
        ("I'm away from 3 August till the 17th", ("vacation 2027-08-03 2027-08-17",)),
        ("Hmm, interesting", ()),
        ("what moves can I make?", ()),
        ("Remis?", ("#1 draw",)),
        ("I'm on holiday from 2026-12-20 until 2027-01-05", ("vacation 2026-12-20 2027-01-05",)),
        ("Good game, well played!", ("#1 say Good game, well played!",)),
        ("please delete everything?", ()),
        ("Desisto. Parabéns ao Bob.", ("#1 say Parabéns ao Bob.", "#1 resign")),
        ("mozhno vernut moi poslednii hod?", ("#1 undo",)),
        ("If she goes c2c1 then my answer is d1d2, straight away please", ("#1 if c2c1 then d1d2",)),
        ("I answer d1d2 if she goes c2c1", ("#1 if c2c1 then d1d2",)),
        ("For my turn, c2 goes to f2.", ()),
        ("Yo movería a3 a c3, y si eso no vale pues entonces a3 a b3.", ()),
        ("I play a1a2. And I offer a draw.", ()),
        ("Bob, did your son pass his driving test?", ("#1 say Bob, did your son pass his driving test?",)),
    ],
)
def test_a_player_s_sentences_come_to_these_lines(text: str, lines: tuple[str, ...]) -> None:
    assert read([text], in_match("running")).lines == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Count me in! Please tell Bob that I need a pencil first.", ("#1 accept", '"I need a pencil first."')),
        ("I'd love to, but only if I begin.", ("#1 decline", "challenge bob quadrupel begin=me")),
        ("If I say yes, who gets to see my address?", ()),
        ("Sounds good, but could we take five days a move?", ("#1 decline", "challenge bob quadrupel time=5d/move")),
        ("Let's play Kvadratik instead, but you begin.", ("#1 decline", "challenge bob kvadratik begin=you")),
        ("I'm in! What are the rules?", ("#1 accept", "rules quadrupel")),
        ("Let me read up first, then I'll tell you yes or no.", ()),
        (
            "Leuk! Maar Quadrupel ken ik niet zo goed, zullen we Hexaphages doen? Verder alles prima.",
            ("#1 decline", "challenge bob hexaphages"),
        ),
        ('Accepted, 2 days is fine. Put me down as "grue".', ("#1 accept",)),
        ("Sounds good! But my wife forbids it, so I'll have to pass.", ("#1 decline",)),
        ("No problem at all, I'm in! No hurry.", ("#1 accept",)),
        ("I don't know this game at all. First I'd like to read how it is played.", ()),
        (
            "I'm in! I never played Quadrupel before, only Kvadratik. What are the rules?",
            ("#1 accept", "rules quadrupel"),
        ),
        ("Only I'd need a week on the move. Otherwise I'm in!", ("#1 decline", "challenge bob quadrupel time=7d/move")),
        (
            "Count me in! Tell Bob I'm glad. Where can I read the rules?",
            ("#1 accept", "rules quadrupel", '"I\'m glad."'),
        ),
    ],
)
def test_an_answer_to_an_invitation_comes_to_these_lines(text: str, lines: tuple[str, ...]) -> None:
    assert read(text.split("\n"), in_match("offered")).lines == lines


@pytest.mark.parametrize(
    "text",
    [
        "Two days a move is too tight for me, a week would do nicely.",
        "Zwei Tage pro Zug sind mir zu knapp, eine Woche pro Zug und ich bin dabei.",
    ],
)
def test_other_terms_are_other_than_the_offered_ones(text: str) -> None:
    found = read([text], replace(in_match("offered"), time="2d"))
    assert found.lines == ("#1 decline", "challenge bob quadrupel time=7d/move")


def test_who_accepts_with_another_time_offers_that_instead() -> None:
    said, place = ["Dale, acepto!", "5 dias por jugada"], in_match("offered")
    assert read(said, replace(place, time="3d")).lines == ("#1 decline", "challenge bob quadrupel time=5d/move")
    assert read(said, replace(place, time="5d")).lines == ("#1 accept",)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Ich bin blind und nutze einen Screenreader, geht das Brett auch in Worten?", ("set board words",)),
        ("plain text only please, no html", ("set html off",)),
        ("One mail a day please. And turn the reminders off.", ("set mail daily", "set remind off")),
        ("Don't remind me 2 days before my time is up any more.", ()),
        ("Remind me 2 days before my time is up, please", ("set remind 2d",)),
        ("I live in Rome now, set the clock to that please", ("set zone Europe/Rome",)),
    ],
)
def test_what_is_to_be_set_is_set_by_a_yes(text: str, lines: tuple[str, ...]) -> None:
    assert read([text], replace(in_match("over"), match=0, state="")).lines == lines


@pytest.mark.parametrize(
    "text",
    [
        "Sieht mein Gegner eigentlich meine Mailadresse, wenn ich bei euch mitmache?\nLG Svenja",
        "Envoyez-moi les règles de Hexaphages. Je ne souhaite pas m'inscrire pour l'instant.\nA. Desforges",
        "Is it true a grandmaster plays here under the name Vesper?",
        "Bevor ich mich anmelde, wüsste ich gern, was ihr von mir speichert.",
    ],
)
def test_who_only_asks_is_not_made_a_player(text: str) -> None:
    assert not any(line.startswith("join") for line in read(text.split("\n"), STRANGER).lines)


def test_a_name_in_quotation_marks_counts_in_small_letters() -> None:
    guest = replace(in_match("offered"), player="")
    assert read(['Accepted, 2 days is fine. Put me down as "grue".'], guest).lines == ("#1 accept grue",)


def test_a_turn_and_a_condition_below_it_are_both_named() -> None:
    found = read(["My move is d2d1. If he plays c2c1 then d1d2."], in_match("running"))
    assert any("d2 d1" in answer for answer in found.answers)
    assert any('"#1 if c2c1 then d1d2"' in answer for answer in found.answers)


@pytest.mark.parametrize("said", ["I'm away for 9999 days", "I'm away until 9999-12-31", "5000 weeks per move, please"])
def test_a_time_beyond_all_time_is_none(said: str) -> None:
    assert read([said], in_match("running")).lines == ()
    assert not any(line.startswith("vacation") for line in read([said], STRANGER).lines)


def test_quoted_commands_of_a_subject_want_nothing() -> None:
    place = replace(STRANGER, subject='Your message "I want to play quadrupel against the computer" was received')
    assert read(["We will answer soon."], place).lines == ()


def test_a_name_with_much_below_it_signs_nothing() -> None:
    below = "I have been looking for something to do in the evenings since my husband died, and my neighbour says that"
    said = [
        "Good evening!",
        "Margaret Ellwood",
        below,
        "you play by mail. I'd like to play Quadrature against anybody.",
    ]
    assert "seek quadrature" in read(said, STRANGER).lines


def test_what_the_operator_gets_has_no_command_below_it() -> None:
    place = replace(STRANGER, written=("Are there tournaments?", "I'd like to talk to a person."))
    found = read(place.written, place)
    assert found.lines == ("human", *(f'"{line}"' for line in place.written))
    assert any("tournaments" in answer for answer in found.answers)


def test_a_subject_begins_no_match_where_the_letter_wants_something() -> None:
    named = replace(STRANGER, subject="Kvadratik")
    assert read(["Auriez-vous les règles ?"], named).looks == ("rules kvadratik",)
    assert read(["Auriez-vous les règles ?"], named).lines == ()
    assert read(["Contre l'ordinateur, niveau 2"], named).lines == ("play kvadratik level=2",)
    said = "I want to play quadrupel against the computer"
    assert read([said, "How do I win?"], replace(STRANGER, subject=said)).lines[0] == "play quadrupel"


def test_a_brother_s_address_is_invited_and_is_no_new_one() -> None:
    said = ["My brother has no account yet, his address is tom@x.example. Could you invite him to Quadraphages?"]
    assert read(said, replace(in_match("over"), match=0, state="")).lines == ("challenge tom@x.example quadraphages",)


def test_another_match_and_other_terms_keep_the_time_of_a_turn() -> None:
    over = replace(in_match("over"), time="3d")
    assert read(["Revenge! But Kvadratik this time."], over).lines == ("challenge bob kvadratik time=3d/move",)
    offered = replace(in_match("offered"), time="3d")
    found = read(["Let's play Kvadratik instead, but you begin."], offered)
    assert found.lines == ("#1 decline", "challenge bob kvadratik begin=you time=3d/move")


def test_a_name_in_quotation_marks_is_one() -> None:
    assert read(['Gostaria de me inscrever com o nome "Açoriana".'], STRANGER).lines == ("join acoriana",)


def test_an_answer_ends_mail_and_speaks_to_the_inviter() -> None:
    said = [
        "No thanks, not for me. And please take me off your list. Bob, how is your knee?",
        "Best wishes",
        "Rob Hallam",
    ]
    found = read(said, in_match("offered"))
    assert found.lines[:2] == ("#1 decline", "stop")
    assert "how is your knee?" in found.lines[2]
    assert "Rob Hallam" not in found.lines[2]


def test_words_for_the_inviter_alone_are_told_how_to_go_along() -> None:
    found = read(["Wie geht's denn deiner Mutter, Bob?"], in_match("offered"))
    assert not found.lines
    assert any('go along with "accept"' in answer for answer in found.answers)


def test_a_game_that_we_lack_begins_no_other() -> None:
    found = read(["I'd love to play chess against somebody"], STRANGER)
    assert not found.lines
    assert any("We don't have that game." in answer for answer in found.answers)


def test_an_address_in_a_sentence_of_its_own_is_invited() -> None:
    found = read(["I'd like a match of Kvadratik with somebody.", "tom@x.example", "Tosh"], STRANGER)
    assert found.lines == ("join tosh", "challenge tom@x.example kvadratik")


def test_another_match_can_be_of_another_game() -> None:
    assert read(["Revenge! But Kvadratik this time."], in_match("over")).lines == ("challenge bob kvadratik",)


@given(st.text(max_size=200), st.sampled_from(["", "stranger", "invited", "running"]))
def test_chances_are_shares_of_the_likeliest(text: str, scene: str) -> None:
    found = wish_classifier.recognised(text, scene)
    assert not found or found[0][1] == 1
    assert all(0 <= chance <= 1 for _, chance in found)


def test_words_that_nobody_uses_make_a_wish_less_likely() -> None:
    plain, odd = (_share("resign", text) for text in ("I give up", "I frobnicate give up the quux blorf zork"))
    assert plain > odd


def _share(wish: str, text: str) -> float:
    found = dict(wish_classifier.recognised(text))
    return found[wish] / sum(found.values())


def test_another_match_with_the_house_is_as_hard_as_it_is_wished() -> None:
    assert read(["Noch mal, aber ne Stufe schwerer!"], in_match("over", level=2)).lines == ("play quadrupel level=3",)
    found = read(
        ["I give up. Level 4 is too clever. Can I start a new one with something easier, 1 maybe?"],
        in_match("running", level=4),
    )
    assert found.lines == ("#1 resign", "play quadrupel level=1")
    lost = ["I lost 4 times in a row. I give up. Can we start over with an easier one, like 1?"]
    assert read(lost, in_match("running", level=3)).lines == ("#1 resign", "play quadrupel level=1")
    found = read(["I give up. Rematch please, and you begin."], in_match("running", level=4))
    assert found.lines == ("#1 resign", "play quadrupel level=4 begin=you")


def test_what_is_likely_is_answered_where_nothing_is_clear() -> None:
    found = read(["Comment progresser sans se ridiculiser, et puis-je m'exercer contre un robot clément ?"], STRANGER)
    assert not found.wishes
    assert any(said.startswith("If you want to play Quadrupel against the house") for said in found.supposed)
    assert not found.lines


def test_what_is_named_and_not_used_is_said() -> None:
    found = read(["I'd like to play kvadratik or quadrature against the computer, and it is rated"], STRANGER)
    assert found.lines == ("play kvadratik",)
    assert found.unread == ("Quadrature", "rated")

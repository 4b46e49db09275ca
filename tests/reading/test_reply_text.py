"""What a person wrote, without quotes, attributions, quoted headers, signatures and disclaimers."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notation.games import GAMES
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from pbem.mail.reading.text import html_text, reply_text
from tests.cases import quick_where
from tests.corpora import CORPORA, bare, labelled

PHRASES = Path(__file__).parent.parent / "phrases"
STORIES = Path(__file__).parent.parent / "stories"
MOVE = "b1e1 h9e9 3"
ATTRIBUTIONS = PHRASES.joinpath("attributions.txt").read_text(encoding="utf-8").splitlines()
TAGLINES = PHRASES.joinpath("taglines.txt").read_text(encoding="utf-8").splitlines()
PROSE = PHRASES.joinpath("prose.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n%\n")


def words(text: str, *, is_html: bool = False, author: str | None = None) -> tuple[str, ...]:
    return bare(reply_text.read(text, is_html, author).lines)


def wrapped(line: str, width: int) -> str:
    broken, room = "", 0
    for word in line.split(" "):
        broken += ("\n" if room + len(word) > width else " ") + word if broken else word
        room = len(word) if room + len(word) > width else room + len(word) + 1
    return broken


# What must stay


def test_what_only_looks_like_a_quote_or_a_signature_stays() -> None:
    for text in PROSE:
        assert words(text) == bare(text.split("\n"))


@given(st.lists(st.text("abcdefghij 0123456789,!?()\u00e4\U0001f642", max_size=70), max_size=30))
def test_text_without_marks_is_returned_whole(lines: list[str]) -> None:
    assert words("\n".join(lines)) == bare(lines)


def test_prose_stays_as_it_was_written() -> None:
    line = "Schön \u2013 „na ja“, it\u2019s 👍🏽… façade; 日本語、だよ。 ½ ﬁ"

    assert reply_text.read(f"{MOVE}\n\n{line}\n", is_html=False).lines == (MOVE, "", line)


# Attributions


@pytest.mark.parametrize("width", [40, 60, 500])
def test_attributions_in_many_languages_are_removed(width: int) -> None:
    for attribution in ATTRIBUTIONS:
        above = wrapped(attribution, width)

        assert words(f"{MOVE}\n\nThanks!\n\n{above}\n> alice played\n> resign\n") == (MOVE, "Thanks!")
        assert words(f"{MOVE}\n\nThanks!\n{above}\n\n> alice played\n> resign\n") == (MOVE, "Thanks!")


OUR_ADDRESS = "games+caqaaacaaaaaaioz5qrumsbm6g2ygyuuncvkuy2a@pbem.example"
ABOVE_OUR_MAIL = [
    f"On Mon, 2 Mar 2026 at 09:59, PBeM <{OUR_ADDRESS}> wrote:",
    f"Am Mo., 2. März 2026 um 09:59 Uhr schrieb PBeM <{OUR_ADDRESS}>:",
    f"Le lun. 2 mars 2026 à 09:59, PBeM <{OUR_ADDRESS}> a écrit :",
    f"PBeM <{OUR_ADDRESS}> wrote:",
    f"{OUR_ADDRESS} wrote:",
    f"11:00 AM, March 2, 2026, PBeM <{OUR_ADDRESS}>:",
    f'02.03.2026, 11:00, "PBeM" <{OUR_ADDRESS}>:',
    f"02.03.2026 в 09:59, PBeM <{OUR_ADDRESS}> написал:",
    f"Понедельник, 2 марта 2026, 9:59 +03:00 от PBeM <{OUR_ADDRESS}>:",
    f"Mar 2, 2026, 09:59 by {OUR_ADDRESS}:",
    f"PBeM <{OUR_ADDRESS}> 於 2026年3月2日 週一 上午9:59寫道:",
    f"On Mon, Mar 02, 2026 at 9:59 AM, PBeM < {OUR_ADDRESS} > wrote:",
]


@pytest.mark.parametrize("attribution", quick_where(lambda each: each in ABOVE_OUR_MAIL[::3], ABOVE_OUR_MAIL))
@pytest.mark.parametrize(
    "quote", ["> alice played\n> resign\n", "alice played\n\nresign\n"], ids=["marked", "unmarked"]
)
def test_an_attribution_with_a_reply_token_is_removed_wherever_it_is_wrapped(attribution: str, quote: str) -> None:
    begins = attribution.index(OUR_ADDRESS)
    breaks = [
        at for at in range(begins, len(attribution)) if attribution[at] in " <>" or at < begins + len(OUR_ADDRESS)
    ]
    for at in breaks:
        found = words(f"{MOVE}\n\n{attribution[:at]}\n{attribution[at:].lstrip()}\n{quote}")
        assert found[0] == MOVE
        assert not any("caqaaac" in line or "@" in line or "resign" in line for line in found), (at, found)


@pytest.mark.parametrize(
    "header",
    [
        "-------- Original message --------From: PBeM <{}> Date: 02/03/2026  09:59 To: b@c.example Subject: Hi",
        "-------- Ursprüngliche Nachricht --------Von: PBeM <{}> Datum: 02.03.26  09:59 An: b@c.example Betreff: Hi",
        "-------- Message d'origine --------De : PBeM <{}> Date : 02/03/2026  09:59 À : b@c.example Objet : Hi",
        "-------- Исходное сообщение --------От: PBeM <{}> Дата: 02.03.2026  09:59 Кому: b@c.example Тема: Hi",
        "-------- 원본 이메일 --------발신: PBeM <{}> 날짜: 26/3/2  09:59  (GMT+09:00) 받은 사람: b@c.example 제목: Hi",
        "________________________________ From: PBeM <{}> Sent: Monday To: b@c.example Subject: Hi",
    ],
)
def test_a_header_in_one_line_begins_a_quote_that_goes_to_the_end(header: str) -> None:
    told = header.format(OUR_ADDRESS)

    assert words(f"{MOVE}\n\nThanks!\n\n{told} alice played\n\nresign\n") == (MOVE, "Thanks!")
    assert words(f"{MOVE}\n\nThanks! {told}\nalice played\n\nresign\n") == (MOVE, "Thanks!")


OPEN = [
    "blumfeldt schrieb am Do., 5. Jan. 2026",
    "blumfeldt schrieb am Do. 05.01.26 10:00",
    "PBeM (games@pbem.example) schreef op ma 2 mrt. 2026 om 09:59",
    "On Dec 9, PBeM wrote:",
]
"""What a person might write as well: these are attributions only above marked lines."""


@pytest.mark.parametrize("attribution", OPEN)
def test_what_may_be_a_sentence_is_an_attribution_only_above_a_marked_quote(attribution: str) -> None:
    assert words(f"{MOVE}\n\nThanks!\n\n{attribution}\n> resign\n") == (MOVE, "Thanks!")
    assert words(f"{MOVE}\n\nThanks!\n\n{attribution}\n\nWhat a year.\n") == (
        *(MOVE, "Thanks!", attribution),
        "What a year.",
    )


def test_unmarked_quotes_are_removed_with_their_attribution() -> None:
    for attribution in ATTRIBUTIONS:
        assert words(f"{MOVE}\n\nThanks!\n\n{attribution}\n\nalice played\n\nresign\n") == (MOVE, "Thanks!")


def test_an_attribution_that_a_phone_appends_to_the_turn_is_removed() -> None:
    for attribution in ATTRIBUTIONS:
        if attribution.startswith(("On ", "Am ", "El ", "Le ")):
            assert words(f"{MOVE} {attribution}\n\n> alice played\n> resign\n") == (MOVE,)


@pytest.mark.parametrize(
    "joined",
    [
        "-----Original Message----- From: PBeM <g@p.example>",
        "From: PBeM <g@p.example> Sent: Monday To: bob Subject: Hello",
        "Von: PBeM <g@p.example> Gesendet: Montag An: bob Betreff: Hello",
        "PBeM <g@p.example> schrieb am Mo., 5. Jan. 2026, 09:59:",
        "2026年3月2日(月) 9:59 PBeM <g@p.example>:",
        "On Mon, Jan 5, 2026 at 9:59 AM PBeM <g@p.example> wrote: > alice played",
        "On Mon, Jan 5, 2026 at 9:59 AM\nPBeM <g@p.example> wrote:",
        "Sent from my iPhone",
        "Sent from my iPhone On Mon, Jan 5, 2026 at 9:59 AM PBeM <g@p.example> wrote:",
        "Von meinem iPhone gesendet",
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
    ],
)
def test_anything_appended_to_the_turn_is_removed(joined: str) -> None:
    assert words(f"{MOVE} {joined}\n\n> alice played\n> resign\n") == (MOVE,)


def test_answers_between_quotes_are_kept() -> None:
    text = "On Mon, 2 Mar 2026, PBeM wrote:\n> a\nyes\n> b\n\nno\n> c\n\nOn the whole: good\n-- \nBob\n> d\nlast"

    assert words(text) == ("yes", "no", "On the whole: good", "last")


def test_an_answer_right_below_an_attribution_is_kept() -> None:
    text = "Hello,\n\nOn Mon, 2 Mar 2026, PBeM wrote:\n\nMy answer comes first.\n\n> a question\n\nAnother.\n"

    assert words(text) == ("Hello,", "My answer comes first.", "Another.")


def test_an_answer_below_an_unmarked_quote_is_not_lost_with_it() -> None:
    text = f"On Mon, 2 Mar 2026, PBeM <games@pbem.example> wrote:\n\nalice played.\n\n{MOVE}\n"

    assert words(text) == ("alice played.", MOVE)


@pytest.mark.parametrize("mark", [">", "> ", ">>", "> > ", " > ", "| ", " |", "AB> ", "PB>>", "\uff1e", "&gt; ", ">|"])
def test_marked_lines_are_quotes(mark: str) -> None:
    assert words(f"{MOVE}\n{mark}resign\nBye") == (MOVE, "Bye")


@pytest.mark.parametrize("mark", ["\t", "    ", " ", ": ", "% ", "# "])
def test_unusually_marked_lines_below_an_attribution_are_quotes(mark: str) -> None:
    quoted = "\n".join(mark + line for line in ("alice played", "resign"))

    assert words(f"Hi\n\nOn Mon, 2 Mar 2026, PBeM wrote:\n{quoted}\n\n{MOVE}\n") == ("Hi", MOVE)


def test_the_rest_of_a_wrapped_quoted_line_is_quoted() -> None:
    long = "> Answer this mail with your turn, or with one of the many other words"

    assert words(f"{MOVE}\n{long}\nresign\n> See you.\n") == (MOVE,)
    assert words(f"> Shall I?\nresign\n> See you.\n{MOVE}") == ("resign", MOVE)


@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize(
    "nested",
    [
        "On Sun, 1 Mar 2026, Bob wrote:",
        "On Sun, 1 Mar 2026 at 10:00, Bob <b@m.example> wrote:",
        "Am 1. März 2026 um 10:00 schrieb Bob:",
        "-----Original Message-----",
        "From: Bob <b@m.example>\n> Sent: Monday\n> To: PBeM\n> Subject: Hello",
    ],
)
def test_an_attribution_within_a_quote_is_quoted(nested: str, gap: str) -> None:
    quote = f"On Mon, 2 Mar 2026 at 09:59, PBeM <g@p.example> wrote:\n{gap}> {nested}\n> > hi\n> resign\n"

    assert words(f"{quote}\n--\n{MOVE}") == ("--", MOVE)  # nothing above: no signature
    assert words(f"{quote}\n{MOVE}\n") == (MOVE,)
    assert words(f"{MOVE}\n\n{quote}") == (MOVE,)


@pytest.mark.parametrize(
    "line",
    [
        "Acked-by: Bob <bob@mail.example>",
        "Ask Bob <bob@mail.example>",
        "Am 20.06.24 um 16:20 schrieb ich dir",
        "On 2 Mar 2026 at 10:30 Bob wrote me a letter",
        "Bob wrote this in 1974",
    ],
)
@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_person_s_line_above_a_quote_is_kept(line: str, gap: str) -> None:
    assert words(f"{line}\n{gap}> resign\n> or not\n") == (line,)


# Headings

HEADINGS = PHRASES.joinpath("headings.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("form", ["{}: {}", "*{}:* {}", "**{}:** {}", "{} : {}", "{}\t{}", "{}\uff1a{}", "  {}:  {}"])
def test_quoted_headers_in_many_languages_are_removed(form: str) -> None:
    values = ("PBeM <games@pbem.example>", "2 March 2026 09:59", "Bob", "[pbem #1] Quadraphages")
    for heading in HEADINGS:
        lines = [form.format(label, value) for label, value in zip(heading.split("/"), values, strict=True)]
        for block in ("\n".join(lines), "\n".join(reversed(lines))):
            assert words(f"{MOVE}\n\nBye\n\n{block}\n\nalice played\nresign\n") == (MOVE, "Bye")


@pytest.mark.parametrize(
    "separator",
    [
        "-----Original Message-----",
        "----- Original Message -----",
        "-----Ursprüngliche Nachricht-----",
        "-----Message d'origine-----",
        "-----Message d\u2019origine-----",
        "------------------ 原始邮件 ------------------",
        "---------- Forwarded message ---------",
        "Begin forwarded message:",
        "##- Please type your reply above this line -##",
        "=-=-= Reply above this line =-=-=",
        "________________________________\nFrom: PBeM <games@pbem.example>",
        "------------------ Original ------------------\nFrom: PBeM\nDate: Monday\nTo: bob\nSubject: Hello",
        "  _____  \n\nVon: PBeM <games@pbem.example>\nGesendet: Montag",
        "--------------------------------------------\nOn Mon, 3/2/26, PBeM <games@pbem.example> wrote:",
        "*On Mon, 2 Mar 2026, PBeM wrote:*",
        "------------------------------\n\n*From:* PBeM\n*Sent:* Monday\n*To:* bob\n*Subject:* Hello",
    ],
)
def test_everything_below_a_separator_is_quoted(separator: str) -> None:
    assert words(f"{MOVE}\n\n{separator}\n\nalice played\nresign\n") == (MOVE,)


def test_a_message_may_begin_with_its_own_headers_but_not_with_another_sender_s() -> None:
    text = f"From: Bob <bob@mail.example>\nSent: Monday\nTo: PBeM\nSubject: Hello\n\n{MOVE}\n"

    assert words(text) == words(text, author="bob@mail.example") == (MOVE,)
    assert words(text, author="alice@mail.example") == ()


# Signatures and notices


@pytest.mark.parametrize("below", ["", "\n\n> resign", "\n\nOn Mon, 2 Mar 2026, PBeM wrote:\nresign", "\n\nAnd b7b4"])
def test_taglines_in_many_languages_are_removed(below: str) -> None:
    for tagline in TAGLINES:
        assert words(f"{MOVE}\n\n{tagline}{below}\n") == ((MOVE, "And b7b4") if "And" in below else (MOVE,))


@pytest.mark.parametrize("mark", ["-- ", "--", "\u2014", "__", "______________", "\u2014-"])
def test_signatures_are_removed(mark: str) -> None:
    assert words(f"{MOVE}\n{mark}\nBob\nresign\n\n> a\n\nBye") == (MOVE, "Bye")


NOTICE = (
    "This e-mail and any attachments are confidential and intended solely for the addressee. If you have received\n"
    "it in error, please notify the sender and delete it; any disclosure or copying is prohibited."
)


@pytest.mark.parametrize(
    "notice",
    [
        NOTICE,
        f"DISCLAIMER\n\n{NOTICE}",
        f"Confidentiality Notice:\n{NOTICE}",
        "Virus-free.www.avast.com",
        "This email has been checked for viruses by Avast antivirus software.\nhttps://www.avast.com/antivirus",
        "This message has been scanned for viruses and\ndangerous content by MailScanner, and is\nbelieved clean.",
        "P Please consider the environment before printing this email",
    ],
)
def test_legal_notices_are_removed_and_nothing_else(notice: str) -> None:
    assert words(f"{MOVE}\n\nBye\n\n{notice}\n\nPS: good\n") == (MOVE, "Bye", "PS: good")


@pytest.mark.parametrize(
    "banner",
    [
        "CAUTION: This email originated from outside of the organization. Do not click links.",
        (
            "CAUTION: This email originated from outside of the organization. Do not click\nlinks or open attachments"
            " unless you recognize the sender."
        ),
        "[EXTERNAL]",
        "*EXTERNAL MESSAGE WARNING: This email originated from outside of Acme.",
        "You don't often get email from bob@mail.example. Learn why this is important<https://aka.ms/Learn>",
        "ACHTUNG: Diese E-Mail kommt von außerhalb. Klicken Sie auf keine Links.",
    ],
)
def test_warnings_above_the_text_are_removed(banner: str) -> None:
    assert words(f"{banner}\n\n{MOVE}\n\nBye\n") == (MOVE, "Bye")


# Marks of transport


def test_soft_line_breaks_left_undecoded_are_decoded() -> None:
    text = (
        f"{MOVE}\n\nOn Mon, Mar 2, 2026 at 9:59=E2=80=AFAM PBeM <games@pbem.example> w=\nrote:\n\n> alice pl=\nresign\n"
    )

    assert words(text) == (MOVE,)


def test_pgp_armour_is_removed() -> None:
    head, tail = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n", "-----BEGIN PGP SIGNATURE-----\n\nabc\n"

    assert words(f"{head}{MOVE}\n{tail}-----END PGP SIGNATURE-----\nBye") == (MOVE, "Bye")


# HTML


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<div>a</div><div>b</div>", ["a", "b"]),
        ("<p>a</p><p>b</p>", ["a", "", "b"]),
        ("a<br>b<br><br>c", ["a", "b", "", "c"]),
        ("<div>a<br></div><div><br></div><div>b</div>", ["a", "", "b"]),
        ("b1e1\n  h9e9&nbsp;3 <b>e9</b>b9", ["b1e1 h9e9\u00a03 e9b9"]),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", ["a b", "c"]),
        ("<pre>a\n  b</pre>", ["a", "  b"]),
        ("<ul><li>a<li>b</ul>", ["a", "b"]),
        ("<style>p{}</style><script>x</script><title>t</title>a<!-- b -->", ["a"]),
        ("a<span style='display: none'>b</span><div hidden>c</div>", ["a"]),
        ("a<blockquote>b<div>c</div></blockquote>d", ["a", "", "> b", "> c", "", "d"]),
        ("<blockquote style='margin:0 0 0 40px;border:none;padding:0px'>a</blockquote>", ["a"]),
        ("a<div class='moz-cite-prefix'>PBeM fgh 2026<br></div>b", ["a", "> PBeM fgh 2026", "b"]),
        (
            "a<div class='gmail_attr'>PBeM fgh</div><div class='gmail_attr'>--- fgh ---</div>",
            ["a", "> PBeM fgh", "--- fgh ---"],
        ),
        ("a &lt;b&gt; &amp; c", ["a <b> & c"]),
    ],
)
def test_html_is_read_as_its_text(html: str, shown: list[str]) -> None:
    assert html_text.text(html).rstrip("\n").split("\n") == shown


@pytest.mark.parametrize("quote", ["On Mon, 2 Mar 2026, PBeM &lt;g@p.example&gt; wrote:<br>resign", "&gt; resign"])
def test_words_in_a_plain_blockquote_are_kept_if_it_holds_everything(quote: str) -> None:
    html = f"<blockquote><div>{MOVE}</div><div><br></div><div>{quote}</div></blockquote>"

    assert words(html, is_html=True) == (MOVE,)
    assert reply_text.read(html, is_html=True).sure is None


def test_nothing_in_a_blockquote_that_holds_everything_is_sure_if_nothing_in_it_is_quoted() -> None:
    assert reply_text.read(f"<blockquote>{MOVE}</blockquote>", is_html=True).sure == 0
    assert words(f"<blockquote type=cite>{MOVE}</blockquote>", is_html=True) == ()


# Properties


@given(st.text(max_size=400), st.booleans())
def test_any_text_gives_lines(text: str, is_html: bool) -> None:
    for line in reply_text.read(text, is_html).lines:
        assert "\n" not in line


def our_mails() -> list[str]:
    """Return the texts of our own messages, from the stories."""
    texts = []
    for story in sorted(STORIES.glob("*.txt")):
        mails = story.read_text(encoding="utf-8").split("<<< ")[1:]
        texts += [mail.partition("\n>>> ")[0].partition("\n\n")[2].strip("\n") for mail in mails]
    return texts


def marked(text: str, mark: str) -> str:
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


QUOTERS = {
    "marked": lambda text: f"\n\nOn Mon, 2 Mar 2026 at 09:59, PBeM <g@p.example> wrote:\n\n{marked(text, '> ')}\n",
    "unmarked": lambda text: f"\n\nOn Mon, Mar 2, 2026, 9:59 AM PBeM <g@p.example> wrote:\n\n{text}\n",
    "outlook": lambda text: f"\n\nFrom: PBeM <g@p.example>\nSent: Monday\nTo: b\nSubject: [pbem #1]\n\n{text}\n",
    "original": lambda text: f"\n\n-----Original Message-----\nFrom: PBeM\n{text}\n",
    "signed": lambda text: f"\n-- \nBob\n\nPBeM <g@p.example> wrote:\n{marked(text, '> ')}\n",
    "joined": lambda text: f" On Mon, Mar 2, 2026, 9:59 AM PBeM <g@p.example> wrote:\n\n{text}\n",
}


@pytest.mark.parametrize("style", quick_where(lambda style: style == "unmarked", QUOTERS))
@pytest.mark.parametrize(
    "reply",
    quick_where(
        lambda reply: reply == "resign",
        [MOVE, f"Hello!\n\n{MOVE}\n\nSee you on Monday, at 10:30: be there", "resign"],
    ),
)
def test_a_reply_to_any_message_of_ours_is_read_without_the_quote(style: str, reply: str) -> None:
    for ours in our_mails():
        assert words(reply + QUOTERS[style](ours)) == bare(reply.split("\n")), ours


# Programs

LABELS = {"P": "person", "Q": "quoted", "B": "boilerplate"}
REPLIES = {
    name: [(line[:1], line[2:]) for line in lines]
    for name, *lines in (
        block.splitlines() for block in PHRASES.joinpath("replies.txt").read_text(encoding="utf-8").split("\n% ")[1:]
    )
}
"""Replies by program: the label of each line, and the line."""


def labelled_as(reply: list[tuple[str, str]], label: str) -> tuple[str, ...]:
    return bare([line for each, line in reply if each == label])


@pytest.mark.parametrize("program", REPLIES)
def test_no_line_of_a_person_is_lost_and_no_other_is_kept(program: str) -> None:
    reply = REPLIES[program]
    assert {label for label, _ in reply} <= {*LABELS, "-"}

    written = reply_text.read("\n".join(line for _, line in reply))
    cut = bare([line for piece in written.cut for line in piece.lines])

    restored = [line for line in labelled_as(reply, "P") if line in cut]
    assert restored in ([], ["=====", "#8 c1b1 g9h9 3", "Good luck with that one!"])  # a turn, so the grammar keeps it
    assert bare(written.lines) == tuple(line for line in labelled_as(reply, "P") if line not in restored)
    assert not set(cut) & set(labelled_as(reply, "Q"))


@pytest.mark.parametrize("program", REPLIES)
def test_only_what_a_person_wrote_acts(program: str) -> None:
    reply = REPLIES[program]
    reader = Reader(FEATURES.commands, dict.fromkeys((7, 8), GAMES["quadraphages"]).get, 7, "bob")

    written = reply_text.read("\n".join(line for _, line in reply))
    found = reader.read("", written)

    expected = reader.read("", labelled_as(reply, "P"))
    assert [line.text for line in found.commands] == [line.text for line in expected.commands]
    assert bare(found.prose) == bare(expected.prose)
    assert found.commands[0].words == "c1b1 g9h9 3"


def test_html_is_read_up_to_where_it_nests_too_deeply() -> None:
    assert words(f"<div>{MOVE}</div>" + "<div></p></b>" * 20_000 + "resign", is_html=True) == (MOVE,)
    assert words("<div>" * 100 + MOVE + "</div>" * 100 + "<p>Bye" * 2_000, is_html=True)[:2] == (MOVE, "Bye")


# Third-party mails

EXACT = 67


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the third-party mails are not beside the project")
def test_third_party_replies_lose_nothing_and_nearly_all_are_exact() -> None:
    mails = list(labelled())
    read = {mail.name: words(mail.text) for mail in mails}

    assert [mail.name for mail in mails if set(mail.words) - set(read[mail.name])] == []
    assert sum(mail.words == read[mail.name] for mail in mails) >= EXACT

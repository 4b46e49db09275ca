"""Links that open a prefilled email: encoded, and left out where they would be too long."""

from pbem.messages.reply_links import LONGEST, ReplyTarget


def test_words_too_long_for_a_link_have_none() -> None:
    letter = ReplyTarget("games+token@pbem.example", "Re: [pbem #42] Quadrature: " + "x" * 1_930)

    short = letter.link("e3f4")
    assert short is not None
    assert "subject=Re%3A%20%5Bpbem%20%2342%5D&body=e3f4" in short.uri
    assert letter.link("e3f4 " * 500) is None
    lengths = [len(link.uri) for words in range(1, 400) if (link := letter.link("e3f4 " * words))]
    assert max(lengths) <= LONGEST < 2_000
    assert letter.links([("e3f4 " * 500, "long"), ("e3f4", "short")])[0].label == "short"


def test_lines_and_letters_beyond_ascii_are_encoded() -> None:
    link = ReplyTarget("games+t@pbem.example", "Re: ż").link("say one\nsay ü + 100%")

    assert link is not None
    words = "say%20one%0D%0Asay%20%C3%BC%20%2B%20100%25"
    assert link.uri == f"mailto:games%2Bt@pbem.example?subject=Re%3A%20%C5%BC&body={words}"

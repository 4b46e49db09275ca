"""Headers as they are written: long words stay whole, and none can hold another."""

from email import message_from_bytes
from email.policy import SMTP, compat32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.messages.mime import folded

WORD = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=200)


@given(st.lists(WORD, min_size=1, max_size=12))
def test_long_words_stay_whole(words: list[str]) -> None:
    raw = folded("References", tuple(words), SMTP)

    assert message_from_bytes(raw, policy=compat32)["References"].split() == words
    assert raw.endswith(b"\r\n")
    for line in raw.split(b"\r\n")[:-1]:
        assert len(line) <= 78 or len(line.removeprefix(b"References:").split()) == 1


@pytest.mark.parametrize("text", ["<a@b>\r\nBcc: eve@mail.example", "<a@b>\nX: y", "<a@b>\rX: y"])
@pytest.mark.parametrize("name", ["References", "In-Reply-To", "List-Unsubscribe", "Subject", "X-PBeM-Last"])
def test_no_header_can_hold_another(name: str, text: str) -> None:
    for value in (text, (text,)):
        with pytest.raises(ValueError, match=r"linefeed|carriage return|newline"):
            folded(name, value, SMTP)

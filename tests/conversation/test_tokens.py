"""Tokens: what they contain, and that nobody else can make them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem import tokens
from pbem.matches.lifecycle import check_turn
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.storage.models import Match, MatchState
from pbem.tokens import LENGTH, Keyring, Purpose, Token

TOKENS = st.builds(
    Token,
    st.sampled_from(Purpose),
    st.integers(1, 2**24 - 1),
    st.integers(0, tokens.LARGEST_SUBJECT),
    st.integers(0, 2**12 - 1),
)
KEYRING = Keyring("a key")


@given(TOKENS, st.integers(0, 1000))
def test_a_token_reads_as_it_was_written_in_any_case(token: Token, epoch: int) -> None:
    text = KEYRING.format(token, epoch)

    assert token == tokens.parse(text) == tokens.parse(text.upper())
    assert len(text) == LENGTH
    assert text.isalnum()
    assert KEYRING.signed(text, epoch)
    assert KEYRING.signed(text.upper(), epoch)


@given(TOKENS, st.integers(0, 1000), st.integers(0, LENGTH - 1), st.sampled_from("abcdefghijklmnopqrstuvwxyz234567"))
def test_a_token_changed_anywhere_is_not_ours(token: Token, epoch: int, at: int, letter: str) -> None:
    text = KEYRING.format(token, epoch)
    changed = text[:at] + letter + text[at + 1 :]

    assert KEYRING.signed(changed, epoch) == (changed == text)


@given(TOKENS)
def test_another_key_or_epoch_signs_otherwise(token: Token) -> None:
    text = KEYRING.format(token, 1)

    assert not Keyring("another key").signed(text, 1)
    assert not KEYRING.signed(text, 2)


@pytest.mark.parametrize("ply", [0, 1, 4_095, 4_096, 4_097, 10_000, tokens.LARGEST_PLY])
def test_a_token_names_every_turn_that_a_match_can_have(ply: int) -> None:
    keyring = Keyring("key")
    token = Token(Purpose.PLAY, 7, 42, ply)
    made = keyring.format(token, 3)

    assert len(made) == LENGTH
    assert tokens.parse(made) == token
    assert keyring.signed(made, 3)


def test_tokens_of_earlier_versions_stay_valid() -> None:
    for earlier, ply in (
        ("cadaaaahaaaaakrt3hbkyrhm5wcoulnhrzhz43z3", 6),
        ("d77qaaahaaaaakttv7iyavs2kdzyttn5lymaeod6", 4_095),
    ):
        assert tokens.parse(earlier) == Token(Purpose.PLAY, 7, 42, ply)
        assert Keyring("key").signed(earlier, 3)


def test_a_match_ends_before_its_tokens_do() -> None:
    match = Match(state=MatchState.RUNNING, plies=tokens.LARGEST_PLY, to_move=0)
    with pytest.raises(NotPossible) as refused:
        check_turn(match, 0)

    assert refused.value.obstacle is Obstacle.TOO_LONG


def test_a_token_is_for_one_server_also_after_it_has_moved() -> None:
    real, copy = Keyring("a key", ("games@real.example",)), Keyring("a key", ("games@copy.example",))
    moved = Keyring("a key", ("games@new.example", "games@real.example"))
    of_real, of_copy = (keyring.format(Token(Purpose.PERSONAL, 7), 3) for keyring in (real, copy))

    assert [keyring.signed(of_real, 3) for keyring in (real, copy, moved)] == [True, False, True]
    assert not real.signed(of_copy, 3)
    assert real.signed(KEYRING.format(Token(Purpose.PERSONAL, 7), 3), 3)  # as tokens were made at first

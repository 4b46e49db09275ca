"""Signed records: anybody who has the server's public key sees whether one is what the server wrote."""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.signatures import Signer
from tests.correspondence import Correspondence, correspondence

CHANGED = "it was changed since it was signed"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Play two turns; then alice resigns."""
    with correspondence(tmp_path / "server") as made:
        made.match()
        made.reply(made.last("alice"), "1 a7b7 i3i2")
        made.reply(made.last("bob"), "c1d1 g9h9 2 d1f1 h9h7")
        made.reply(made.last("alice"), "resign")
        made.reply(made.last("alice"), "yes")
        yield made


def game_record(letters: Correspondence) -> str:
    """Return the game record that came with the last message to alice."""
    (found,) = (part for part in letters.last("alice").walk() if part.get_content_type() == "application/json")
    content = found.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode()


def verified(letters: Correspondence, folder: Path, content: str | EmailMessage, *more: str) -> tuple[int, str]:
    """Return the exit code and the words of `pbem verify` for a file with that content."""
    file = folder / "file"
    file.write_bytes(content.encode() if isinstance(content, str) else content.as_bytes())
    done = letters.operate("verify", str(file), *more)
    return done.exit_code, done.stdout.replace(str(file), "file")


def public(letters: Correspondence) -> str:
    """Return the server's public key, as it prints it."""
    return str(letters.operate("verify").stdout.split()[0])


def test_a_game_record_says_who_signed_it(letters: Correspondence, tmp_path: Path) -> None:
    code, said = verified(letters, tmp_path, game_record(letters), "--turns")

    assert code == 0
    assert "1. 2026-" in said
    assert "match #1, Quadraphages: alice - bob" in said
    assert "signed by pbem.example on 2026-" in said
    assert "with its key" in said
    assert "2 turns, all legal" in said


def test_each_message_carries_its_match_signed_with_the_times_of_the_turns(
    letters: Correspondence, tmp_path: Path
) -> None:
    code, said = verified(letters, tmp_path, letters.last("bob"), "--turns")

    assert code == 0
    assert "1. 2026-" in said
    assert "UTC  c1d1 g9h9 2 d1f1 h9h7" in said


def test_any_change_of_a_game_record_is_found(letters: Correspondence, tmp_path: Path) -> None:
    text = game_record(letters)
    for old, new in (
        ("a7b7", "a7c7"),
        ("alice", "alicf"),
        ('"result": 1', '"result": 0'),
        ('"unrated": true', '"unrated": false'),
    ):
        assert old in text
        assert verified(letters, tmp_path, text.replace(old, new, 1)) == (1, f"file: {CHANGED}\n")


def test_a_public_key_is_all_that_it_takes(letters: Correspondence, tmp_path: Path) -> None:
    text, key = game_record(letters), public(letters)
    (tmp_path / "server" / "pbem.toml").unlink()

    code, said = verified(letters, tmp_path, text, "--key", key)
    assert (code, "signed by pbem.example" in said) == (0, True)
    code, said = verified(letters, tmp_path, text, "--key", Signer(bytes(32)).public)
    assert (code, "it is signed with a key that isn't known here" in said) == (1, True)

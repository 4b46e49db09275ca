"""Signed records: anybody who has the server's public key sees whether one is what the server wrote."""

from email.message import EmailMessage

from pbem.signatures import Signer
from tests import scenes
from tests.correspondence import Correspondence

CHANGED = "it was changed since it was signed"


def ended(letters: Correspondence) -> None:
    """Play two turns; then alice resigns."""
    scenes.two_turns(letters)
    letters.resign("alice")


pytestmark = scenes.after(ended)


def game_record(letters: Correspondence) -> str:
    """Return the game record that came with the last message to alice."""
    (found,) = (part for part in letters.last("alice").walk() if part.get_content_type() == "application/json")
    content = found.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode()


def verified(letters: Correspondence, content: str | EmailMessage, *more: str) -> tuple[int, str]:
    """Return the exit code and the words of `pbem verify` for a file with that content."""
    file = letters.folder / "file"
    file.write_bytes(content.encode() if isinstance(content, str) else content.as_bytes())
    done = letters.operate("verify", str(file), *more)
    return done.exit_code, done.stdout.replace(str(file), "file")


def test_any_change_of_a_game_record_is_found(letters: Correspondence) -> None:
    text = game_record(letters)
    for old, new in (
        ("a7b7", "a7c7"),
        ("alice", "alicf"),
        ('"result": 1', '"result": 0'),
        ('"unrated": true', '"unrated": false'),
    ):
        assert old in text
        assert verified(letters, text.replace(old, new, 1)) == (1, f"file: {CHANGED}\n")


def test_a_public_key_is_all_that_it_takes(letters: Correspondence) -> None:
    text, key = game_record(letters), letters.operate("verify").stdout.split()[0]
    (letters.folder / "pbem.toml").unlink()

    code, said = verified(letters, text, "--key", key)
    assert (code, "signed by pbem.example" in said) == (0, True)
    code, said = verified(letters, text, "--key", Signer(bytes(32)).public)
    assert (code, "it is signed with a key that isn't known here" in said) == (1, True)

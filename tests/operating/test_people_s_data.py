"""`pbem player export` and `pbem player delete`: an operator does what the player could do by email."""

import json
import stat

import pytest

from tests.correspondence import parsed, text
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site


@pytest.fixture
def joined(site: Site) -> Site:
    """Make a site that alice has joined, and where she has invited carol."""
    site.drop(written("alice@mail.example", ADDRESS, "join alice"))
    site.run_once()
    (question,) = [parsed(raw) for raw in site.sent()]
    site.drop(written("alice@mail.example", question["Reply-To"].addresses[0].addr_spec, "yes"))
    site.run_once()
    welcome = next(mail for mail in map(parsed, site.sent()) if "Welcome" in mail["Subject"])
    site.drop(
        written(
            "alice@mail.example",
            welcome["Reply-To"].addresses[0].addr_spec,
            "challenge carol@mail.example kvadratik\n\nCome and see.",
        )
    )
    site.run_once()
    return site


def number(site: Site, address: str) -> int:
    """Return the id of the player with that address."""
    (found,) = site.rows("select id from player where address = :address", address=address)
    return int(found)


def test_export_writes_all_of_it_for_the_operator_s_eyes_alone(joined: Site) -> None:
    done = joined.process("player", "export", "alice", "--folder", "alice", umask=0)
    assert (done.code, done.err) == (0, ""), done.said
    assert done.out == "wrote alice, with 3 messages\n"
    folder = joined.folder / "alice"
    assert sorted(path.name for path in folder.iterdir()) == ["alice.json", "alice.txt", "mails"]
    held = json.loads((folder / "alice.json").read_text(encoding="utf-8"))
    assert held["player"]["address"] == "alice@mail.example"
    assert {row["file"] for row in held["mails_in"]} == {path.name for path in (folder / "mails").iterdir()}
    assert held["words"][0]["words"] == ["Come and see."]
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@pytest.mark.parametrize(("words", "stdin"), [(("alice",), b"y\n"), (("NUMBER", "--yes"), b"")])
def test_delete_removes_all_of_it_and_says_so_by_mail(joined: Site, words: tuple[str, ...], stdin: bytes) -> None:
    before, alice = len(joined.sent()), number(joined, "alice@mail.example")
    done = joined.process("player", "delete", *(word.replace("NUMBER", str(alice)) for word in words), stdin=stdin)
    assert done.code == 0, done.said
    assert f"they are called deleted-{alice} now" in done.out
    joined.run_once()
    (last,) = [parsed(raw) for raw in joined.sent()[before:]]
    assert last["To"] == "alice@mail.example"
    assert "your data has been deleted" in text(last)
    assert joined.rows("select name from player order by id") == [f"deleted-{alice}", None]
    for path in joined.folder.glob("pbem.sqlite*"):  # SQLite overwrites what it frees
        assert b"alice" not in path.read_bytes(), path
    again = joined.process("player", "delete", f"deleted-{alice}", "--yes")
    assert (again.code, again.err) == (
        1,
        f'pbem: No player is called deleted-{alice}. "pbem player list" lists all of them.\n',
    )

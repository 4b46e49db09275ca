"""Machines are known by their headers, addresses, Subjects, parts and texts; people whose mail looks alike are none."""

from pathlib import Path

from pbem.mail.reading.message import read

ALICE = "alice@mail.example"
HIDDEN = ("Auto-Submitted", "X-Autoreply", "List-Id", "Precedence")
PHRASES = Path(__file__).parent.parent / "phrases"
AWAY_SUBJECTS = (PHRASES / "away.txt").read_text(encoding="utf-8").splitlines()
MACHINES, OTHERS = (
    (PHRASES / name).read_text(encoding="utf-8").split("\n%%\n") for name in ("machines.txt", "persons.txt")
)


def is_automatic(header: str) -> bool:
    """Return whether a message from there with that header is taken for a machine's."""
    return (
        read(f"From: {ALICE}\nTo: games@pbem.example\n{header}\n\n1 a7b7 i3i2\n".encode(), None, ()).automatic
        is not None
    )


def test_a_blank_in_front_of_the_colon_hides_no_machine() -> None:
    assert [name for name in HIDDEN if not is_automatic(f"{name} : junk")] == []


def test_an_out_of_office_notice_is_known_by_its_subject_alone_in_many_languages() -> None:
    assert [subject for subject in AWAY_SUBJECTS if not is_automatic(f"Subject: {subject}")] == []


def test_what_a_machine_writes_is_known() -> None:
    """By headers, addresses, parts and texts of programs that answer, report, remind and react by themselves."""
    found = {mail: read(f"To: games@pbem.example\n{mail}\n\n".encode(), None, ()).automatic for mail in MACHINES}

    assert [mail for mail, sign in found.items() if sign is None] == []


def test_what_a_person_writes_like_a_machine_is_a_persons() -> None:
    found = {mail: read(f"To: games@pbem.example\n{mail}\n\n".encode(), None, ()).automatic for mail in OTHERS}

    assert [mail for mail, sign in found.items() if sign is not None] == []

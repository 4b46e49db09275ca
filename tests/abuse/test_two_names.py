"""One thing with two names: a database file that two daemons could share, a message that could act twice."""

from pathlib import Path

import pytest
from sqlalchemy import Connection

from pbem.mail.transports.protocols import Arrival
from pbem.server.intake import key, sort, store
from pbem.storage import database
from tests.correspondence import Correspondence

RAW = b"From: a@b.example\nTo: games@pbem.example\nMessage-ID: <1@b.example>\nSubject: x\n\nsay hello\n"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("exists", [True, False])
def test_two_daemons_never_share_a_file_under_two_names(tmp_path: Path, *, exists: bool) -> None:
    first, other = tmp_path / "pbem.sqlite", tmp_path / "elsewhere"
    other.mkdir()
    if exists:
        engine = database.connect(f"sqlite:///{first}")
        database.upgrade(engine)
        engine.dispose()
    with database.alone(f"sqlite:///{first}"):
        (other / "symbolic.sqlite").symlink_to(first)
        (other / "hard.sqlite").hardlink_to(first)
        for name in ("symbolic.sqlite", "hard.sqlite"):
            with pytest.raises(database.InUse, match="another name"), database.alone(f"sqlite:///{other / name}"):
                pass
        with pytest.raises(database.InUse, match=r"process \d+"), database.alone(f"sqlite:///{first}"):
            pass
        engine = database.connect(f"sqlite:///{first}")
        database.upgrade(engine)
        assert database.is_current(engine)
        engine.dispose()
    with database.alone(f"sqlite:///{other / 'hard.sqlite'}"):
        pass


FILTERED = [
    b"X-Spam-Score: 1.7\nX-Spam-Flag: NO\n" + RAW,
    b"X-Virus-Scanned: by a\nReceived: from x\n\tby y\nARC-Seal: i=1\n" + RAW,
    RAW.replace(b"\nSubject: x\n", b"\nX-MS-Exchange-Organization-SCL: -1\nsubject:\n x\nX-Later: 1\n"),
    RAW.replace(
        b"To: games@pbem.example\nMessage-ID: <1@b.example>", b"Message-ID: <1@b.example>\nTo: games@pbem.example"
    ),
]


@pytest.mark.parametrize("other", FILTERED)
def test_what_filters_add_makes_no_other_message(other: bytes) -> None:
    assert key(other, ()) == key(other.replace(b"\n", b"\r\n"), ()) == key(RAW, ())


@pytest.mark.parametrize(
    "other",
    [
        RAW.replace(b"hello", b"goodbye"),
        RAW.replace(b"a@b", b"c@b"),
        RAW.replace(b"<1@", b"<2@"),
        RAW.replace(b"Subject: x", b"Subject: [pbem #7] y"),
        RAW.replace(b"To: games@", b"To: games+token@"),
        *(
            sign + b"\n" + RAW
            for sign in (b"Auto-Submitted: auto-replied", b"Precedence: bulk", b"List-Id: x", b"X-Autoreply: yes")
        ),
    ],
)
def test_nobody_shuts_a_message_out_by_sending_it_first_with_another_meaning(other: bytes) -> None:
    assert key(other, ()) != key(RAW, ())


def stored(letters: Correspondence, connection: Connection, raw: bytes) -> list[int]:
    """Store a message. Return the id of its row, if it is new."""
    arrival = Arrival(raw, "lmtp", "a@b.example", ())
    return list(store(connection, sort(connection, [arrival], letters.server.triage), letters.clock()))


def test_a_message_is_told_once_however_filters_marked_it(letters: Correspondence) -> None:
    with database.transaction(letters.server.engine) as session:
        added = [stored(letters, session.connection(), raw) for raw in (RAW, *FILTERED)]
    assert [len(ids) for ids in added] == [1, 0, 0, 0, 0]


@pytest.mark.parametrize("raw", [b"a\n" * 490_000, b"\n" * 980_000, b"x: y\n" * 200_000 + b"\nhelp\n"])
def test_the_key_of_a_huge_header_block_is_made_without_taking_it_apart(raw: bytes) -> None:
    assert key(raw, ()) == key(raw, ()) != key(raw + b"x", ())

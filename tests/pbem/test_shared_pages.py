"""Pages that are the same for all who ask for them are what each would be sent if it were made for them alone."""

from collections.abc import Iterator

import pytest
from sqlmodel import col, select

from pbem.messages import shared_pages
from pbem.messages.render import Renderer
from pbem.storage.database import read_only
from pbem.storage.models import Outgoing
from tests.correspondence import Correspondence, correspondence

KINDS = ("help", "help move", "help quadrature", "help notation", "help opponent")


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Correspondence]:
    """Have two players, one without HTML, somebody who hasn't confirmed, and a stranger ask for every kind of page."""
    with correspondence(tmp_path_factory.mktemp("pages")) as letters:
        letters.match()
        letters.say("bob", "set html off")
        letters.write("carol@mail.example", "join carol")
        for kind in KINDS:
            for name in ("alice", "bob"):
                letters.say(name, kind)
                letters.write(f"{name}@mail.example", kind, f"Please: {'a' * 40}", to=letters.personal(name))
            letters.write("carol@mail.example", kind)
            letters.write("stranger@mail.example", kind)
        yield letters


def rendered(letters: Correspondence) -> list[bytes]:
    """Return all answers as a server would render them that begins now."""
    renderer = Renderer(letters.server.settings.server, letters.server.services.keyring, 90)
    with read_only(letters.server.engine) as session:
        rows = session.exec(select(Outgoing).where(Outgoing.template == "answer").order_by(col(Outgoing.id))).all()
        return [*renderer.render(session, rows)]


def test_each_reader_is_sent_the_bytes_that_are_made_for_them_alone(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = rendered(letters)
    monkeypatch.setattr(shared_pages, "SHARED", frozenset[str]())

    assert shared == rendered(letters)
    assert len(shared) > 5 * len(KINDS)
    assert all(b"a" * 40 in raw for raw in shared if b"%20aaaa" in raw)

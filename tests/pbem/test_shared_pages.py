"""Pages that are the same for all who ask for them are what each would be sent if it were made for them alone."""

from collections.abc import Iterator

import pytest
from sqlmodel import col, select

from pbem.messages import shared_pages
from pbem.messages.render import Renderer
from pbem.messages.reply_addresses import address_with
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Outgoing, Player
from pbem.tokens import Purpose, Token
from tests.correspondence import Correspondence, correspondence

KINDS = ("help", "help move", "help quadrature", "help notation", "help opponent")


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Correspondence]:
    """Have two players, one without HTML, somebody who hasn't confirmed, and a stranger ask for every kind of page."""
    with correspondence(tmp_path_factory.mktemp("pages")) as letters:
        letters.match()
        with transaction(letters.server.engine) as session:
            for player in session.exec(select(Player).where(Player.name == "bob")):
                player.settings = {"html": "off"}
        letters.write("carol@mail.example", "join carol")
        for kind in KINDS:
            for name in ("alice", "bob"):
                letters.write(f"{name}@mail.example", kind, to=personal(letters, name))
                letters.write(f"{name}@mail.example", kind, f"Please: {'a' * 40}", to=personal(letters, name))
            letters.write("carol@mail.example", kind)
            letters.write("stranger@mail.example", kind)
        yield letters


def personal(letters: Correspondence, name: str) -> str:
    """Return the personal address of a player."""
    server = letters.server
    with read_only(server.engine) as session:
        player = session.exec(select(Player).where(Player.name == name)).one()
        token = Token(Purpose.PERSONAL, player.id or 0)
        return address_with(server.settings.server, server.services.keyring, token, player.epoch)


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

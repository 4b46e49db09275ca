"""Pages that are the same for all who ask for them are what each would be sent if it were made for them alone."""

from collections.abc import Iterator

import pytest
from sqlmodel import col, select

from pbem.players.identity import address_with
from pbem.rendering import shared_pages
from pbem.rendering.render import Renderer
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Outgoing, Player
from pbem.tokens import Purpose, Token
from tests.correspondence import Correspondence, correspondence
from tests.effort import calls

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


def rendered(letters: Correspondence) -> dict[int, bytes]:
    """Return all answers as a server would render them that begins now."""
    renderer = Renderer(letters.server.settings.server, letters.server.services.keyring)
    with read_only(letters.server.engine) as session:
        rows = session.exec(select(Outgoing).where(Outgoing.template == "answer").order_by(col(Outgoing.id))).all()
        return {row.id or 0: raw for row, raw in zip(rows, renderer.render(session, rows), strict=True)}


def test_each_reader_is_sent_the_bytes_that_were_made_for_them(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    monkeypatch.setattr(Renderer, "_made_page", noting(made))
    shared = rendered(letters)
    pages = len(made)
    monkeypatch.setattr(shared_pages, "SHARED", frozenset[str]())

    alone = rendered(letters)

    assert len(made) == pages
    assert shared == alone
    assert len(KINDS) < pages < len(shared)
    assert all(b"a" * 40 in raw for raw in shared.values() if b"%20aaaa" in raw)


def noting(made: list[object]) -> object:
    """Return the method that makes a page, which notes that it was called."""
    real = Renderer._made_page

    def noted(*key: object, **flags: object) -> object:
        made.append((key, flags))
        return real(*key, **flags)  # type: ignore[arg-type]

    return noted


def test_a_page_is_made_once_for_all_its_readers(letters: Correspondence) -> None:
    server = letters.server
    renderer = Renderer(server.settings.server, server.services.keyring)
    with read_only(server.engine) as session:
        rows = session.exec(select(Outgoing).where(Outgoing.template == "answer").order_by(col(Outgoing.id))).all()
        row = next(row for row in rows if row.payload["sections"][0]["template"] == "help")
        first, second = (calls(lambda: [*renderer.render(session, [row])]) for _ in range(2))

    assert second < first / 3

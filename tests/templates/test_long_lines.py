"""Lines of a message that are longer than mail allows."""

from pbem.messages.mime import Enclosed, message
from pbem.messages.token_redaction import TokenFilter, TokenRedactor
from pbem.storage.models import Outgoing
from pbem.tokens import Keyring
from tests.correspondence import html, parsed


def test_long_links_travel_whole() -> None:
    page = f'<a href="mailto:x?body={"a" * 1900}">tap</a>\n'
    row = Outgoing(message_id="<1@pbem.example>", template="turn", address="alice@mail.example")
    tokens = TokenFilter(TokenRedactor("games@pbem.example"), Keyring("a key"), row)
    raw = message(row.address, (), "words\n", page, Enclosed("<1@pbem.example>"), tokens)

    assert max(map(len, raw.splitlines())) < 998
    assert html(parsed(raw)).replace("\r\n", "\n") == page

"""A queued message -> its bytes: templates filled in, the match replayed up to the turn it is about."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Any

from sqlmodel import Session

from pbem.config import ServerSettings
from pbem.mail.reading.text.quotes_of_us import Ours
from pbem.matches.replayed_match import Snapshot
from pbem.matches.shown_names import name
from pbem.messages import general_preferences, headers, mime, reply_links
from pbem.messages.delivery_choices import kind_of
from pbem.messages.headers import subject_of
from pbem.messages.match_files import Drawings
from pbem.messages.mime import Attachment
from pbem.messages.reply_links import ReplyTarget, address_with
from pbem.messages.templating import html_of, text_of
from pbem.messages.token_redaction import TokenFilter, TokenRedactor
from pbem.messages.views import Views
from pbem.storage import facts_when_queued
from pbem.storage.facts_when_queued import Facts
from pbem.storage.message_payload_base import Payload, load
from pbem.storage.models import Outgoing, Player
from pbem.storage.preference_definition import OFF, ON
from pbem.tokens import Keyring, Purpose, Token

LARGEST = 95_000  # the maximum size of a message without its files; Gmail truncates HTML beyond about 100 KB
UNPROVEN = {"picture": OFF, "html": OFF}
"""What an answer to a message without proof leaves out: it may go to a victim, and many can be asked for."""


@dataclass(frozen=True, slots=True)
class AddedFiles:
    files: tuple[Attachment, ...]
    held: Any  # what the files hold, as the template tells it


Enclose = Callable[[Session, Outgoing, Payload, TokenRedactor], AddedFiles | None]
"""Returns the files that a feature adds to a message; None where there are none."""


class Renderer:
    def __init__(
        self, server: ServerSettings, keyring: Keyring, keep_mail_days: int, enclose: Enclose, site: str = ""
    ) -> None:
        """`site` is the URL of the site with boards to which messages link, if they do."""
        self._server, self._keyring, self._keep_mail_days = server, keyring, keep_mail_days
        self._enclose, self._site = enclose, site
        self.redactor = TokenRedactor(server.address, server.delimiter)

    def render(self, session: Session, rows: Sequence[Outgoing]) -> Iterator[bytes]:
        """Yield the messages of the rows in their order, the same bytes each time; they share what they look up."""
        drawings = Drawings(session)
        for row in rows:
            payload = load(Payload, row.payload)
            assert row.facts is not None  # noqa: S101 - each message has them as long as it says anything
            facts = facts_when_queued.restore(row.facts, drawings.facts)
            snapshot = drawings.of(facts.matches[row.match], row.ply) if row.match else None
            head = headers.head(row, payload, snapshot, self._server, self._keyring)
            added = self._enclose(session, row, payload, self.redactor)
            faces = self._faces(drawings, row, payload, facts, str(head["Subject"]), added)
            tokens = TokenFilter(self.redactor, self._keyring, row)
            yield mime.message(row.address, [*head.items()], *faces, tokens)

    def _faces(
        self, drawings: Drawings, row: Outgoing, payload: Payload, facts: Facts, subject: str, added: AddedFiles | None
    ) -> tuple[str, str | None, mime.Enclosed]:
        """Return text, HTML and enclosures; the HTML is compact if it would be too large otherwise."""
        choices = general_preferences.with_defaults(
            facts.reader.settings if facts.reader and facts.reader.confirmed else {}
        )
        choices |= UNPROVEN if row.standing is not None else {}
        variables = self._variables(row, payload, facts.reader, subject)
        if added is not None:
            variables |= {"held": added.held, "files": tuple(file.name for file in added.files)}
        text, html, enclosed = "", None, mime.Enclosed(row.message_id)
        for compact in (False, True):
            enclosed = mime.Enclosed(row.message_id)
            views = Views(
                drawings,
                facts,
                choices,
                partial(self._reply_target, row, facts.reader),
                partial(self._board_page, row, facts.reader),
                enclosed,
                self._server.name,
                row.created,
                several=variables["several"],
                compact=compact,
            )
            variables |= {"view": cache(views.view), "preview": cache(views.preview)}
            variables |= {"illustrations": views.illustrations}
            text = text_of(f"{row.template}.j2", variables)
            if choices["html"] != ON:
                break
            html = html_of(f"{row.template}.j2", variables, subject)
            if mime.size(text, html, enclosed) <= LARGEST:
                break
        for file in added.files if added is not None else ():
            enclosed.attach(file)
        return text, html, enclosed

    def _variables(self, row: Outgoing, payload: Payload, player: Player | None, subject: str) -> dict[str, Any]:
        personal = Token(Purpose.PERSONAL, player.id or 0) if player else None
        acts = row.player is not None and row.purpose is not None
        re = subject if subject.lower().startswith("re:") else f"Re: {subject}"
        answer = ReplyTarget(headers.reply_to(row, self._server, self._keyring), re) if acts else None
        return {
            **{field.name: getattr(payload, field.name) for field in fields(payload)},
            "server": self._server,
            "keep_mail_days": self._keep_mail_days,
            "player": player,
            "row": row,
            "several": getattr(payload, "plies", None) is not None,  # so that a reply must name the match it means
            "you_wrote": player is not None and player.name is not None and player.name == getattr(payload, "by", None),
            "answer_with": partial(reply_links.link, answer),
            "stop": reply_links.link(answer, kind_of(row.template).stop) if row.is_notice else None,
            "reply_to": answer.address if answer else None,
            "personal": address_with(self._server, self._keyring, personal, row.epoch) if personal else None,
            "name": name,
        }

    def _board_page(self, row: Outgoing, player: Player | None, snapshot: Snapshot) -> str | None:
        if not self._site or player is None or row.purpose is None:
            return None
        token = Token(Purpose.BOARD, player.id or 0, snapshot.number, snapshot.ply + snapshot.match.shift)
        return f"{self._site.rstrip('/')}/board/{self._keyring.format(token, row.epoch)}"

    def _reply_target(self, row: Outgoing, player: Player | None, snapshot: Snapshot, ply: int) -> ReplyTarget | None:
        if player is None or row.purpose is None:
            return None
        token = Token(Purpose.PLAY, player.id or 0, snapshot.number, ply + snapshot.match.shift)
        return ReplyTarget(
            address_with(self._server, self._keyring, token, row.epoch),
            f"Re: {subject_of(snapshot.match, *snapshot.players)}",
        )


HEADS = (
    r".+, match #\d+, (?:turn \d+|\d+ turns?)",
    r"Match #\d+, .+: \d+ turns? played\.",
    r".+ writes, in match #\d+:",
)
"""Patterns of the first or second line of the messages that have a board or a turn in them (see templates/parts)."""


def ours(server: ServerSettings) -> Ours:
    return Ours(server.address, server.name, HEADS)

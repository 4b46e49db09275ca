"""An owed mail -> an EmailMessage: the template filled in, the match replayed to the turn the mail is about."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from email.message import EmailMessage
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlmodel import Session, col, select

from notation import NOTATIONS, record
from notation.board import format_board
from notation.hints import listed
from pbem import headers, links
from pbem.authority import address_with
from pbem.config import ServerSettings
from pbem.links import Letter, Links, answering
from pbem.matches import Standing, name, stand, subject_of
from pbem.models import Match, Outgoing, Player
from pbem.tokens import Keyring, Purpose, Token

WIDTH = 72


def templates_folder() -> Path:
    """Where the templates are: inside an installed package, beside it in a checkout."""
    package = Path(__file__).parent
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def templates() -> Environment:
    """The words of the mails, ready to be filled in."""
    environment = Environment(  # noqa: S701 - plain text; a name or message is never markup here
        loader=FileSystemLoader(templates_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["quoted"] = quoted
    environment.filters["sentence"] = sentence
    return environment


class Renderer:
    """Makes mails of rows."""

    def __init__(self, server: ServerSettings, keyring: Keyring) -> None:
        self._server = server
        self._keyring = keyring
        self._templates = templates()

    def render(self, session: Session, rows: Sequence[Outgoing]) -> Iterator[EmailMessage]:
        """The mails that the rows owe, in their order; the same bytes each time, but for what was renamed since.

        The mails of one call share what they look up: both players' mails about a turn replay it once.
        """
        matches, _looked_up = _Matches(session), _fetched(session, rows)
        for row in rows:
            yield self._mail(session, matches, row)

    def _mail(self, session: Session, matches: "_Matches", row: Outgoing) -> EmailMessage:
        player = session.get(Player, row.player) if row.player else None
        mail = EmailMessage(policy=headers.policy(row.address))
        standing = matches.stand(row.match, row.ply, None) if row.match else None
        headers.write(mail, row, standing, self._server, self._keyring)
        mail.set_content(self._text(matches, row, player, str(mail["Subject"])), cte=None)
        return mail

    def _text(self, matches: "_Matches", row: Outgoing, player: Player | None, subject: str) -> str:
        """The words of the mail, no line longer than 72 columns."""
        acts = row.player is not None and row.purpose is not None
        answer = Letter(headers.reply_to(row, self._server, self._keyring), answering(subject)) if acts else None
        personal = Token(Purpose.PERSONAL, player.id or 0) if player else None

        @cache
        def look(number: int, ply: int | None = None, part: str | None = None) -> "View":
            return seen(matches.stand(number, ply, part))

        def foresee(words: Mapping[str, Any]) -> "View":
            """The match as a preview shows it: what the section's words say, and nothing that is kept meanwhile."""
            standing = matches.stand(words["match"], words["ply"], None)
            turns, part, chosen = words.get("turns", ()), words.get("part"), words.get("chosen", "")
            flags = {flag: words.get(flag, False) for flag in ("past", "playable", "kept")}
            return seen(standing.suppose(turns, part, chosen, **flags), words["now"])

        def seen(standing: Standing, ply: int | None = None) -> "View":
            letter = self._letter(row, player, standing, standing.ply if ply is None else ply)
            return View(standing, player, partial(links.of_match, standing, player, letter))

        text = self._templates.get_template(f"{row.template}.txt.j2").render(
            **row.words,
            server=self._server,
            player=player,
            row=row,
            several="plies" in row.words,
            you_wrote=player is not None and player.name is not None and player.name == row.words.get("by"),
            look=look,
            foresee=foresee,
            answer_with=partial(links.link, answer),
            personal=address_with(self._server, self._keyring, personal, row.epoch) if personal else None,
            name=name,
        )
        return fitted(text)

    def _letter(self, row: Outgoing, player: Player | None, standing: Standing, ply: int) -> Letter | None:
        """An answer about that match by a reader who has seen so many turns of it."""
        if player is None or row.purpose is None:
            return None
        token = Token(Purpose.PLAY, player.id or 0, standing.number, ply)
        return Letter(
            address_with(self._server, self._keyring, token, row.epoch),
            f"Re: {subject_of(standing.match, *standing.players)}",
        )


def _fetched(session: Session, rows: Sequence[Outgoing]) -> list[Match | Player]:
    """The matches and players of the rows in two queries. A session finds them again as long as somebody holds them."""
    numbers = {row.match for row in rows if row.match}
    held: list[Match | Player] = []
    people = {row.player for row in rows if row.player}
    for match in session.exec(select(Match).where(col(Match.id).in_(numbers))) if numbers else ():
        held.append(match)
        people |= {match.seat0, match.seat1}
    players = session.exec(select(Player).where(col(Player.id).in_(people))) if people else ()
    return [*held, *players]


class _Matches:
    """Matches as they stood after some turn, each replayed once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[tuple[int, int | None, str | None], Standing] = {}

    def stand(self, number: int, ply: int | None, part: str | None) -> Standing:
        """As `matches.stand`."""
        key = (number, ply, part)
        if key not in self._known:
            self._known[key] = stand(self._session, self._session.get_one(Match, number), ply, part)
        return self._known[key]


class View:
    """What templates may ask about a match. What takes time is made when it is asked for."""

    def __init__(self, standing: Standing, reader: Player | None, links_of: Callable[[], Links] = Links) -> None:
        self._standing = standing
        self._links_of = links_of
        self.number = standing.number
        self.title = standing.game.title
        self.key = standing.match.game
        self.ply = standing.ply
        self.turns = standing.ply
        self.sides = tuple(
            {"name": name(player), "side": side, "you": reader is not None and player.id == reader.id}
            for player, side in zip(standing.players, standing.game.sides, strict=True)
        )
        self.options = " ".join(f"{key}={choice}" for key, choice in standing.match.options.items())
        self.seat = standing.seat_of(reader) if reader else None
        self.opponent = next((side["name"] for side in self.sides if not side["you"]), "")
        others = [player for player in standing.players if reader is not None and player.id != reader.id]
        self.absent = next((name(player) for player in others if player.stopped), None)
        self.last = standing.texts[-1] if standing.texts else None
        self.last_by = name(standing.players[standing.last_seat]) if standing.last_seat is not None else None
        self.mover = "You" if self.seat is not None and self.seat == standing.last_seat else self.last_by
        self.part = standing.part
        turn = standing.position.turn
        at_end = standing.position.outcome is not None or standing.ended_here
        self.over = at_end
        self.to_move = None if at_end or turn is None else name(standing.players[turn])
        self.yours = not at_end and turn is not None and turn == self.seat
        self.notation = NOTATIONS[standing.match.game].help
        self.result = self._result(standing) if at_end else ""

    @property
    def board(self) -> str:
        """The board with the last move lit and its notes."""
        return format_board(self._standing.diagram, lit=True, notes=True)

    @property
    def printed_board(self) -> str:
        """The board as records print it."""
        return format_board(self._standing.position.diagram())

    @property
    def record(self) -> str:
        """The turns, as they are written down."""
        return record.written(self._standing.record).rstrip("\n")

    @property
    def hint(self) -> str:
        """What the player to move may write now; "" when the match is over."""
        return NOTATIONS[self.key].hint(self._standing.position) if self.to_move else ""

    @cached_property
    def links(self) -> Links:
        """What the reader can tap; nothing for somebody who does not play in the match."""
        return self._links_of()

    @property
    def variation(self) -> str:
        """The turns that a preview supposes, by whom, in lines."""
        supposed, players = self._standing.supposed, self._standing.players
        if supposed is None:
            return ""
        lines = [f"{name(players[seat])}: {text}" for seat, text in supposed.turns]
        if begun := " ".join(filter(None, (self.part, supposed.chosen))):
            lines.append(f"{self.to_move}, begun: {begun}")
        return "\n".join(piece for line in lines for piece in listed([line]))

    @staticmethod
    def _result(standing: Standing) -> str:
        match, outcome = standing.match, standing.position.outcome
        winner, reason = (outcome.winner, outcome.reason) if outcome else (match.winner, match.reason)
        if winner is None:
            return f"The match is a draw: {reason}."
        return f"{name(standing.players[winner])} has won: {reason}."


def quoted(lines: Any) -> str:
    """A person's words, wrapped and marked, so that they can't be taken for ours.

    >>> print(quoted(["Good luck!"]))
      | Good luck!
    """
    clean = ("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return "\n".join(f"  | {piece}".rstrip() for line in clean for piece in (textwrap.wrap(line, WIDTH - 6) or [""]))


def sentence(text: str) -> str:
    """The text with a capital at its beginning, unless it begins with a square.

    >>> sentence("no stone stands on g7"), sentence("b1 can go to e1")
    ('No stone stands on g7', 'b1 can go to e1')
    """
    return text[:1].upper() + text[1:] if text.split(maxsplit=1)[0].isalpha() else text


def fitted(text: str) -> str:
    """The text with no line longer than 72 columns: long ones are wrapped under their own indentation."""
    return "".join(f"{piece}\n" for line in text.strip("\n").split("\n") for piece in _wrapped(line.rstrip()))


def _wrapped(line: str) -> list[str]:
    """The line, wrapped under its own indentation where it is too long."""
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line, WIDTH, initial_indent="", subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )

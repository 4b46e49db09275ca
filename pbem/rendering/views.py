"""What templates may ask about a match: how it stands, who is to move, and the board in every shape that a mail has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from sqlmodel import Session

from engines.diagram import Diagram
from notation import NOTATIONS, record
from notation.board import Charset, format_board
from notation.description import describe
from notation.ending import Termination
from notation.hints import Hint
from pbem.matches.naming import name
from pbem.matches.snapshot import Snapshot, replayed, turn_texts
from pbem.payloads.sections import MatchThen, Preview
from pbem.players.preferences import ON
from pbem.rendering import attachments, links
from pbem.rendering.board_image import png
from pbem.rendering.html_board import Grid, grid
from pbem.rendering.links import Letter, Link, Links
from pbem.rendering.mime import Attachment, Enclosed
from pbem.rendering.templating import WIDTH
from pbem.storage.facts import MatchFacts
from pbem.storage.models import Player


class Drawing:
    """A match after some turn and what is to be seen of it, made once, however many mails show it."""

    def __init__(self, standing: Snapshot) -> None:
        self.standing = standing
        self._boards: dict[str, str] = {}
        self._files: dict[tuple[str, date], tuple[Attachment, ...]] = {}

    @cached_property
    def diagram(self) -> Diagram:
        """The board as data."""
        return self.standing.diagram

    def board(self, drawn: str) -> str:
        """The board as the readers who chose that want it in their text, with the last move and what is beside it."""
        if drawn not in self._boards:
            self._boards[drawn] = self._drawn(drawn)
        return self._boards[drawn]

    def _drawn(self, drawn: str) -> str:
        if drawn == "words":
            return self.spoken(WIDTH)
        return format_board(self.diagram, lit=True, notes=True, charset=_charset(drawn))

    def spoken(self, width: int | None = None) -> str:
        """The position in words."""
        first, second = self.standing.players
        return describe(self.diagram, (name(first), name(second)), width=width)

    @cached_property
    def picture(self) -> bytes:
        """The board as PNG."""
        return png(self.diagram)

    def files(self, site: str, generated: datetime) -> tuple[Attachment, ...]:
        """The match as files, made by that server at that time; only the day of it is told in them."""
        key = (site, generated.date())
        if key not in self._files:
            self._files[key] = attachments.of(self.standing, site=site, generated=generated)
        return self._files[key]

    @cached_property
    def record(self) -> str:
        """The turns, as they are written down."""
        return record.written(self.standing.record).rstrip("\n")


class Drawings:
    """Matches as they stood after some turn, each replayed and drawn once for all messages that are made together."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._now: dict[str, Snapshot] = {}
        self._known: dict[tuple[str, int | None, str | None], Drawing] = {}

    def of(self, facts: MatchFacts, ply: int | None = None, part: str | None = None) -> Drawing:
        """Return the match after that many of the turns it had then (all, when left out), with that part on top."""
        key = (facts.key, ply, part)
        if key not in self._known:
            if facts.key not in self._now:
                turns = turn_texts(self._session, facts.match)[: facts.match.plies]
                self._now[facts.key] = replayed(facts.match, facts.players, turns)
            now = self._now[facts.key]
            then = now if ply is None else now.at(ply)
            self._known[key] = Drawing(then if part is None else then.begun(part))
        return self._known[key]


@dataclass(frozen=True, slots=True)
class Played:
    """A turn of a match, for a list of them."""

    number: int
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One mail, to one reader: who reads, what he wishes, how he can answer, and what goes with the words."""

    reader: Player | None
    wishes: Mapping[str, str]
    letter: Callable[[Snapshot, int], Letter | None]
    """The answer about a match of which so many turns were seen, as links open it; None where it would not act."""
    enclosed: Enclosed
    site: str
    """What this server is called."""
    written: datetime
    """When the mail was."""
    spares: bool = False
    """Whether the HTML shows boards in letters only, and nothing to tap on them: there are too many."""


class Views:
    """The matches that one mail tells of: what templates get by `view` and `preview`, each made once."""

    def __init__(self, sights: Drawings, reading: Reading, matches: Mapping[int, MatchFacts]) -> None:
        self._sights, self._reading, self._matches = sights, reading, matches
        self._viewed: dict[tuple[int, int | None, str | None], View] = {}
        self._previewed: dict[Preview | MatchThen, View] = {}

    def view(self, number: int, ply: int | None = None, part: str | None = None) -> "View":
        """The match after that many turns (all, when left out), with that part of a turn on top."""
        key = (number, ply, part)
        if key not in self._viewed:
            sight = self._sights.of(self._matches[number], ply, part)
            self._viewed[key] = View(sight, self._reading, sight.standing.ply)
        return self._viewed[key]

    def preview(self, asked: Preview | MatchThen) -> "View":
        """Return the match as the section asks to see it, with turns that nobody has played."""
        if asked not in self._previewed:
            standing = self._sights.of(self._matches[asked.match], asked.ply).standing
            if isinstance(asked, MatchThen):
                supposed = standing.suppose((), past=True)
            else:
                flags = {"past": asked.past, "playable": asked.playable, "kept": asked.kept}
                supposed = standing.suppose(asked.turns, asked.part, asked.chosen, **flags)
            self._previewed[asked] = View(Drawing(supposed), self._reading, asked.now)
        return self._previewed[asked]


class View:
    """A match as one reader sees it. What takes time is made when a template asks for it."""

    def __init__(self, sight: Drawing, reading: Reading, seen: int) -> None:
        standing, reader = sight.standing, reading.reader
        self._sight, self._standing, self._reading, self._seen = sight, standing, reading, seen
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
        outcome, ending = standing.position.outcome, standing.ending
        winner = outcome.winner if outcome else standing.match.winner if ending else None
        self.winner = None if winner is None else name(standing.players[winner])
        self.termination = Termination.RULES if outcome else ending.termination if ending else None
        self.ended_by = None if ending is None or ending.seat is None else name(standing.players[ending.seat])
        self.reason = outcome.reason if outcome else standing.match.reason

    @property
    def board(self) -> str:
        """The board in text, as the reader wants it, with the last move and what is said beside it."""
        return self._sight.board(self._reading.wishes["board"])

    @property
    def spoken(self) -> tuple[str, ...]:
        """The position in words, by sentences."""
        return tuple(self._sight.spoken().splitlines())

    @property
    def picture(self) -> str | None:
        """Where HTML finds the board as a picture; None for readers who want none."""
        if self._reading.wishes["picture"] != ON or self.in_words or self.in_letters:
            return None
        return self._reading.enclosed.show(self._sight.picture)

    def attach(self) -> tuple[str, ...]:
        """Send the match along as files; their names. Who wants no pictures gets none here either."""
        files = self._sight.files(self._reading.site, self._reading.written)
        wanted = [file for file in files if file.maintype != "image" or self._reading.wishes["picture"] == ON]
        for file in wanted:
            self._reading.enclosed.attach(file)
        return tuple(file.name for file in wanted)

    @property
    def in_words(self) -> bool:
        """Whether the reader wants the board in words and nothing drawn."""
        return self._reading.wishes["board"] == "words"

    @property
    def in_letters(self) -> bool:
        """Whether the board is shown in letters and not drawn, since the mail would get too large."""
        return self._reading.spares and not self.in_words

    @property
    def printed_board(self) -> str:
        """The board as records print it."""
        return format_board(self._sight.diagram)

    @property
    def letters(self) -> str:
        """The board in letters (or signs), with the last move lit, and nothing beside it."""
        return format_board(self._sight.diagram, lit=True, charset=_charset(self._reading.wishes["board"]))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said beside the board."""
        return self._sight.diagram.notes

    @property
    def grid(self) -> Grid:
        """The board as a table, in which the reader can tap what he may choose next."""
        return grid(self._sight.diagram, {cell: link.uri for cell, link in self.links.by_cell.items()})

    @cached_property
    def links(self) -> Links:
        """What the reader can tap; nothing for somebody who does not play in the match."""
        return links.of_match(self._standing, self._reading.reader, self._reading.letter(self._standing, self._seen))

    @property
    def steps_beside(self) -> tuple[Link, ...]:
        """The steps that can't be tapped on the board: all of them, for a reader who wants no board drawn."""
        tapped = set() if self.in_words else {link.uri for link in self.links.by_cell.values()}
        return tuple(link for link in self.links.steps if link.uri not in tapped)

    @property
    def variation(self) -> tuple[str, ...]:
        """Who plays what in the turns that a preview supposes."""
        supposed, players = self._standing.supposed, self._standing.players
        if supposed is None:
            return ()
        lines = [f"{name(players[seat])}: {text}" for seat, text in supposed.turns]
        if begun := " ".join(filter(None, (self.part, supposed.chosen))):
            lines.append(f"{self.to_move}, begun: {begun}")
        return tuple(lines)

    @property
    def record(self) -> str:
        """The turns, as they are written down."""
        return self._sight.record

    def played(self, most: int) -> tuple[Played, ...]:
        """So many of the last turns, oldest first."""
        standing = self._standing
        return tuple(
            Played(ply + 1, name(standing.players[standing.seats[ply]]), standing.texts[ply])
            for ply in range(max(0, standing.ply - most), standing.ply)
        )

    @property
    def hint(self) -> Hint | None:
        """What the player to move can write now; None when the match is over."""
        return NOTATIONS[self.key].hint(self._standing.position) if self.to_move else None


def _charset(drawn: str) -> Charset:
    """What a board that is drawn so is made of."""
    return "unicode" if drawn == "unicode" else "ascii"

"""What templates can ask about a match: its state, whose turn it is, and the board in every form a message has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from engines.diagram import LAST_MOVE
from engines.search import is_lenient, is_weak_at, seed_of
from engines.seats import seat_of
from engines.special import Special
from notation.board import format_board
from notation.ending import Termination
from notation.games import GAMES
from notation.hints import Hint
from notation.steps import cells_of
from notation.time_control import from_stored, in_words, per_turn_instead
from notation.tokens import read_special
from pbem.matches import offers
from pbem.matches.clock.timekeeping import TimeShown, clock_of, moment, time_shown
from pbem.matches.queries import name
from pbem.matches.ratings.derivation import rated_on, week_of
from pbem.matches.ratings.standings import in_short
from pbem.matches.snapshot import Snapshot
from pbem.messages import analysis, drawings, links
from pbem.messages.analysis import Analysed, Estimate
from pbem.messages.boards.html_board import Grid, grid
from pbem.messages.drawings import Drawing, Drawings, Played, charset_of
from pbem.messages.links import Links, ReplyTarget
from pbem.messages.mime import Enclosed
from pbem.messages.preferences import HINTS, LONG
from pbem.messages.said.sections import Branch, MatchThen, OfferShown, PlayedByItself, Preview
from pbem.messages.templating import Picture, illustrated
from pbem.storage.message_facts import MatchFacts
from pbem.storage.models import MatchState, Player
from pbem.storage.preferences import ON


@dataclass(frozen=True, slots=True)
class ReaderContext:
    reader: Player | None
    preferences: Mapping[str, str]
    reply_target: Callable[[Snapshot, int], ReplyTarget | None]
    """Returns where links about a match lead, for a reader who has seen that many turns; None if a reply can't act."""
    enclosed: Enclosed
    origin: str
    """This server, as files name it."""
    written: datetime
    """The date of the message."""
    several: bool = False
    """Whether the message is about several matches, so that its pictures are smaller."""
    first: frozenset[int] = frozenset()
    """The matches that are the reader's first of their game, and have just begun."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """What the reader has noted for themselves, by match."""
    compact: bool = False
    """Whether the HTML shows boards as characters only, without links, because the message would be too large."""
    board_page: Callable[[Snapshot], str | None] = lambda _: None
    """Returns the URL of a page on which the reader can tap what they do next; None if there is none."""


class Views:
    """The matches in one message, as templates get them from `view` and `preview`; each is made once."""

    def __init__(self, drawings: Drawings, context: ReaderContext, matches: Mapping[int, MatchFacts]) -> None:
        self._drawings, self._context, self._matches = drawings, context, matches
        self._viewed: dict[tuple[int, int | None, str | None], View] = {}
        self._previewed: dict[Preview | MatchThen | Branch, View] = {}

    def view(self, number: int, ply: int | None = None, part: str | None = None) -> "View":
        """Return the match after that many turns (default: all), with that part of a turn on top.

        A match that began at a position of another one is never shown before that.
        """
        ply = None if ply is None else max(ply, self._matches[number].match.begun_after)
        key = (number, ply, part)
        if key not in self._viewed:
            drawing = self._drawings.of(self._matches[number], ply, part)
            self._viewed[key] = View(drawing, self._context, drawing.snapshot.ply, self._matches[number].ratings)
        return self._viewed[key]

    def preview(self, asked: Preview | MatchThen | Branch) -> "View":
        if asked not in self._previewed:
            snapshot = self._drawings.of(self._matches[asked.match], asked.ply).snapshot
            if isinstance(asked, MatchThen):
                hypothesis = snapshot.with_hypothesis((), past=True)
            elif isinstance(asked, Branch):
                hypothesis = snapshot.with_hypothesis(asked.turns)
            else:
                flags = {"past": asked.past, "playable": asked.playable, "kept": asked.kept}
                hypothesis = snapshot.with_hypothesis(asked.turns, asked.part, asked.chosen, **flags)
            now = asked.ply if isinstance(asked, Branch) else asked.now
            ratings = self._matches[asked.match].ratings
            self._previewed[asked] = View(Drawing(hypothesis), self._context, now, ratings)
        return self._previewed[asked]

    def illustrations(self, game: str) -> tuple[Picture, ...]:
        wished = self._context.preferences
        if wished["picture"] != ON or wished["board"] == "words" or self._context.compact:
            return ()
        return tuple(
            (shown, self._context.enclosed.show(image)) for shown, image in (illustrated(game) if game in GAMES else ())
        )


@dataclass(frozen=True, slots=True)
class Side:
    name: str
    side: str
    you: bool
    rating: str


def _explained(snapshot: Snapshot) -> str:
    if not snapshot.texts:
        return ""
    if is_lenient(snapshot.match.level or 0, seed_of(snapshot.number, snapshot.ply - 1)):
        return "The house has taken two of its turns at random, and played the weaker one to give you a chance."
    return "The house has looked at a few of its turns, and liked this one best, but not at what you can answer."


class View:
    def __init__(
        self, drawing: Drawing, context: ReaderContext, seen: int, ratings: Sequence[tuple[float, float] | None]
    ) -> None:
        snapshot, reader = drawing.snapshot, context.reader
        self.seat = snapshot.seat_of(reader) if reader else None
        self._drawing, self._snapshot = drawing.seen_by(self.seat), snapshot
        self._context, self._seen = context, seen
        self.number = snapshot.number
        self.mark = f"#{snapshot.number} " if context.several else ""
        self.title, self.summary = snapshot.game.title, snapshot.game.summary
        self.key = snapshot.match.game
        self.ply = self.turns = snapshot.ply
        self.pair = snapshot.game.number(snapshot.ply + 1) if snapshot.game.in_pairs else None
        self.sides = tuple(
            Side(name(player), side, reader is not None and player.id == reader.id, in_short(*rating) if rating else "")
            for player, side, rating in zip(snapshot.players, snapshot.game.sides, ratings, strict=True)
        )
        chosen = snapshot.game.options_in_words(snapshot.match.options)
        match = snapshot.match
        further = {"rated": match.rated, "undo=free": match.free_undo}
        self.options = " ".join((*chosen, *(word for word, holds in further.items() if holds)))
        if began := snapshot.began:
            self.options = f"{self.options}, begins {began}" if self.options else f"begins {began}"
        self.free_undo = match.free_undo
        """Whether a turn can be taken back without asking until it is answered."""
        self.level = snapshot.match.level
        self.explained = _explained(snapshot) if self.level == 0 and self.seat != snapshot.last_seat else ""
        """How the house came to its turn, at the level for learners."""
        self.is_weak = self.level is not None and is_weak_at(snapshot.game)
        self.tournament, self.round = snapshot.match.tournament, snapshot.match.round
        control = from_stored(snapshot.match.time)
        names = (self.sides[0].name, self.sides[1].name)
        self.time, self.per_turn = in_words(control, names), per_turn_instead(control)
        opponents = [side.name for side in self.sides if not side.you]
        self.opponent = " - ".join(opponents)
        others = [player for player in snapshot.players if reader is not None and player.id != reader.id]
        self.absent = next((name(player) for player in others if player.stopped), None)
        self.last = snapshot.texts[-1] if snapshot.texts else None
        self.last_by = name(snapshot.players[snapshot.last_seat]) if snapshot.last_seat is not None else None
        self.mover = "You" if self.seat is not None and self.seat == snapshot.last_seat else self.last_by
        self.part = snapshot.part
        turn = snapshot.position.turn
        at_end = snapshot.position.outcome is not None or snapshot.ended_here
        self.over = at_end
        match = snapshot.match
        self.offered = match.state == MatchState.OFFERED
        self.asked = self.offered and reader is not None and reader.id != match.challenger and self.seat is not None
        self.closed = match.state if match.state in (MatchState.DECLINED, MatchState.WITHDRAWN) else None
        self.to_move = None if at_end or turn is None else name(snapshot.players[turn])
        self.missing = snapshot.is_missing
        """Whether the game isn't there, so that there is no board."""
        self.yours = not at_end and turn is not None and turn == self.seat
        self.notation = snapshot.notation.help
        outcome, ending = snapshot.position.outcome, snapshot.ending
        winner = outcome.winner if outcome else snapshot.match.winner if ending else None
        self.winner = None if winner is None else "You" if winner == self.seat else name(snapshot.players[winner])
        self.termination = Termination.RULES if outcome else ending.termination if ending else None
        ended_by = None if ending is None else ending.seat
        self.ended_by = (
            None if ended_by is None else "you" if ended_by == self.seat else name(snapshot.players[ended_by])
        )
        self.reason = outcome.reason if outcome else snapshot.match.reason
        self.is_current = match.state == MatchState.RUNNING and self.ply == snapshot.total and not snapshot.hypothesis
        """Whether this is the match as it was when the message was queued, and it went on."""
        self.paused = self.is_current and self.seat is not None and match.paused is not None
        self.taken_back = match.shift > 0
        self.note = tuple(context.notes.get(self.number, "").splitlines())
        wishes = context.preferences
        self.in_words = wishes["board"] == "words"
        """Whether the reader wants the board in words, and nothing drawn."""
        self.in_letters = context.compact and not self.in_words
        """Whether the board is shown as characters instead of drawn, because the message would be too large."""
        self.is_drawn = wishes["picture"] == ON and not self.in_words and not self.in_letters
        self.explains = wishes[HINTS] == LONG or self.number in context.first
        """Whether the reader is told how the game is played: in their first turns of it, or because they want that."""

    @property
    def offers(self) -> tuple[OfferShown, ...]:
        """The offers that can be accepted, or withdrawn by the reader; they are nobody else's."""
        if not self.is_current or self.seat is None:
            return ()
        snapshot = self._snapshot
        return tuple(
            OfferShown(
                offer.kind.value,
                name(snapshot.players[offer.seat]),
                offer.seat == self.seat,
                () if offer.back_to is None else snapshot.texts[offer.back_to :],
                "" if offer.until is None else self.moment(offer.until),
            )
            for offer in offers.open_offers(snapshot.match)
        )

    @property
    def paused_until(self) -> str | None:
        resumes = self._snapshot.match.resumes
        return self.moment(resumes) if self.paused and resumes is not None else None

    @property
    def told(self) -> str:
        """What the last turn did, where it is a word and changed cells: ": the stone is on k3 now"; "" otherwise."""
        told = self._drawing.diagram.told.removeprefix(LAST_MOVE).rstrip(".")
        is_word = not self.part and read_special(self.last or "", *Special) is not None
        return f": {told}" if is_word and cells_of(told) else ""

    def moment(self, time: datetime) -> str:
        return moment(time, self._context.preferences["zone"], self._context.written)

    @cached_property
    def clock(self) -> TimeShown | None:
        match = self._snapshot.match
        clock = clock_of(match) if self.is_current else None
        if clock is None or match.to_move is None:
            return None
        names = (self.sides[0].name, self.sides[1].name)
        context = self._context
        return time_shown(clock, seat_of(match.to_move), names, self.seat, context.preferences["zone"], context.written)

    @property
    def can_claim(self) -> bool:
        return self.clock is not None and self.clock.is_overdue and self.seat is not None and not self.yours

    @property
    def counts_on(self) -> str | None:
        """When the result gets into the ratings, in words; None if it doesn't, or if that was before."""
        counted = self._snapshot.match.counted if self.over else None
        if counted is None or week_of(counted) != week_of(self._context.written):
            return None
        return rated_on(week_of(counted))

    @property
    def board(self) -> str:
        return self._drawing.board(self._context.preferences["board"])

    @property
    def spoken(self) -> tuple[str, ...]:
        return tuple(self._drawing.spoken().splitlines())

    @property
    def picture(self) -> str | None:
        """The URL of the picture of the board for HTML; None for readers who don't want pictures."""
        return self._context.enclosed.show(self._drawing.picture) if self.is_drawn else None

    def attach(self) -> tuple[str, ...]:
        """Attach the match as files and return their names; no pictures for readers who don't want them."""
        pictures = self._context.preferences["picture"] == ON
        files = self._drawing.files(self._context.origin, self._context.written, pictures=pictures)
        for file in files:
            self._context.enclosed.attach(file)
        return tuple(file.name for file in files)

    @property
    def printed_board(self) -> str:
        return format_board(self._drawing.diagram)

    @property
    def letters(self) -> str:
        """The board as characters, with the last move highlighted and nothing beside it."""
        return format_board(self._drawing.diagram, lit=True, charset=charset_of(self._context.preferences["board"]))

    @property
    def remarks(self) -> tuple[str, ...]:
        return (*self._edges, *self._drawing.diagram.remarks)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._edges, *self._drawing.diagram.notes)

    @property
    def _edges(self) -> tuple[str, ...]:
        return self._drawing.diagram.legend.named_edges()

    @property
    def grid(self) -> Grid:
        """The board as a table in which the reader can tap what they may choose next."""
        return grid(self._drawing.diagram, {cell: link.uri for cell, link in self.links.by_cell.items()})

    @cached_property
    def links(self) -> Links:
        """What the reader can tap; nothing for readers who don't play in the match."""
        target = self._context.reply_target(self._snapshot, self._seen)
        return links.of_match(self._snapshot, self._context.reader, target, can_claim=self.can_claim)

    @cached_property
    def board_page(self) -> str | None:
        """The URL of a page on which the reader can tap their turn, or prepare it; None if there is none.

        It is made for this message. The house answers at once, so nothing is prepared against it.
        """
        can_act = self.yours or (self.seat is not None and self.to_move is not None and self.level is None)
        is_asked = can_act and self.is_current and not self.part
        return self._context.board_page(self._snapshot) if is_asked else None

    @property
    def variation(self) -> tuple[str, ...]:
        hypothesis, players = self._snapshot.hypothesis, self._snapshot.players
        if hypothesis is None:
            return ()
        lines = [f"{name(players[seat])}: {text}" for seat, text in hypothesis.turns]
        if begun := " ".join(filter(None, (self.part, hypothesis.chosen))):
            lines.append(f"{self.to_move}, begun: {begun}")
        return tuple(lines)

    @property
    def record(self) -> str:
        return self._drawing.record

    def played(self, most: int) -> tuple[Played, ...]:
        return self._drawing.played(most)

    def at_once(self, since: int, by_itself: tuple[PlayedByItself, ...]) -> tuple[str, ...]:
        return drawings.in_words(self.played(self.turns - since + 1), self.seat, by_itself)

    def analysed(self, estimates: Sequence[Estimate], since: int) -> Analysed:
        return analysis.analysed(estimates, since, self._snapshot)

    def chart(self, analysed: Analysed) -> str | None:
        return self._context.enclosed.show(analysed.picture()) if self.is_drawn else None

    @property
    def last_turns(self) -> str:
        return self._drawing.last_turns

    @cached_property
    def hint(self) -> Hint | None:
        """What the player to move can write now; nothing in the midst of a turn, and None when the match is over."""
        if self._snapshot.hypothesis is not None and self._snapshot.hypothesis.chosen:
            return Hint(())  # advice about the whole turn would say again what is done; the steps say what can follow
        hint = self._snapshot.notation.hint(self._snapshot.position) if self.to_move else None
        if hint is None or not self.explains:
            return hint and replace(hint, basics="")
        begins = self._snapshot.total < len(self._snapshot.players)
        return replace(hint, basics=f"{self._snapshot.pack.goal} {hint.basics}".strip()) if begins else hint

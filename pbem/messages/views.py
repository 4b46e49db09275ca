"""What templates can ask about a match: its state, whose turn it is, and the board in every form a message has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from engines.core import Seat
from engines.diagram import LAST_MOVE, Diagram
from engines.search import is_lenient, is_weak_at, seed_of
from engines.seats import seat_of
from engines.special import Special
from notation.board import Charset, format_board
from notation.description import describe
from notation.ending import Termination
from notation.games import GAMES
from notation.hints import Hint
from notation.steps import cells_of
from notation.time_control import from_stored, in_words, per_turn_instead
from notation.tokens import read_special
from pbem.matches import stored_offers
from pbem.matches.clock.timekeeping import clock_of
from pbem.matches.events import Cause
from pbem.matches.ratings.standings import in_short
from pbem.matches.ratings.weekly_rating import rated_on, week_of
from pbem.matches.replayed_match import Snapshot
from pbem.matches.shown_names import name
from pbem.messages import analysis, reply_links
from pbem.messages.analysis import Analysed, Estimate
from pbem.messages.boards.html_board import Grid, grid
from pbem.messages.contents.answer_sections import Branch, MatchThen, OfferShown, PlayedByItself, Preview
from pbem.messages.general_preferences import HINTS, LONG
from pbem.messages.match_files import Drawings
from pbem.messages.mime import Enclosed
from pbem.messages.reply_links import Links, ReplyTarget
from pbem.messages.rules_page import Picture, illustrated
from pbem.messages.templating import SHOWN_TURNS, WIDTH
from pbem.messages.times_shown import TimeShown, moment, time_shown
from pbem.storage.facts_when_queued import Facts
from pbem.storage.models import MatchState
from pbem.storage.preference_definition import ON

AT_RANDOM = "The house has taken two of its turns at random, and played the weaker one to give you a chance."
SHORTSIGHTED = "The house has looked at a few of its turns, and liked this one best, but not at what you can answer."


@dataclass(frozen=True, slots=True)
class Views:
    """The matches in one message, as templates get them from `view` and `preview`."""

    drawings: Drawings
    facts: Facts
    preferences: Mapping[str, str]
    reply_target: Callable[[Snapshot, int], ReplyTarget | None]
    """Returns where links about a match lead, for a reader who has seen that many turns; None if a reply can't act."""
    board_page: Callable[[Snapshot], str | None]
    """Returns the URL of a page on which the reader can tap what they do next; None if there is none."""
    enclosed: Enclosed
    origin: str  # this server, as files name it
    written: datetime  # the date of the message
    several: bool  # whether the message is about several matches, so that its pictures are smaller
    compact: bool
    """Whether the HTML shows boards as characters only, without links, because the message would be too large."""

    def view(self, number: int, ply: int | None = None, part: str | None = None) -> "View":
        """Return the match after that many turns (default: all), with that part of a turn on top.

        A match that began at a position of another one is never shown before that.
        """
        facts = self.facts.matches[number]
        snapshot = self.drawings.of(facts, None if ply is None else max(ply, facts.match.begun_after), part)
        return View(self, snapshot, snapshot.ply)

    def preview(self, section: Preview | MatchThen | Branch) -> "View":
        snapshot = self.drawings.of(self.facts.matches[section.match], section.ply)
        match section:
            case MatchThen():
                return View(self, snapshot.with_hypothesis((), past=True), section.now)
            case Branch():
                return View(self, snapshot.with_hypothesis(section.turns), section.ply)
            case Preview():
                flags = {"past": section.past, "playable": section.playable, "kept": section.kept}
                hypothesis = snapshot.with_hypothesis(section.turns, section.part, section.chosen, **flags)
                return View(self, hypothesis, section.now)

    def illustrations(self, game: str) -> tuple[Picture, ...]:
        if game not in GAMES or self.preferences["picture"] != ON or self.preferences["board"] == "words":
            return ()
        return () if self.compact else tuple((shown, self.enclosed.show(png)) for shown, png in illustrated(game))


@dataclass(frozen=True, slots=True)
class Side:
    name: str
    side: str
    you: bool
    rating: str


@dataclass(frozen=True, slots=True)
class Played:
    number: int
    seat: int
    by: str
    text: str


class View:
    def __init__(self, views: Views, snapshot: Snapshot, seen: int) -> None:
        """`seen` is the number of turns that the reader has seen of the match."""
        self._views, self._snapshot, self._seen = views, snapshot, seen
        match, reader, ratings = snapshot.match, views.facts.reader, views.facts.matches[snapshot.number].ratings
        self.number, self.key = snapshot.number, match.game
        self.mark = f"#{snapshot.number} " if views.several else ""
        self.title, self.summary = snapshot.game.title, snapshot.game.summary
        self.tournament, self.round = match.tournament, match.round
        self.notation = snapshot.notation.help
        self.missing = snapshot.is_missing
        """Whether the game isn't there, so that there is no board."""
        self.own = {kind: text.splitlines() for kind, text in views.facts.own.get(self.number, {}).items()}
        """What the reader keeps about the match for themselves: its lines by its kind."""
        self.seat = snapshot.seat_of(reader) if reader else None
        self.sides = tuple(
            Side(name(player), side, reader is not None and player.id == reader.id, in_short(*rating) if rating else "")
            for player, side, rating in zip(snapshot.players, snapshot.game.sides, ratings, strict=True)
        )
        self.opponent = " - ".join(side.name for side in self.sides if not side.you)
        others = [player for player in snapshot.players if reader is not None and player.id != reader.id]
        self.absent = next((name(player) for player in others if player.stopped), None)

        self.free_undo = match.free_undo
        """Whether a turn can be taken back without asking until it is answered."""
        further = {"rated": match.rated, "undo=free": match.free_undo}
        chosen = snapshot.game.options_in_words(match.options)
        options = " ".join((*chosen, *(word for word, holds in further.items() if holds)))
        self.options = ", ".join(filter(None, (options, snapshot.began and f"begins {snapshot.began}")))
        control = from_stored(match.time)
        self.time, self.per_turn = in_words(control, self._names), per_turn_instead(control)
        self.level = match.level
        self.is_weak = match.level is not None and is_weak_at(snapshot.game)

        self.turns = snapshot.ply
        self.pair = snapshot.game.number(snapshot.ply + 1) if snapshot.game.in_pairs else None
        self.part, self.taken_back = snapshot.part, match.shift > 0
        self.last = snapshot.texts[-1] if snapshot.texts else None
        self.last_by = None if snapshot.last_seat is None else name(snapshot.players[snapshot.last_seat])
        self.mover = self._player_in(snapshot.last_seat)
        turn, outcome, ending = snapshot.position.turn, snapshot.position.outcome, snapshot.ending
        self.over = outcome is not None or snapshot.ended_here
        self.to_move = None if self.over or turn is None else name(snapshot.players[turn])
        self.yours = self.to_move is not None and turn == self.seat
        self.is_current = match.state == MatchState.RUNNING and self.turns == snapshot.total and not snapshot.hypothesis
        """Whether this is the match as it was when the message was queued, and it went on."""
        self.paused = self.is_current and self.seat is not None and match.paused is not None
        self.offered = match.state == MatchState.OFFERED
        self.asked = self.offered and reader is not None and reader.id != match.challenger and self.seat is not None
        self.closed = match.state if match.state in (MatchState.DECLINED, MatchState.WITHDRAWN) else None
        self.winner = self._player_in(outcome.winner if outcome else match.winner if ending else None)
        self.termination = Termination.RULES if outcome else ending.termination if ending else None
        self.ended_by = self._player_in(ending.seat if ending else None, you="you")
        self.reason = outcome.reason if outcome else match.reason

        self.in_words = views.preferences["board"] == "words"
        """Whether the reader wants the board in words, and nothing drawn."""
        self.in_letters = views.compact and not self.in_words
        """Whether the board is shown as characters instead of drawn, because the message would be too large."""
        self.is_drawn = views.preferences["picture"] == ON and not self.in_words and not self.in_letters
        self.explains = views.preferences[HINTS] == LONG or self.number in views.facts.first
        """Whether the reader is told how the game is played: in their first turns of it, or because they want that."""

    def _player_in(self, seat: int | None, you: str = "You") -> str | None:
        return None if seat is None else you if seat == self.seat else name(self._snapshot.players[seat])

    @property
    def _names(self) -> tuple[str, str]:
        first, second = self._snapshot.players
        return name(first), name(second)

    @property
    def explained(self) -> str:
        """How the house came to its turn, at the level for learners."""
        snapshot = self._snapshot
        if self.level != 0 or not snapshot.texts or self.seat == snapshot.last_seat:
            return ""
        return AT_RANDOM if is_lenient(0, seed_of(snapshot.number, snapshot.ply - 1)) else SHORTSIGHTED

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
            for offer in stored_offers.open_offers(snapshot.match)
        )

    @property
    def paused_until(self) -> str | None:
        resumes = self._snapshot.match.resumes
        return self.moment(resumes) if self.paused and resumes is not None else None

    @property
    def told(self) -> str:
        """What the last turn did, where it is a word and changed cells: ": the stone is on k3 now"; "" otherwise."""
        told = self._diagram.told.removeprefix(LAST_MOVE).rstrip(".")
        is_word = not self.part and read_special(self.last or "", *Special) is not None
        return f": {told}" if is_word and cells_of(told) else ""

    def moment(self, time: datetime) -> str:
        return moment(time, self._views.preferences["zone"], self._views.written)

    @cached_property
    def clock(self) -> TimeShown | None:
        match = self._snapshot.match
        clock = clock_of(match) if self.is_current else None
        if clock is None or match.to_move is None:
            return None
        zone = self._views.preferences["zone"]
        return time_shown(clock, seat_of(match.to_move), self._names, self.seat, zone, self._views.written)

    @property
    def can_claim(self) -> bool:
        return self.clock is not None and self.clock.is_overdue and self.seat is not None and not self.yours

    @property
    def counts_on(self) -> str | None:
        """When the result gets into the ratings, in words; None if it doesn't, or if that was before."""
        counted = self._snapshot.match.counted if self.over else None
        if counted is None or week_of(counted) != week_of(self._views.written):
            return None
        return rated_on(week_of(counted))

    @cached_property
    def _diagram(self) -> Diagram:
        return self._snapshot.diagram.seen_by(self.seat)

    @property
    def _charset(self) -> Charset:
        return "unicode" if self._views.preferences["board"] == "unicode" else "ascii"

    @property
    def board(self) -> str:
        if self.in_words:
            return describe(self._diagram, self._names, width=WIDTH)
        return format_board(self._diagram, lit=True, notes=True, charset=self._charset)

    @property
    def spoken(self) -> tuple[str, ...]:
        return tuple(describe(self._diagram, self._names).splitlines())

    @property
    def picture(self) -> str | None:
        """The URL of the picture of the board for HTML; None for readers who don't want pictures."""
        from pbem.messages.boards.board_image import png  # Pillow: see rules_page.illustrated

        return self._views.enclosed.show(png(self._diagram)) if self.is_drawn else None

    def attach(self) -> tuple[str, ...]:
        """Attach the match as files and return their names; no pictures for readers who don't want them."""
        views, pictures = self._views, self._views.preferences["picture"] == ON
        files = views.drawings.files(self._snapshot, views.origin, views.written, pictures=pictures)
        for file in files:
            views.enclosed.attach(file)
        return tuple(file.name for file in files)

    @property
    def printed_board(self) -> str:
        return format_board(self._diagram)

    @property
    def letters(self) -> str:
        """The board as characters, with the last move highlighted and nothing beside it."""
        return format_board(self._diagram, lit=True, charset=self._charset)

    @property
    def remarks(self) -> tuple[str, ...]:
        return (*self._diagram.legend.named_edges(), *self._diagram.remarks)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._diagram.legend.named_edges(), *self._diagram.notes)

    @property
    def grid(self) -> Grid:
        """The board as a table in which the reader can tap what they may choose next."""
        return grid(self._diagram, {cell: link.uri for cell, link in self.links.by_cell.items()})

    @cached_property
    def links(self) -> Links:
        """What the reader can tap; nothing for readers who don't play in the match."""
        target = self._views.reply_target(self._snapshot, self._seen)
        return reply_links.of_match(self._snapshot, self._views.facts.reader, target, can_claim=self.can_claim)

    @cached_property
    def board_page(self) -> str | None:
        """The URL of a page on which the reader can tap their turn, or prepare it; None if there is none.

        It is made for this message. The house answers at once, so nothing is prepared against it.
        """
        can_act = self.yours or (self.seat is not None and self.to_move is not None and self.level is None)
        is_asked = can_act and self.is_current and not self.part
        return self._views.board_page(self._snapshot) if is_asked else None

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
        return self._snapshot.written.rstrip("\n")

    def played(self, most: int) -> tuple[Played, ...]:
        snapshot, seats = self._snapshot, self._snapshot.seats
        return tuple(
            Played(snapshot.game.number(ply + 1), seats[ply], self._names[seats[ply]], snapshot.texts[ply])
            for ply in range(max(0, snapshot.ply - most), snapshot.ply)
        )

    def at_once(self, since: int, by_itself: tuple[PlayedByItself, ...]) -> tuple[str, ...]:
        return turns_in_words(self.played(self.turns - since + 1), self.seat, by_itself)

    def analysed(self, estimates: Sequence[Estimate], since: int) -> Analysed:
        return analysis.analysed(estimates, since, self._snapshot)

    def chart(self, analysed: Analysed) -> str | None:
        return self._views.enclosed.show(analysed.picture()) if self.is_drawn else None

    @property
    def last_turns(self) -> str:
        first = self._snapshot.seats[0] if self._snapshot.texts else 0
        return turns_in_columns(self.played(SHOWN_TURNS), self._names, first)

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


WHY = {Cause.PREPARED.value: ", as you had prepared", Cause.FORCED.value: ", your only legal turn"}
"""What to say of a turn that was played for its player."""
MARK, BETWEEN = "| ", "    "  # before each line, so that a quoted one isn't read as a turn, and between the columns


def turns_in_words(
    turns: Sequence[Played], reader: Seat | None, by_itself: Sequence[PlayedByItself]
) -> tuple[str, ...]:
    why = {turn.text: WHY[turn.why] for turn in by_itself if turn.text}
    return tuple(
        f"You played {turn.text}{why.get(turn.text, '')}" if turn.seat == reader else f"{turn.by} played {turn.text}"
        for turn in turns
    )


def turns_in_columns(turns: Sequence[Played], names: tuple[str, str], first: int) -> str:
    """Return the turns with a column for each player, or one below the other if that would be too broad.

    >>> turns = [Played(2, 1, "bob", "b9b8"), Played(3, 0, "alice", "f3f4")]
    >>> print(turns_in_columns(turns, ("alice", "bob"), first=0))
    |    alice       bob
    |             2  b9b8
    | 3  f3f4
    >>> print(turns_in_columns([Played(3, 0, "alice", "f3f4 " * 13)], ("alice", "bob"), first=0)[:16])
    | 3  alice: f3f4
    """
    digits = len(str(max((turn.number for turn in turns), default=0)))
    in_pairs = any(one.number == other.number for one, other in pairwise(turns))
    rows = [[f"{'':{digits}}  {names[first]}", names[1 - first] if in_pairs else f"{'':{digits}}  {names[1 - first]}"]]
    for turn in turns:
        if len(rows) == 1 or turn.seat == first or rows[-1][1]:
            rows.append(["", ""])
        is_numbered = turn.seat == first or not in_pairs
        rows[-1][turn.seat != first] = f"{turn.number:>{digits}}  {turn.text}" if is_numbered else turn.text
    left, right = (max(len(row[column]) for row in rows) for column in (0, 1))
    if len(MARK) + left + len(BETWEEN) + right > WIDTH:
        return "\n".join(f"{MARK}{turn.number:>{digits}}  {turn.by}: {turn.text}" for turn in turns)
    return "\n".join(f"{MARK}{before:{left}}{BETWEEN}{after}".rstrip() for before, after in rows)

"""Games of OpenSpiel as games of pbem: a position is the actions that led to it, and OpenSpiel knows the rules.

A game of the shelf is a class with what players see: its board, how its turns are written, and why one is refused.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

from pbem import gamekit as kit
from pbem_classics.fields import Field

Turn = str | kit.Special
"""A turn: its canonical text, or a word such as `swap`."""
Actions = tuple[int, ...]
"""Turns as OpenSpiel numbers them; a turn can take several."""
SWAP = -1
"""The action of a swap, which OpenSpiel doesn't know."""
Told = tuple[Sequence[str], Sequence[str], str]
"""The cells that a turn lights up, those that a piece has left, and the turn in words."""
CURIOSITY, MEGABYTES = 1.4, 50
"""How much OpenSpiel's search prefers a turn that it has tried less often, and how large its tree can grow."""
LEAST_SIMULATIONS, MOST_SIMULATIONS = 8, 1_500_000
"""How many simulations a turn takes at least and, at the highest level, at most: half a minute of one core."""
LARGEST_SEED = 2**31
"""More than any seed that OpenSpiel takes: those of the house grow with the number of the match."""
CELL = re.compile(r"[a-z][0-9]+")


class Reason(kit.Reason):
    """Why a turn is refused, in any game."""

    OFF_BOARD = "{token} is not on this board; its cells are {first} to {last}"
    NO_SKIPPING = "nobody can pass; {instead}"
    NO_SWAP = "this match is played without the swap (swap=no); {instead}"
    NO_SWAP_NOW = "only {side} can swap, and only in answer to the first stone; {instead}"
    TAKEN = "{side} has a {piece} on {cell} already; {instead}"
    NOTHING_THERE = "there is no {piece} of yours on {cell}; {instead}"
    NOT_SO = "{turn} is against the rules; {instead}"


@cache
def opened(rules: str) -> Any:
    """Return a game of OpenSpiel, which is loaded when the first match needs it."""
    import pyspiel

    return pyspiel.load_game(rules)


def searched(state: Any, simulations: int, seed: int = 1) -> Any:
    """Return the root of a tree that OpenSpiel has searched by random play (MCTS); the seed decides what it finds."""
    import pyspiel

    game, seed = state.get_game(), seed % LARGEST_SEED
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed)
    bot = pyspiel.MCTSBot(game, evaluator, CURIOSITY, simulations, MEGABYTES, solve=True, seed=seed, verbose=False)
    return bot.mcts_search(state)


@lru_cache(maxsize=256)
def reached(rules: str, apply: Callable[[Any, int], None], actions: Actions) -> Any:
    """Return the state of OpenSpiel after these actions. It is shared: nothing may change it."""
    state = opened(rules).new_initial_state()
    for action in actions:
        apply(state, action)
    return state


@dataclass(frozen=True, slots=True)
class SpielPosition(kit.PlayedWhole):
    """The state of a game: its name and parameters in OpenSpiel, and the actions so far.

    `swap` is whether the second player can take over the first stone, and `swapped` whether they have: then OpenSpiel's
    second player has seat 0.
    """

    rules: str
    swap: bool = False
    actions: Actions = ()
    swapped: bool = False
    turn: kit.Seat | None = 0
    outcome: kit.Outcome | None = None

    signs: ClassVar[str]
    """How OpenSpiel draws an empty cell, and the pieces of its first and its second player."""
    piece: ClassVar[str] = "stone"
    in_steps: ClassVar[bool] = False
    """Whether a turn can take several actions."""
    rollouts: ClassVar[int] = 16
    """How many random matches an estimate is worth."""
    simulations: ClassVar[int] = 0
    """How many simulations of OpenSpiel's search a node of ours takes as long as; 0 where our search is as strong."""
    aim: ClassVar[str]
    """How a turn is written and what it aims for, for people who don't know the game well yet."""

    # What a game can say otherwise ------------------------------------------------------------------------

    @property
    def field(self) -> Field:
        raise NotImplementedError

    def ended(self, winner: kit.Seat | None) -> str:
        """Return how the match has ended, in words that name the score."""
        raise NotImplementedError

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        """Return why the rules forbid a turn whose cells are all on the board."""
        return self.refused(Reason.NOT_SO, turn=move)

    @staticmethod
    def apply(state: Any, action: int) -> None:
        """Change OpenSpiel's state by an action, and by what the rules then make the players do."""
        state.apply_action(action)

    @staticmethod
    def allowed(state: Any) -> list[int]:
        """Return the legal actions, where a player is to choose one; the search looks ahead at all of OpenSpiel's."""
        return list(state.legal_actions())

    def is_midway(self, before: Any, after: Any) -> bool:
        """Return whether an action has left a turn unfinished: whoever took it is to take another."""
        return self.in_steps and not after.is_terminal() and after.current_player() == before.current_player()

    def native(self, cell: str) -> str:
        """Return how OpenSpiel calls a cell, and how we call one of OpenSpiel's."""
        return cell

    def drawn_cells(self) -> Sequence[str]:
        """Return the cells in the order in which OpenSpiel draws them."""
        return self.board.names

    def word(self, state: Any, actions: Sequence[int]) -> str:
        """Return the text of a turn."""
        return "".join(map(self.native, CELL.findall(state.action_to_string(actions[0]))))

    @staticmethod
    def drawing(state: Any) -> str:
        """Return the text in which OpenSpiel draws a board."""
        return str(state)

    @classmethod
    def estimate(cls, state: Any) -> float:
        """Return a guess of the outcome for OpenSpiel's first player: how a few random matches from there end."""
        root = searched(state, cls.rollouts)
        return float(root.total_reward / root.explore_count) * (-1 if state.current_player() else 1)

    @property
    def board(self) -> kit.Board:
        return self.field.board

    @property
    def pass_passage(self) -> kit.Passage:
        """What a hint says where the player can pass."""
        return kit.PASS_PASSAGE

    @property
    def legend(self) -> kit.Legend:
        return self.field.legend

    @property
    def sides(self) -> tuple[str, str]:
        return self.legend.sides

    # The rules --------------------------------------------------------------------------------------------

    @property
    def here(self) -> Any:
        """OpenSpiel's state."""
        return reached(self.rules, self.apply, self.actions)

    @property
    def can_swap(self) -> bool:
        return self.swap and len(self.actions) == 1 and not self.swapped

    def state(self) -> "SpielState":
        """Return the position as the search of the house sees it."""
        return SpielState(self, self.here)

    def search(self, nodes: int, seed: int) -> tuple[Turn, float, bool, int] | None:
        """Return the turn of OpenSpiel's search, its value, whether it is exact, and the nodes; None for ours.

        OpenSpiel doesn't know the swap, so ours chooses the first stone, and whether to take it over.
        """
        if not self.simulations or (self.swap and len(self.actions) < 2 and not self.swapped):
            return None
        root = searched(self.here, max(LEAST_SIMULATIONS, min(nodes * self.simulations, MOST_SIMULATIONS)), seed)
        best = root.best_child()
        value = float(best.outcome[best.player] if best.outcome else best.total_reward / best.explore_count)
        return _turn(self.word(self.here, (best.action,))), value, bool(best.outcome), nodes

    def legal(self) -> Mapping[str, Actions]:
        """Return the legal turns by their texts."""
        return _legal(self)

    def moves(self) -> Iterator[Turn]:
        """Yield every legal turn once."""
        yield from (_turn(text) for text in self.legal())

    def play(self, move: Turn) -> Self:
        """Return the position after the turn; raise IllegalMove."""
        if self.turn is None:
            raise kit.GameOver(self.outcome)
        actions = self.legal().get(str(move))
        if actions is None:
            raise self.refusal(move)
        if actions == (SWAP,):
            return replace(self, swapped=True, turn=0)
        return self.after((*self.actions, *actions))

    def after(self, actions: Actions) -> Self:
        """Return the position that these actions lead to."""
        state = reached(self.rules, self.apply, actions)
        if not state.is_terminal():
            return replace(self, actions=actions, turn=self.seat(state.current_player()))
        winner = self.winner(state)
        end = replace(self, actions=actions, turn=None)
        return replace(end, outcome=kit.Outcome(winner, end.ended(winner)))

    def seat(self, player: int) -> kit.Seat:
        """Return the seat of a player of OpenSpiel."""
        return kit.seat_of(player ^ self.swapped)

    def winner(self, state: Any) -> kit.Seat | None:
        gains = state.returns()
        return self.seat(int(gains[1] > gains[0])) if gains[0] != gains[1] else None

    # Refusals ---------------------------------------------------------------------------------------------

    def refusal(self, move: Turn) -> kit.IllegalMove:
        """Return why a turn is refused."""
        if move is kit.Special.SWAP:
            return self.refused(Reason.NO_SWAP_NOW if self.swap else Reason.NO_SWAP, side=self.sides[1])
        if isinstance(move, kit.Special):
            return self.refused(Reason.NO_SKIPPING)
        cells, names = CELL.findall(move), self.board.places
        for cell in cells:
            if cell not in names:
                first, *_, last = sorted(names, key=lambda name: (int(name[1:]), name))
                without = "i" not in self.board.columns and last[0] > "i"
                last += ", without the letter i" if without else ""
                return kit.IllegalMove(Reason.OFF_BOARD, token=cell, first=first, last=last)
        return self.why(move, cells)

    def refused(self, reason: kit.Reason, **details: object) -> kit.IllegalMove:
        """Return a refusal for that reason, which ends with a turn that can be played."""
        return kit.IllegalMove(reason, **{"instead": self.instead(), **details})

    def instead(self, cell: str = "") -> str:
        """Return in words what can be played: from this cell, if anything, or at all."""
        here = [
            text
            for text in self.legal()
            if cell and text.startswith(cell) and not text[len(cell) : len(cell) + 1].isdigit()
        ]
        if here:
            return f"from {cell} you can play {kit.either(here)}"
        turns = list(self.legal())
        return f"you can play {turns[len(turns) // 2]}, for example"

    def owner(self, cell: str) -> kit.Seat | None:
        """Return whose piece is on a cell."""
        mark = self.marks().get(cell)
        return next((each.side for each in self.legend.marks if each.text == mark), None)

    def nothing_on(self, cell: str, move: str) -> kit.IllegalMove:
        """Return the refusal of a turn that begins where the player has no piece."""
        return self.refused(Reason.NOTHING_THERE, token=move, cell=cell, piece=self.piece)

    def placing(self, cell: str, **details: object) -> kit.IllegalMove | None:
        """Return the refusal of a stone on this cell, if it isn't free."""
        owner = self.owner(cell)
        if owner is None:
            return None
        side = self.sides[owner]
        return self.refused(Reason.TAKEN, token=cell, side=side, cell=cell, piece=self.piece, **details)

    # The board --------------------------------------------------------------------------------------------

    def marks(self) -> dict[str, str]:
        """Return the marks of all cells that aren't empty."""
        return _marks(self)

    def drawn(self) -> dict[str, str]:
        """Return the marks of all cells that aren't empty, read from OpenSpiel's drawing."""
        empty, signs = self.signs[0], self.signs[1:]
        found = re.findall(f"[{re.escape(self.signs)}]", self.drawing(self.here))
        texts = [mark.text for mark in self.legend.marks[1:3]]
        shown = dict(zip(signs, reversed(texts) if self.swapped else texts, strict=True))
        return {cell: shown[sign] for cell, sign in zip(self.drawn_cells(), found, strict=False) if sign != empty}

    def diagram(self, last: kit.Played[Self, Turn] | None = None) -> kit.Diagram:
        """Return the board with the pieces of both sides."""
        marks, said = self.marks(), self.remarks()
        notes = tuple(note for note, _ in said)
        remarks = tuple(remark for _, remark in said)
        if last is None:
            return self.board.diagram(marks, self.legend, notes=notes, remarks=remarks)
        lit, left, told = self.told(last.before, last.move)
        return self.board.diagram(marks, self.legend, lit=lit, left=left, told=told, notes=notes, remarks=remarks)

    def remarks(self) -> Sequence[tuple[str, str]]:
        """Return what notes say beside the board, each with the same as a sentence."""
        return ()

    def told(self, before: Self, move: Turn) -> Told:
        """Return which cells a turn lights up, which ones a piece has left, and the turn in words."""
        if move is kit.Special.SWAP:
            cells = list(self.marks())
            return cells, (), f"{self.sides[1]} took over the {self.piece} on {cells[0]}"
        origin, *targets = CELL.findall(str(move))
        lost = self.taken(before)
        if not targets:
            return (origin,), (), f"a {self.piece} on {origin}" + (f", taking {kit.together(lost)}" if lost else "")
        if lost == targets:
            return (origin, *targets), (origin,), f"{origin} takes {lost[0]}"
        told = " to ".join((origin, *targets)) + (f", taking {kit.together(lost)}" if lost else "")
        return (origin, *targets), (origin,), told

    def taken(self, before: Self) -> list[str]:
        """Return where a turn has taken pieces of the opponent."""
        was, now = before.marks(), self.marks()
        theirs = {cell for cell in was if before.owner(cell) not in (before.turn, None)}
        return [cell for cell in self.board.names if cell in theirs and now.get(cell) != was[cell]]


@lru_cache(maxsize=256)
def _legal(position: SpielPosition) -> Mapping[str, Actions]:
    state = position.state()
    if not position.in_steps:
        return {str(state.turn_of((action,))): (action,) for action in state.choices()}
    return dict(_whole(state, state, ()))


def _whole(start: "SpielState", state: "SpielState", chosen: Actions) -> Iterator[tuple[str, Actions]]:
    for action in state.choices():
        after = state.after(action)
        if after.is_between_turns:
            yield str(start.turn_of((*chosen, action))), (*chosen, action)
        else:
            yield from _whole(start, after, (*chosen, action))


@lru_cache(maxsize=256)
def _marks(position: SpielPosition) -> dict[str, str]:
    return position.drawn()


def _turn(text: str) -> Turn:
    return next((special for special in kit.Special if special.value == text), text)


@dataclass(frozen=True, slots=True)
class SpielState:
    """A position as the search sees it: a choice is an action of OpenSpiel."""

    origin: SpielPosition
    here: Any
    is_between_turns: bool = True
    swapped: bool | None = None
    """Whether the players have changed places since the search began."""

    @property
    def turn(self) -> kit.Seat | None:
        return None if self.here.is_terminal() else self._seat(self.here.current_player())

    @property
    def winner(self) -> kit.Seat | None:
        winner = self.origin.winner(self.here)
        return kit.other(winner) if winner is not None and self.swapped else winner

    @property
    def key(self) -> Any:
        return self.turn, str(self.here)

    @property
    def _can_swap(self) -> bool:
        return self.swapped is None and self.origin.swap and len(self.here.history()) == 1 and not self.origin.swapped

    def choices(self) -> Sequence[int]:
        if self.here.is_terminal():
            return []
        is_root = self.here is self.origin.here
        actions = self.origin.allowed(self.here) if is_root else self.here.legal_actions()
        return [*actions, SWAP] if self._can_swap else actions

    def after(self, choice: int) -> Self:
        if choice == SWAP:
            return replace(self, swapped=True)
        after = self.here.clone()
        self.origin.apply(after, choice)
        midway = self.origin.is_midway(self.here, after)
        return replace(self, here=after, is_between_turns=not midway)

    def estimate(self, seat: kit.Seat) -> float:
        value = self.origin.estimate(self.here)
        return value if self._seat(0) == seat else -value

    def turn_of(self, choices: Sequence[int]) -> Turn:
        return kit.Special.SWAP if choices[0] == SWAP else _turn(self.origin.word(self.here, choices))

    def _seat(self, player: int) -> kit.Seat:
        seat = self.origin.seat(player)
        return kit.other(seat) if self.swapped else seat

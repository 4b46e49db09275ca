"""Search by random play: a tree that grows where the play went well, with proven nodes solved exactly (MCTS-Solver)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Any

from engines.core import Seat
from engines.search.state import WON, Plain, State, outlook, value_of

CURIOSITY = 0.7
"""How much a choice that was tried less often is preferred (the constant of UCB1)."""
WIDENING = 2.0
"""A node that was visited n times has about WIDENING * sqrt(n) children."""
LONGEST = 400
"""The number of choices after which random play stops and counts as drawn, if nothing is known but the rules."""
SHORT = 4
"""The same where the game offers an estimate, which then counts."""
WIDEST = 300
"""How many of the choices of a node are kept: no budget makes one wider."""
LISTED, PLAYED = 1 / 500, 1 / 50
"""What a turn costs in nodes to list and to play, if nothing is known but the rules: that takes most of the time."""


@dataclass(slots=True, eq=False)
class Node:
    """A state in the tree; `total` is the sum of its results for the seat that chose it (`chooser`)."""

    state: State
    chooser: Seat | None
    choices: list[Any] = field(default_factory=list)
    """The choices that the search may try here."""
    is_whole: bool = True
    """Whether these are all."""
    children: list["Node"] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0
    proven: float | None = None
    """The exact value for seat 0, once it is known."""


@dataclass(slots=True)
class Tree:
    """A search from one state, with a budget of nodes: a node is a choice that was played.

    A state of nothing but the rules counts the turns that are listed and played. `is_late` says when to stop before.
    """

    root: Node
    chance: Random
    budget: int
    is_late: Callable[[], bool]
    nodes: float = 0.0

    @property
    def is_spent(self) -> bool:
        return self.nodes >= self.budget or self.is_late()

    def grow(self) -> None:
        while not self.is_spent and self.root.proven is None:
            before = self.nodes
            self._try_once()
            if self.nodes == before and self.root.proven is None:
                break  # everything below is proven as far as it can be

    def win_at_once(self, state: State) -> list[Any] | None:
        """Return the choices of a turn that wins at once, if half of the budget finds one; None otherwise."""
        for choice in self._choices(state):
            if self.nodes >= self.budget / 2 or self.is_late():
                break
            after = self._after(state, choice)
            if after.turn is None:
                if after.winner == state.turn:
                    return [choice]
            elif not after.is_between_turns and (rest := self.win_at_once(after)) is not None:
                return [choice, *rest]
        return None

    def _choices(self, state: State) -> list[Any]:
        """Return the choices in the order in which they are tried: by chance, if the game offers no order."""
        choices = list(state.choices())
        if isinstance(state, Plain):
            self.nodes += LISTED * len(choices)
            self.chance.shuffle(choices)
        return choices

    def _after(self, state: State, choice: Any) -> State:
        self.nodes += PLAYED if isinstance(state, Plain) else 1
        return state.after(choice)

    def _try_once(self) -> None:
        path = [self.root]
        while path[-1].proven is None:
            node = path[-1]
            if not node.children and not node.choices:
                choices = self._choices(node.state)
                node.choices, node.is_whole = choices[:WIDEST], len(choices) <= WIDEST
                if not node.choices:
                    node.proven = 0.0  # the game is drawn
                    break
            width = min(len(node.choices), 1 + int(WIDENING * sqrt(node.visits)))
            if len(node.children) < width:
                path.append(self._expand(node))
                break
            path.append(self._chosen(node))
        last = path[-1]
        result = self._played_out(last.state) if last.proven is None else last.proven
        for node in reversed(path):
            node.visits += 1
            node.total += result if node.chooser == 0 else -result
            _prove(node)

    def _expand(self, node: Node) -> Node:
        state = self._after(node.state, node.choices[len(node.children)])
        child = Node(state, node.state.turn)
        if state.turn is None:
            child.proven = value_of(state, 0)
        node.children.append(child)
        return child

    def _chosen(self, node: Node) -> Node:
        """Return the child that UCB1 prefers among those that aren't proven, or else the best one."""
        scale = log(node.visits + 1)
        open_children = [child for child in node.children if child.proven is None] or node.children
        return max(open_children, key=lambda c: c.total / c.visits + CURIOSITY * sqrt(scale / c.visits))

    def _played_out(self, state: State) -> float:
        is_plain = isinstance(state, Plain)
        for _ in range(LONGEST if is_plain else SHORT):
            if state.turn is None or self.is_spent:
                break
            choices = state.choices()
            if not choices:
                return 0.0
            self.nodes += LISTED * len(choices) if is_plain else 0
            state = self._after(state, self.chance.choice(choices))
        return outlook(state, 0)


def _prove(node: Node) -> None:
    seat = node.state.turn
    if node.proven is not None or seat is None:
        return
    sign = 1 if seat == 0 else -1
    values = [child.proven for child in node.children]
    if sign * WON in values:
        node.proven = sign * WON
    elif node.is_whole and len(values) == len(node.choices) > 0 and None not in values:
        node.proven = sign * max(sign * value for value in values if value is not None)


def search(
    state: State, budget: int, chance: Random, is_late: Callable[[], bool] = lambda: False
) -> tuple[list[Any], float, bool, int]:
    """Return the choices of one turn, their value for the seat to move, whether it is exact, and the nodes used."""
    if isinstance(state, Plain):
        state = state.in_parts()
    tree = Tree(Node(state, None), chance, budget, is_late)
    if (wins := tree.win_at_once(state)) is not None:
        return wins, WON, True, round(tree.nodes)
    tree.grow()
    sign, node = 1 if state.turn == 0 else -1, tree.root
    choices: list[Any] = []
    value = 0.0
    while not choices or not (node.state.is_between_turns or node.state.turn is None):
        if not node.children:  # a turn that the budget left unfinished
            choices.append(node.state.choices()[0])
            node = Node(node.state.after(choices[-1]), state.turn)
            continue
        best = max(node.children, key=lambda c: (0 if c.proven is None else sign * c.proven, c.visits, c.total))
        if not choices:
            value = sign * best.proven if best.proven is not None else best.total / best.visits
        choices.append(node.choices[node.children.index(best)])
        node = best
    return choices, value, tree.root.proven is not None, round(tree.nodes)

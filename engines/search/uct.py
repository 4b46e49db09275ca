"""Search by random play: a tree that grows where the play went well, with proven nodes solved exactly (MCTS-Solver)."""

from dataclasses import dataclass, field
from math import log, sqrt
from random import Random
from typing import Any

from engines.core import Seat
from engines.search.state import WON, Plain, State, value_of

CURIOSITY = 0.7
"""How much a choice that was tried less often is preferred (the constant of UCB1)."""
WIDENING = 2.0
"""A node that was visited n times has about WIDENING * sqrt(n) children."""
LONGEST = 60
"""The number of choices after which random play stops and counts as drawn, if nothing is known but the rules."""
SHORT = 4
"""The same where the game offers an estimate, which then counts."""


@dataclass(slots=True, eq=False)
class Node:
    """A state in the tree; `total` is the sum of its results for the seat that chose it (`chooser`)."""

    state: State
    chooser: Seat | None
    choices: list[Any] = field(default_factory=list)
    children: list["Node"] = field(default_factory=list)
    visits: int = 0
    total: float = 0.0
    proven: float | None = None
    """The exact value for seat 0, once it is known."""


@dataclass(slots=True)
class Tree:
    """A search from one state, with a budget of nodes: a node is a choice that was played."""

    root: Node
    chance: Random
    budget: int
    nodes: int = 0

    def grow(self) -> None:
        """Search until the budget is spent or the root is proven."""
        self._look_for_a_win()
        while self.nodes < self.budget and self.root.proven is None:
            before = self.nodes
            self._try_once()
            if self.nodes == before and self.root.proven is None:
                break  # everything below is proven as far as it can be

    def _look_for_a_win(self) -> None:
        """Try every choice at the root once, as far as half of the budget goes, and stop at one that wins."""
        root = self.root
        root.choices = self._choices(root.state)
        for _ in root.choices[: self.budget // 2]:
            child = self._expand(root)
            child.visits = 1  # as if drawn, until something is known
            root.visits += 1
            _prove(root)
            if root.proven is not None:
                break

    def _choices(self, state: State) -> list[Any]:
        """Return the choices in the order in which they are tried: by chance, if the game offers no order."""
        choices = list(state.choices())
        if isinstance(state, Plain):
            self.chance.shuffle(choices)
        return choices

    def _try_once(self) -> None:
        """Go down the tree, add a child, play on at random, and count the result on the way back."""
        path = [self.root]
        while path[-1].proven is None:
            node = path[-1]
            if not node.children and not node.choices:
                node.choices = self._choices(node.state)
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
        """Return a new child of the node: its next choice."""
        self.nodes += 1
        state = node.state.after(node.choices[len(node.children)])
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
        """Return the result for seat 0 of random play."""
        for _ in range(LONGEST if isinstance(state, Plain) else SHORT):
            if state.turn is None or self.nodes >= self.budget:
                break
            choices = state.choices()
            if not choices:
                return 0.0
            self.nodes += 1
            state = state.after(self.chance.choice(choices))
        return value_of(state, 0) if state.turn is None else state.estimate(0)


def _prove(node: Node) -> None:
    """Note the exact value of a node if its children show it."""
    seat = node.state.turn
    if node.proven is not None or seat is None:
        return
    sign = 1 if seat == 0 else -1
    values = [child.proven for child in node.children]
    if sign * WON in values:
        node.proven = sign * WON
    elif len(values) == len(node.choices) > 0 and None not in values:
        node.proven = sign * max(sign * value for value in values if value is not None)


def search(state: State, budget: int, chance: Random) -> tuple[list[Any], float, bool, int]:
    """Return the choices of one turn, their value for the seat to move, whether it is exact, and the nodes used."""
    tree = Tree(Node(state, None), chance, budget)
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
    return choices, value, tree.root.proven is not None, tree.nodes

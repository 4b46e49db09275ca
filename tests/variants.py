"""Every game with every combination of its options."""

from notation.games import GAMES
from pbem.conformance.samples import options_of
from tests.cases import quick_where

Variant = tuple[str, dict[str, str]]

VARIANTS: list[Variant] = [(game, options) for game in GAMES for options in options_of(GAMES[game].game)]


def is_plain(variant: Variant) -> bool:
    """Return whether all options but Quadrupel's variant have their defaults."""
    game, options = variant
    chosen = GAMES[game].game.chosen({})
    return all(choice == chosen[name] for name, choice in options.items() if name != "variant")


PLAIN_FIRST = quick_where(is_plain, VARIANTS)
"""The same as test parameters; `make test` has the plain ones."""

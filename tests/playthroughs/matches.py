"""The games and variants of which there is a readable match."""

from collections.abc import Mapping, Sequence

from notation.games import GAMES

VARIANTS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "quadrupel": (
        {"announce": "auto"},
        *({"variant": variant} for variant in GAMES["quadrupel"].game.options[0].choices[1:]),
        {"variant": "position", "zone2": "ban"},
    ),
    "kvadratik": ({"setup": "half"}, {"flip": "none"}),
}
"""Those that are played besides every game with its defaults."""
MATCHES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "-".join([game, *(word for pair in options.items() for word in pair)]): (game, options)
    for game in GAMES
    for options in ({}, *VARIANTS.get(game, ()))
}

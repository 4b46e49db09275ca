"""Tournament report files: a tournament as programs of arbiters read it (FIDE Handbook C.04, annex 2, TRF16)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from pbem.features.tournaments.field import DRAW, LOSS, WIN, Entrant, Field, Format, Matchup
from pbem.features.tournaments.standings import standings

TYPES = {
    Format.ROUND_ROBIN: "Individual: Round-Robin",
    Format.SWISS: "Individual: Swiss-System (FIDE Dutch)",
    Format.KNOCK_OUT: "Individual: Knock-Out",
}
PLAYED, FORFEITED = {WIN: "1", DRAW: "=", LOSS: "0"}, {WIN: "+", LOSS: "-"}
BYE, ABSENT, UNFINISHED = "0000 - U", "0000 - Z", " " * 8
NAME_WIDTH = 33


@dataclass(frozen=True, slots=True)
class Heading:
    """What the file says of the tournament itself."""

    title: str
    place: str
    begins: date
    ends: date | None
    time: str


def written(field: Field, heading: Heading, names: Mapping[int, str], ratings: Mapping[int, int | None]) -> str:
    """Return the file; who moves first has White. Each second match of a knock-out has a round of its own.

    A match that goes on leaves its columns empty.
    """
    columns = sorted({(pair.round, pair.game) for pair in field.pairs})
    ranks = {place.entrant.player: place.place for place in standings(field)}
    rated = sum(rating is not None for rating in ratings.values())
    lines = [
        f"012 {heading.title}",
        f"022 {heading.place}",
        f"042 {heading.begins:%Y/%m/%d}",
        *([f"052 {heading.ends:%Y/%m/%d}"] if heading.ends else []),
        f"062 {len(field.entrants)}",
        f"072 {rated}",
        f"092 {TYPES[field.kind]}",
        f"122 {heading.time}",
        f"XXR {max(field.rounds, len(columns))}",
    ]
    for entrant in field.entrants:
        player = entrant.player
        results = "".join(f"  {each}" for each in _results(field, entrant, columns))
        name, rating = names[player][:NAME_WIDTH], ratings.get(player) or ""
        lines.append(
            f"001 {entrant.seed:4} {'':4} {name:{NAME_WIDTH}} {rating:>4} {'':3} {'':11} {'':10} "
            f"{field.points(player):4.1f} {ranks[player]:4}{results}"
        )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _results(field: Field, entrant: Entrant, columns: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield what happened to a player in each round: opponent, colour, result."""
    found = {(pair.round, pair.game): pair for pair in field.of_player(entrant.player)}
    seeds = field.seeds()
    for column in columns:
        yield _result(found[column], entrant.player, seeds) if column in found else ABSENT


def _result(pair: Matchup, player: int, seeds: Mapping[int, int]) -> str:
    opponent = pair.opponent_of(player)
    if opponent is None:
        return BYE
    if pair.result is None:
        return UNFINISHED
    marks = PLAYED if pair.is_played else FORFEITED
    return f"{seeds[opponent]:4} {'w' if pair.first == player else 'b'} {marks[pair.points_of(player)]}"

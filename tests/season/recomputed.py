"""Ratings and crosstables recomputed from files alone: records of matches, and reports of tournaments (TRF, JSON).

It imports nothing of pbem, so that it can't repeat its mistakes. Glicko-2 is written from the paper (Mark E. Glickman,
"Example of the Glicko-2 system", 2012), tie-breaks from the FIDE Handbook, chapter C.07; what this server adds to them
is in docs/decisions/ratings.md and docs/tournaments.md. Reads a folder, prints JSON:

    python tests/season/recomputed.py FOLDER
"""

import json
import math
import sys
from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

TAU, SYSTEM = 0.5, 173.7178
UNRATED = (1500.0, 350.0, 0.06)
"""The rating, its deviation and the volatility of somebody who has played nothing."""


# Ratings


class Held(NamedTuple):
    """What a player holds in a game after a week, and their wins, draws and losses until then."""

    week: date
    rating: tuple[float, float, float]
    score: tuple[int, int, int]


def ratings(records: list[dict[str, Any]]) -> dict[str, list[list[Any]]]:
    """Return for each game: week, player, rating, deviation, volatility, wins, draws and losses, after each week."""
    games: dict[str, list[tuple[date, int, str, str, float]]] = defaultdict(list)
    for record in records:
        header = record["header"]
        if header["unrated"]:
            continue
        first, second = header["players"]
        score = 0.5 if first["result"] == second["result"] else float(first["result"] > second["result"])
        day = datetime.fromisoformat(header["date-end"]).date()
        monday = day - timedelta(days=day.weekday())
        number = int(header["site"]["gameid"])
        games[header["game"]["name"]].append((monday, number, first["userid"], second["userid"], score))
    return {game: list(of_game(sorted(contests))) for game, contests in games.items()}


def of_game(contests: list[tuple[date, int, str, str, float]]) -> list[list[Any]]:
    """Return the rows of a game, whose contests are in the order of weeks and of the numbers of the matches."""
    rows, held = [], {}
    for week in sorted({contest[0] for contest in contests}):
        played: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for _, _, first, second, score in (contest for contest in contests if contest[0] == week):
            played[first].append((second, score))
            played[second].append((first, 1 - score))
        begins_with = {player: at(held.get(player), week) for player in played}
        for player, results in played.items():
            opponents = [(begins_with[opponent], score) for opponent, score in results]
            r, deviation, volatility = glicko2(begins_with[player], opponents)
            won, drawn, lost = held[player].score if player in held else (0, 0, 0)
            scores = [score for _, score in results]
            counts = (won + scores.count(1.0), drawn + scores.count(0.5), lost + scores.count(0.0))
            held[player] = Held(week, (round(r, 6), round(deviation, 6), round(volatility, 9)), counts)
            rows.append([str(week), player, *held[player].rating, *counts])
    return rows


def at(known: Held | None, week: date) -> tuple[float, float, float]:
    """Return what a player begins a week with: in each week without a match, the deviation has risen (step 6 only)."""
    if known is None:
        return UNRATED
    r, deviation, volatility = known.rating
    phi = deviation / SYSTEM
    for _ in range((week - known.week).days // 7 - 1):
        phi = math.sqrt(phi * phi + volatility * volatility)
    return r, min(350.0, SYSTEM * phi), volatility


def glicko2(
    player: tuple[float, float, float], results: list[tuple[tuple[float, float, float], float]]
) -> tuple[float, float, float]:
    """Return what a player holds after a period, by the eight steps of the paper."""
    r, deviation, sigma = player
    # Step 2: to the scale of Glicko-2.
    mu, phi = (r - 1500) / SYSTEM, deviation / SYSTEM
    opponents = [((other[0] - 1500) / SYSTEM, other[1] / SYSTEM, s) for other, s in results]
    # Steps 3 and 4: the variance v, and the improvement delta.
    terms = []
    for mu_j, phi_j, s_j in opponents:
        g = 1 / math.sqrt(1 + 3 * phi_j * phi_j / (math.pi * math.pi))
        e = 1 / (1 + math.exp(-g * (mu - mu_j)))
        terms.append((g, e, s_j))
    v = 1 / sum(g * g * e * (1 - e) for g, e, _ in terms)
    gain = sum(g * (s - e) for g, e, s in terms)
    delta = v * gain
    # Step 5: the volatility, by the Illinois algorithm.
    a, epsilon = math.log(sigma * sigma), 0.000001

    def f(x: float) -> float:
        ex = math.exp(x)
        denominator = 2 * (phi * phi + v + ex) ** 2
        return ex * (delta * delta - phi * phi - v - ex) / denominator - (x - a) / (TAU * TAU)

    big_a = a
    if delta * delta > phi * phi + v:
        big_b = math.log(delta * delta - phi * phi - v)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        big_b = a - k * TAU
    f_a, f_b = f(big_a), f(big_b)
    while abs(big_b - big_a) > epsilon:
        big_c = big_a + (big_a - big_b) * f_a / (f_b - f_a)
        f_c = f(big_c)
        if f_c * f_b <= 0:
            big_a, f_a = big_b, f_b
        else:
            f_a /= 2
        big_b, f_b = big_c, f_c
    sigma = min(math.exp(big_a / 2), 0.1)  # at most 0.1, as this server wants it
    # Steps 6 to 8: the deviation and the rating, which changes by at most 700 here.
    phi_star = math.sqrt(phi * phi + sigma * sigma)
    phi = 1 / math.sqrt(1 / (phi_star * phi_star) + 1 / v)
    change = SYSTEM * phi * phi * gain
    return r + max(-700.0, min(700.0, change)), min(350.0, SYSTEM * phi), sigma


# Tournaments

POINTS = {"1": 1.0, "=": 0.5, "0": 0.0, "+": 1.0, "-": 0.0, "U": 1.0, "Z": 0.0}


class Cell(NamedTuple):
    """What happened to a player in a round: the opponent's number (0: none), the colour and the mark of the result."""

    opponent: int
    colour: str
    mark: str

    @property
    def is_played(self) -> bool:
        return self.mark in "1=0"


class Row(NamedTuple):
    """A player in a report file."""

    name: str
    points: float
    rank: int
    cells: list[Cell]

    @property
    def total(self) -> float:
        return sum(POINTS[cell.mark] for cell in self.cells)


def rows_of(trf: str) -> dict[int, Row]:
    """Return the players of a report file by their numbers, by the columns of TRF16."""
    found = {}
    for line in trf.splitlines():
        if line.startswith("001"):
            cells = []
            for start in range(91, len(line), 10):
                opponent, colour, mark = line[start : start + 8].split()
                cells.append(Cell(int(opponent), colour, mark))
            found[int(line[4:8])] = Row(line[14:47].strip(), float(line[80:84]), int(line[85:89]), cells)
    return found


def met(rows: dict[int, Row], number: int, cell: Cell, *, knows_all: bool) -> float:
    """Return the points of an opponent; those of the player where the round wasn't played, except in a round robin.

    In a Swiss, rounds in which the opponent was absent until the end count as drawn (C.07, 16.3).
    """
    if not cell.opponent or not (cell.is_played or knows_all):
        return rows[number].total
    if knows_all:
        return rows[cell.opponent].total
    marks = "".join(each.mark for each in rows[cell.opponent].cells)
    return rows[cell.opponent].total + 0.5 * (len(marks) - len(marks.rstrip("Z")))


def tie_breaks(rows: dict[int, Row], kind: str) -> dict[int, dict[str, float]]:
    """Return Buchholz, Sonneborn-Berger and the number of wins of each player."""
    knows_all = kind == "round-robin"
    found = {}
    for number, row in rows.items():
        paired = row.cells if kind == "swiss" else [cell for cell in row.cells if cell.mark != "Z"]
        against = [(met(rows, number, cell, knows_all=knows_all), POINTS[cell.mark]) for cell in paired]
        found[number] = {
            "BH": sum(points for points, _ in against),
            "SB": sum(points * got for points, got in against),
            "Win": float(sum(got == 1 for _, got in against)),
        }
    return found


def direct_encounter(rows: dict[int, Row], number: int, tied: list[int]) -> float:
    """Return the points against those who are tied, if all of them have met."""
    pairs = {frozenset((one, cell.opponent)) for one in tied for cell in rows[one].cells if cell.opponent in tied}
    if len(pairs) < len(tied) * (len(tied) - 1) // 2:
        return 0.0
    return sum(POINTS[cell.mark] for cell in rows[number].cells if cell.opponent in tied)


def rounds_survived(rows: dict[int, Row], rounds: list[int]) -> dict[int, float]:
    """Return for each player of a knock-out in which round they were out; `rounds` has the round of each column."""
    found = {}
    for number, row in rows.items():
        paired = [round_ for cell, round_ in zip(row.cells, rounds, strict=True) if cell.mark != "Z"]
        found[number] = float(max(paired) - 1)
    (winner,) = [number for number, out in found.items() if out == max(rounds) - 1 and wins_final(rows, number, rounds)]
    found[winner] += 1
    return found


def wins_final(rows: dict[int, Row], number: int, rounds: list[int]) -> bool:
    """Return whether a finalist has won: the last decisive match, or else by the better number."""
    final = [cell for cell, round_ in zip(rows[number].cells, rounds, strict=True) if round_ == max(rounds)]
    decisive = [cell for cell in final if cell.mark in "10+"]
    return decisive[-1].mark in "1+" if decisive else number < final[-1].opponent


ORDER = {"round-robin": ("DE", "SB", "Win"), "swiss": ("BH", "SB", "DE"), "knock-out": ()}


def crosstable(trf: str, report: dict[str, Any]) -> list[list[Any]]:
    """Return place, name, points and tie-breaks of all players, the best first."""
    kind, rows = report["tournament"]["kind"], rows_of(trf)
    values = tie_breaks(rows, kind)
    if kind == "knock-out":
        points = rounds_survived(rows, columns(report))
    else:
        points = {number: row.total for number, row in rows.items()}
    groups = split([sorted(rows)], points)
    for name in ORDER[kind]:
        for group in groups if name == "DE" else ():
            for number in group:
                values[number]["DE"] = direct_encounter(rows, number, group)
        groups = split(groups, {number: values[number][name] for number in rows})
    found: list[list[Any]] = []
    for group in groups:
        place = len(found) + 1
        for number in group:
            breaks = {name: values[number][name] for name in ORDER[kind][:2]}
            found.append([place, rows[number].name, points[number], breaks])
    return found


def split(groups: list[list[int]], values: dict[int, float]) -> list[list[int]]:
    """Return groups of players who are tied, divided by one more value."""
    divided = []
    for group in groups:
        highest_first = sorted({values[number] for number in group}, reverse=True)
        divided += [[number for number in group if values[number] == value] for value in highest_first]
    return divided


def columns(report: dict[str, Any]) -> list[int]:
    """Return the round of each column of a report file: in a knock-out, second matches have columns of their own."""
    found = []
    for each in report["rounds"]:
        met_twice = len({frozenset((m["player"], m["opponent"])) for m in each["meetings"]}) < len(each["meetings"])
        found += [each["round"]] * (2 if met_twice else 1)
    return found


# Both at once


def contradictions(records: list[dict[str, Any]], number: str, trf: str, report: dict[str, Any]) -> list[str]:
    """Return in words what the report file says otherwise than the records of the matches, or than it adds up to."""
    rows, found = rows_of(trf), []
    rounds = columns(report)
    played = defaultdict(list)
    for record in records:
        header = record["header"]
        if header.get("event") == f"tournament {number}":
            played[int(header["round"]), *(player["name"] for player in header["players"])].append(result_of(record))
    told = defaultdict(list)
    for row in rows.values():
        if row.points != row.total:
            found.append(f"{row.name} has {row.points} points, but they add up to {row.total}")
        for cell, round_ in zip(row.cells, rounds, strict=True):
            if cell.is_played:
                told[round_, row.name, rows[cell.opponent].name].append((cell.colour, POINTS[cell.mark]))
    for (round_, one, other), results in played.items():
        for result in results:
            if result is None:  # it ended without a result, and is a forfeit for somebody, or for both
                continue
            score, begins = result
            for player, opponent, points, seat in ((one, other, score, 0), (other, one, 1 - score, 1)):
                cells = told[round_, player, opponent]
                is_first = None if begins is None else begins == seat
                fits = [each for each in cells if each[1] == points and is_first in (None, each[0] == "w")]
                if fits:
                    cells.remove(fits[0])
                else:
                    found.append(f"the match of {player} and {opponent} in round {round_} isn't in the report file")
    found += [f"nobody has a record of {key}" for key, left in told.items() if left]
    return found


def result_of(record: dict[str, Any]) -> tuple[float, int | None] | None:
    """Return the points of the first player and who moved first; None for a match without a result."""
    first, second = (player["result"] for player in record["header"]["players"])
    moves = record["moves"]
    begins = next((seat for seat, turn in enumerate(moves[0]) if turn is not None), None) if moves else None
    if first == second and (record["header"]["unrated"] or not moves):
        return None
    return (0.5 if first == second else float(first > second)), begins


def ladder(records: list[dict[str, Any]], number: int, entered: list[str]) -> list[str]:
    """Return who stands on a ladder, from the top: a challenger who wins takes the rung, who runs out of time is off.

    The challenger moves first, and in this game that is the first player of the record.
    """
    standing = list(entered)
    of_it = [record for record in records if record["header"].get("event") == f"tournament {number}"]
    for record in sorted(of_it, key=lambda each: (each["header"]["date-end"], int(each["header"]["site"]["gameid"]))):
        challenger, challenged = (player["name"] for player in record["header"]["players"])
        won = [bool(player["result"]) for player in record["header"]["players"]]
        if won[0] and {challenger, challenged} <= {*standing}:
            new, old = standing.index(challenged), standing.index(challenger)
            if new < old:
                standing.insert(new, standing.pop(old))
        late = challenged if won[0] else challenger
        if any(won) and late in standing and "time" in reason(record):
            standing.remove(late)
    return standing


def reason(record: dict[str, Any]) -> str:
    """Return why a match ended, as its last turn says."""
    turns = [turn for turn in record["moves"][-1] if isinstance(turn, dict)] if record["moves"] else []
    return str(turns[0]["result"]) if turns else ""


def recomputed(folder: Path) -> dict[str, Any]:
    """Return all of it for the files in a folder.

    They are `records/*.json`, `N.trf` and `N.json` for each tournament with rounds, and for the ladder `ladder.json`,
    with its number, and who entered it.
    """
    records = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / "records").glob("*.json"))]
    tables, wrong = {}, {}
    for path in sorted(folder.glob("*.trf")):  # the ladder has no rounds
        trf = path.read_text(encoding="utf-8")
        report = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        tables[path.stem] = crosstable(trf, report)
        wrong[path.stem] = contradictions(records, path.stem, trf, report)
    told = json.loads((folder / "ladder.json").read_text(encoding="utf-8"))
    standing = ladder(records, told["number"], told["entered"])
    return {"ratings": ratings(records), "crosstables": tables, "contradictions": wrong, "ladder": standing}


if __name__ == "__main__":
    json.dump(recomputed(Path(sys.argv[1])), sys.stdout)

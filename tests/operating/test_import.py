"""`pbem match import`: records of matches that were played elsewhere."""

from pathlib import Path

from notation import gamerecord, record
from notation.ending import Ending, Termination
from notation.gamerecord import Result
from notation.gamerecord import Site as Where
from notation.record import Record
from tests.operating.site import Done, Site

RECORDS = Path(__file__).parent.parent / "records"
SLIP = (RECORDS / "quadraphages-2.txt").read_text(encoding="utf-8")
WHOLE = SLIP.replace("g7g5", "g3g5")
"""A match of Jx and Bo with 25 turns, in which Bo resigned."""
SHORT = Record("quadrature", {}, ("Anna", "Béla"), ("e3f4", "e9e8"), Ending(Termination.RESIGNATION, 0))
WHERE = Where(
    "abstract.example", "x7", ("1", "2"), "2019-05-01T10:00:00Z", "2019-06-01T10:00:00Z", "2019-06-01T10:00:01Z"
)


def written(site: Site, **texts: str) -> list[str]:
    for name, text in texts.items():
        (site.folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return [str(site.folder / f"{name}.txt") for name in texts]


def joined(site: Site, *names: str) -> None:
    for name in names:
        site.rows(
            "insert into player (name, address, confirmed, epoch, settings, bounces, created) values"
            f" ('{name}', '{name}@mail.example', '2026-01-01 00:00:00', 0, '{{}}', 0, '2026-01-01 00:00:00')"
        )


def stored(site: Site, columns: str) -> list[object]:
    return site.rows(f"select {columns} from match order by id")


def check(site: Site) -> Done:
    done = site.pbem("check")
    assert "0 problems" in done.out, done.said
    return done


def test_a_record_becomes_a_match_that_is_over_once(site: Site) -> None:
    files = written(site, whole=WHOLE)

    first, second = site.pbem("match", "import", *files), site.pbem("match", "import", *files)

    assert (first.code, second.code) == (0, 0), first.said
    assert f"{files[0]}: match #1, Quadraphages, 25 turns\n1 imported, 0 imported before" in first.out
    assert "match #1, Quadraphages, 25 turns, imported before\n0 imported, 1 imported before" in second.out
    assert stored(site, "state, plies, winner, termination, termination_seat, rated, counted, to_move") == [
        ("over", 25, 0, "resignation", 1, 0, None, None)
    ]
    people = site.rows("select name, address, confirmed from player order by id")
    assert people == [("imported-jx", "imported-jx", None), ("imported-bo", "imported-bo", None)]
    assert site.rows("select count(*) from outgoing") == [0]
    check(site)


def test_the_admin_says_who_is_who(site: Site) -> None:
    joined(site, "jan")
    files = written(site, whole=WHOLE)
    assert site.pbem("match", "import", *files, "--player", "JX=nobody").code == 1
    assert site.pbem("match", "import", *files, "--player", "jan").code == 2
    assert site.pbem("match", "import", *files, "--player", "JX=jan", "--player", "bo=jan").out.startswith(
        f"{files[0]}: both sides are jan\n"
    )
    assert stored(site, "id") == []

    assert site.pbem("match", "import", *files, "--player", "JX=jan").code == 0

    names = site.rows("select a.name, b.name from match m join player a on a.id = seat0 join player b on b.id = seat1")
    assert names == [("jan", "imported-bo")]


def test_an_illegal_turn_is_refused_with_its_place_and_the_other_files_are_stored(site: Site) -> None:
    slip, garbage, whole = written(site, slip=SLIP, garbage="Dear diary,\nQuadrature\n", whole=WHOLE)
    done = site.pbem("match", "import", slip, garbage, str(site.folder / "missing"), whole)
    assert done.code == 1
    assert f"{slip}:8: turn 14, Bo, g7g5: " in done.out.replace("\n", " ")
    assert f"{garbage}: there are no turns" in done.out
    assert "missing: No such file" in done.out
    assert "1 imported, 0 imported before, 3 refused" in done.out
    assert (stored(site, "id"), site.rows("select count(*) from ply")) == ([1], [25])


def test_json_and_text_are_the_same_match(site: Site) -> None:
    files = written(site, j=gamerecord.dumps(SHORT, WHERE, Result(1, "Anna resigned")), t=record.dumps(SHORT))
    done = site.pbem("match", "import", *files)
    assert "1 imported, 1 imported before" in done.out, done.said
    ((started, ended, termination, winner),) = stored(site, "started, ended, termination, winner")
    assert (str(started)[:10], str(ended)[:10], termination, winner) == ("2019-05-01", "2019-06-01", "resignation", 1)
    assert site.rows("select name from player order by id") == ["imported-anna", "imported-bela"]


def test_what_did_not_end_is_stored_and_cannot_be_played(site: Site) -> None:
    unfinished = Record("quadrature", {}, ("x", "y"), ("e3f4", "e9e8"))
    files = written(site, t=record.dumps(unfinished), w=gamerecord.dumps(SHORT, WHERE, Result(0, "on points")))
    assert site.pbem("match", "import", *files).code == 0
    assert stored(site, "state, termination, winner, to_move") == [
        ("over", "abandoned", None, None),
        ("over", "adjudicated", 0, None),
    ]
    check(site)

"""Games in packages of their own: installed with pip beside the wheel, enabled with a line, and played by mail."""

import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.operating.daemons import Daemon
from tests.operating.environments import ROOT, Environment, build
from tests.operating.people import Person, PostOffice, words
from tests.operating.site import ADDRESS, LMTP_IN, Site, smtp_out

pytestmark = pytest.mark.slow  # building and installing packages is slow

SHELF = ROOT / "packs" / "pbem-classics"
CLASSICS = sorted(tomllib.loads((SHELF / "pyproject.toml").read_text())["project"]["entry-points"]["pbem.games"])


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Make an environment with the wheel and the shelf."""
    folder = tmp_path_factory.mktemp("packs")
    build(ROOT, folder / "built")
    (wheel,) = (folder / "built").glob("*.whl")
    made = Environment.with_wheel(folder / "environment", wheel)
    shutil.copytree(SHELF, folder / SHELF.name)
    made.install("--no-deps", str(folder / SHELF.name))  # OpenSpiel without what it asks for, as its README says
    return made


@pytest.fixture
def served(site: Site, post: PostOffice, environment: Environment) -> Iterator[Callable[[str], Daemon]]:
    """Return a function that runs a server from the wheel with some games enabled, until the test ends."""
    started: list[Daemon] = []

    def serve(enabled: str) -> Daemon:
        site.configure(LMTP_IN, smtp_out(post.port))
        with site.config.open("a", encoding="utf-8") as file:
            file.write(f"[games]\nenabled = [{enabled}]\n")
        started.append(Daemon(site, program=environment.program("pbem")))
        return started[-1].ready()

    yield serve
    for daemon in started:
        daemon.kill()


def test_the_tests_of_the_shelf_pass_where_it_is_installed(environment: Environment, tmp_path: Path) -> None:
    shutil.copytree(SHELF, tmp_path / "shelf")
    shutil.rmtree(tmp_path / "shelf" / "src")
    told = environment.run(
        "python", "-m", "pytest", "tests/test_rules.py", "tests/test_hex.py", folder=tmp_path / "shelf"
    )
    assert "tests/test_rules.py ....." in told
    assert "tests/test_hex.py ....." in told


def test_one_line_enables_all_games_of_the_shelf(
    served: Callable[[str], Daemon], post: PostOffice, environment: Environment, site: Site
) -> None:
    ann = Person("ann", ADDRESS, served(", ".join(f'"{key}"' for key in CLASSICS)).deliver, post)
    personal = ann.join()
    listed = environment.run("pbem", "games", folder=site.folder)

    assert [key for key in CLASSICS if key not in listed] == []
    assert "once enabled" not in listed
    for key in CLASSICS:
        ann.write(f"rules {key}", to=personal)
        assert "Goal\n====" in words(ann.next())


@pytest.mark.parametrize(("game", "begin"), [("connectfour", "me"), ("breakthrough", "you")])
def test_the_house_plays_an_enabled_game_to_its_end(
    game: str, begin: str, served: Callable[[str], Daemon], post: PostOffice, environment: Environment, site: Site
) -> None:
    """The player writes what each message gives as an example."""
    ann = Person("ann", ADDRESS, served(f'"{game}"').deliver, post)
    ann.write(f"play {game} level=1 begin={begin}", to=ann.join())
    newest = ann.next()
    while "The match is over" not in words(newest):
        if example := re.search(r"^For example: (.*)$", words(newest), re.MULTILINE):
            ann.answer(newest, example[1])
        newest = ann.next()  # where the house takes long, a receipt comes before its turn
    assert environment.run("pbem", "check", folder=site.folder) == "1 matches replayed, 0 problems\n"

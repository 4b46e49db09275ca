"""The command line as a whole: what `pbem --help` shows, the groups, former names, and completion."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.cli.index import COMMANDS, GROUPS, RENAMED, load
from tests.operating.site import Site

NARROW = {"COLUMNS": "72", "TERMINAL_WIDTH": "72"}


def rows(told: str) -> dict[str, str]:
    """Return what the help says of each command or argument, by its name; of one that takes several lines too."""
    lines = [line.strip("│ ") for line in told.splitlines() if line.startswith("│") and not line.startswith("│ -")]
    return dict(re.split(r" {2,}", line, maxsplit=1) for line in lines if "  " in line)


@pytest.mark.parametrize("words", ["", *GROUPS])
def test_the_help_has_a_line_for_each_command_on_a_narrow_terminal(words: str, site: Site) -> None:
    told = site.pbem(*words.split(), "--help", **NARROW).out
    assert max(map(len, told.splitlines())) <= 72
    listed = rows(told)
    within = f"{words} ".lstrip()
    names = {path.removeprefix(within).split()[0] for path in COMMANDS if path.startswith(within)}
    assert set(listed) == names
    assert [name for name, about in listed.items() if not about.endswith(".")] == []


def test_the_groups_have_a_line_each(site: Site) -> None:
    listed = rows(site.pbem("--help", **NARROW).out)
    assert {name: listed[name] for name in GROUPS} == GROUPS


def test_arguments_are_in_capitals_everywhere() -> None:
    shown = {each.metavar for path in COMMANDS for each in load(path).params if each.param_type_name == "argument"}
    assert {"NUMBER", "PLAYER", "FILE"} <= shown
    assert [name for name in shown if not re.fullmatch(r"[A-Z]+( [A-Z]+)*", name)] == []


def test_what_asks_can_be_told_yes_and_what_makes_a_folder_where() -> None:
    flags = {path: {flag for each in load(path).params for flag in each.opts} for path in COMMANDS}
    asks = ("player ban", "player delete", "player merge", "match close", "match adjudicate", "announce")
    assert [path for path in asks if "--yes" not in flags[path]] == []
    assert [path for path in ("player export", "demo") if "--folder" not in flags[path]] == []


def test_a_former_name_works_and_says_the_new_one(site: Site) -> None:
    done = site.pbem("players", "--json")
    assert (done.code, done.out) == (0, site.pbem("player", "list", "--json").out)
    assert done.err == '"pbem players" is called "pbem player list" now\n'


def test_former_names_are_those_of_commands_and_not_listed(site: Site) -> None:
    assert set(RENAMED.values()) <= set(COMMANDS)
    assert set(rows(site.pbem("--help").out)).isdisjoint(RENAMED)


def test_a_slip_in_the_name_of_a_command_is_answered_with_the_right_one(site: Site) -> None:
    done = site.pbem("player", "bann")
    assert done.code == 2
    assert "Did you mean 'ban'" in done.err


def offered(typed: str, folder: Path, config: Path | None = None) -> tuple[list[str], str]:
    """Return what bash is offered for the last word typed, and what is printed to the terminal meanwhile."""
    words = typed.split(" ")
    asking = {"_PBEM_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    asking |= {"PBEM_CONFIG": str(config)} if config else {}
    path = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    program = Path(sys.executable).with_name("pbem")
    done = subprocess.run([program], env=path | asking, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.split(), done.stderr


@pytest.fixture
def peopled(site: Site) -> Site:
    for name in ("alice", "albert", "bob"):
        site.rows(
            "insert into player (name, address, epoch, created, confirmed) values (:name, :address, 0, :at, :at)",
            name=name,
            address=f"{name}@mail.example",
            at="2026-01-01 00:00:00",
        )
    return site


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("pbem player ban al", ["albert", "alice"]),
        ("pbem show AL", []),
        ("pbem show bo", ["bob"]),
        ("pbem ban bo", ["bob"]),
        ("pbem player bounced --again bo", ["bob"]),
        ("pbem play quadra", ["quadraphages", "quadrature"]),
        ("pbem match import --game kv", ["kvadratik"]),
        ("pbem mail re", ["retry"]),
        ("pbem shun", []),
    ],
)
def test_the_shell_completes_games_and_names(typed: str, names: list[str], peopled: Site) -> None:
    assert offered(typed, peopled.folder, peopled.config) == (names, "")


@pytest.mark.slow
def test_names_come_from_the_configuration_that_is_named(peopled: Site, tmp_path: Path) -> None:
    assert offered(f"pbem player ban -c {peopled.config} bo", tmp_path) == (["bob"], "")
    assert offered("pbem player ban bo", peopled.folder) == (["bob"], "")


@pytest.mark.slow
def test_completion_is_silent_where_no_name_can_be_read(site: Site, tmp_path: Path) -> None:
    assert offered("pbem player ban bo", tmp_path) == ([], "")
    site.config.write_text("this is no TOML")
    assert offered("pbem player ban bo", site.folder) == ([], "")
    assert offered("pbem player ban bo", site.folder, site.folder) == ([], "")
    database = site.folder / "none.sqlite"
    site.config.write_text(f'[server]\naddress = "a@b.example"\ndatabase = "sqlite:///{database}"\n')
    assert offered("pbem player ban bo", site.folder) == ([], "")
    assert not database.exists()

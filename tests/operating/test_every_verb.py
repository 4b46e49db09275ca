"""Every verb of the command line, where it can't do its work: one sentence, and an exit code that tells why."""

import io
import os
import shlex
import signal
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from pbem.cli.command_index import COMMANDS, app, load
from tests.operating.matches import in_play
from tests.operating.places import everything
from tests.operating.site import Done, Site
from tests.servers import free_port

NOTHING, CONFIGURED, STORED = "nothing", "the configuration", "the database"
MAIL = b"From: stranger@mail.example\nTo: games@pbem.example\nSubject: Hello\nMessage-ID: <1@mail.example>\n\nhelp\n"
RECORD = "Quadraphages\n1 a1\n"


@dataclass(frozen=True)
class Verb:
    """How a verb is called, what it needs, and what it may lack. `T/` is the site's folder."""

    words: str = ""
    """After the verb, to do its work on the site."""
    code: int = 0
    """How that ends."""
    needs: str = STORED
    absent: tuple[str, ...] = ()
    """Words that name something there isn't: exit code 1."""
    taken: tuple[str, ...] = ()
    """Words that name a file which can't be read or written, or is there already: exit code 2."""
    unless_made: bool = True
    """Whether it refuses where there is no database of this version."""


NOBODY = ("nobody-here", "nobody@mail.example", "99")
VERBS = {
    "init": Verb(
        unless_made=False, taken=("--preset folders --address games@pbem.example", "--config T/pbem.key/x.toml")
    ),
    "run": Verb("--once", unless_made=False),
    "feed": Verb("T/mail.eml", taken=("T/none.eml", "T/in")),
    "status": Verb(code=1),
    "doctor": Verb(code=1, needs=CONFIGURED),
    "check": Verb(),
    "config show": Verb(needs=CONFIGURED),
    "login": Verb(code=2, needs=CONFIGURED),
    "backup": Verb(
        "T/new.tar.gz", unless_made=False, taken=("T/mail.eml", "T/none/new.tar.gz", "T/mail.eml/new.tar.gz", "T/in")
    ),
    "restore": Verb(code=2, words="T/mail.eml", needs=NOTHING, taken=("T/none.tar.gz", "T/in", "T/record.txt")),
    "move": Verb(code=2, words="sqlite:///T/pbem.sqlite sqlite:///T/other.sqlite", needs=NOTHING),
    "publish": Verb("T/site", taken=("T/mail.eml", "T/mail.eml/site", "T")),
    "serve": Verb("--listen 192.0.2.1:8080", code=2),
    "show": Verb("1", absent=(*NOBODY, "mail 99", "out 99", "knitting 7", "mail x")),
    "mail list": Verb(),
    "mail retry": Verb("1", code=1, absent=("99", "out 99", "x")),
    "queue list": Verb(),
    "queue flush": Verb(),
    "queue hold": Verb("99", code=1, absent=("98",)),
    "queue drop": Verb("99", code=1, absent=("98",)),
    "queue resend": Verb("99", code=1, absent=("98",)),
    "player list": Verb(),
    "player trust": Verb("x0", absent=NOBODY),
    "player revoke": Verb("x0", absent=NOBODY),
    "player bounced": Verb(absent=tuple(f"--again {each}" for each in NOBODY)),
    "player export": Verb(
        "x0 --folder T/x0",
        absent=NOBODY,
        taken=("x0 --folder T/mail.eml", "x0 --folder T/mail.eml/x0", "x0 --folder T/in"),
    ),
    "player delete": Verb("x0 --yes", absent=tuple(f"{each} --yes" for each in NOBODY)),
    "tournament open": Verb("swiss quadraphages time=14d+1d", absent=("swiss chess time=14d+1d", "knitting")),
    "tournament list": Verb(),
    "tournament show": Verb("1", absent=("99",)),
    "tournament begin": Verb("1", absent=("99",)),
    "tournament end": Verb("2", absent=("99",)),
    "ratings rebuild": Verb(),
    "moderate": Verb(
        "rename x0 carl --yes",
        absent=(*(f"ban {each} --yes" for each in NOBODY), "close 99 --yes", "adjudicate 1 nobody --yes", "hang x0"),
    ),
    "announce": Verb("T/mail.eml --yes", taken=("T/none.txt --yes", "T/in --yes")),
    "acts": Verb(absent=NOBODY),
    "games": Verb(needs=NOTHING),
    "demo": Verb("--folder T/demo", needs=NOTHING, taken=("--folder T/mail.eml", "--folder T/mail.eml/demo")),
    "record check": Verb("T/record.txt", code=1, needs=NOTHING, taken=("T/none.txt", "T/in")),
    "game check": Verb("quadraphages", needs=NOTHING, taken=()),
    "game new": Verb("hex T/hex", needs=NOTHING, taken=("hex T", "hex T/mail.eml", "hex T/mail.eml/hex")),
}


def those(which: Callable[[Verb], bool]) -> list[str]:
    return [name for name, verb in VERBS.items() if which(verb)]


READS_SETTINGS = those(lambda verb: verb.needs != NOTHING)
READS_TABLES = those(lambda verb: verb.needs == STORED and verb.unless_made)
CONNECTS = those(lambda verb: verb.needs == STORED)


def words(site: Site, name: str, more: str | None = None) -> list[str]:
    """Return what calls a verb on the site."""
    after = VERBS[name].words if more is None else more
    return [
        f"{site.folder}{word[1:]}" if word == "T" or word.startswith("T/") else word
        for word in f"{name} {after}".split()
    ]


def refused(done: Done, code: int, said: str) -> bool:
    """Whether a verb ended with that code and one sentence with those words, and printed nothing else."""
    lines = done.err.strip().splitlines()
    return (
        (done.code, done.out) == (code, "")
        and lines[0].startswith("pbem: ")
        and said in done.err
        and all(line.startswith((" ", "\t")) for line in lines[1:])
    )


@pytest.fixture
def busy(site: Site) -> Site:
    """Make a site with players, one of them banned, matches, tournaments, a message, a record and a folder."""
    with site.server() as server:
        in_play(server, 3, lambda _: 3)
    (site.folder / "mail.eml").write_bytes(MAIL)
    (site.folder / "record.txt").write_text(RECORD)
    (site.folder / "in").mkdir()
    (site.folder / "in" / "file").touch()
    for verb in ("tournament open swiss", "tournament open ladder", "tournament open knockout"):
        done = site.pbem(*verb.split(), "quadraphages", "time=14d+1d")
        assert done.code == 0, done.said
    assert site.pbem("moderate", "ban", "x2", "--yes").code == 0
    site.rows("update tournament set started = created where id = 3")
    return site


def test_every_verb_is_in_the_table_and_says_what_it_does() -> None:
    assert list(VERBS) == list(COMMANDS)
    assert [name for name, (_, words, _) in COMMANDS.items() if load(name).help != words] == []


# No settings, or none that can be read


def test_without_a_configuration(site: Site) -> None:
    site.config.write_text("[server\n")
    broken = {name: site.pbem(*words(site, name)) for name in READS_SETTINGS}
    site.config.unlink()
    missing = {name: site.pbem(*words(site, name)) for name in READS_SETTINGS if name != "init"}  # which makes one
    assert [name for name, done in broken.items() if not refused(done, 2, f"{site.config} can't be read: ")] == []
    sentence = f"there is no configuration at {site.config}; `pbem init"
    assert [name for name, done in missing.items() if not refused(done, 2, sentence)] == []


# A database that can't be used


def with_database(site: Site, url: str, verbs: list[str]) -> dict[str, Done]:
    """Run these verbs with another database."""
    return {name: site.pbem(*words(site, name), PBEM_SERVER__DATABASE=url) for name in verbs}


def not_refused(found: dict[str, Done], sentence: str) -> list[str]:
    """Return the verbs that didn't end with this sentence and exit code 2."""
    return [name for name, done in found.items() if not refused(done, 2, sentence)]


@pytest.mark.own_database
def test_without_a_database(site: Site) -> None:
    file, nowhere = site.folder / "other.sqlite", f"sqlite:///{site.folder}/none/other.sqlite"
    found = with_database(site, f"sqlite:///{file}", [*READS_TABLES, "backup"])
    assert not_refused(found, f"there is no database {file}") == []
    assert not file.exists()
    assert not_refused(with_database(site, nowhere, ["init"]), f"there is no folder {site.folder}/none for the") == []
    assert not_refused(with_database(site, nowhere, ["run"]), f"there is no database {site.folder}/none/other") == []


@pytest.mark.own_database
def test_with_a_database_that_does_not_answer_or_is_none(site: Site) -> None:
    (site.folder / "other.sqlite").write_bytes(b"no database" * 1000)
    found = with_database(site, f"sqlite:///{site.folder}/other.sqlite", CONNECTS)
    assert not_refused(found, "file is not a database") == []
    found = with_database(site, f"postgresql+psycopg://pbem:hunter2@127.0.0.1:{free_port()}/pbem", CONNECTS)
    assert not_refused(found, "the database: connection failed: ") == []
    assert not [name for name, done in found.items() if "hunter2" in done.said]


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("0003", "the database is at revision 0003 of an early version: run pbem of commit 4a22f6f0 once"),
        ("1.0020", "was made by an older version of pbem"),
        ("9999", "which numbers its tables 9999"),
    ],
)
def test_with_a_database_of_another_version(site: Site, version: str, sentence: str) -> None:
    site.rows("update alembic_version set version_num = :version", version=version)
    verbs = [*READS_TABLES, *(() if version == "1.0020" else ("init", "run"))]  # they upgrade that one
    assert not_refused({name: site.pbem(*words(site, name)) for name in verbs}, sentence) == []
    assert site.rows("select version_num from alembic_version") == [version]


# What isn't there


def test_what_is_absent_is_said_with_exit_code_1(busy: Site) -> None:
    for name, verb in VERBS.items():
        for absent in verb.absent:
            done = busy.pbem(*words(busy, name, absent))
            assert done.code == 1, (name, absent, done)
            assert done.err.startswith("pbem: "), (name, absent, done)
            assert "done" not in done.out


def files(site: Site) -> set[Path]:
    return {path for path in site.folder.rglob("*") if path.is_file() and "sqlite" not in path.name}


def test_a_file_that_can_not_be_used_is_named_with_exit_code_2(busy: Site) -> None:
    before = {path: path.read_bytes() for path in files(busy)}
    for name, verb in VERBS.items():
        for taken in verb.taken:
            done = busy.pbem(*words(busy, name, taken))
            assert refused(done, 2, f"{busy.folder}"), (name, taken, done)
    assert {path: path.read_bytes() for path in files(busy)} == before


# An output that nobody reads, and Ctrl-C


def ended(site: Site, called: list[str], descriptor: int) -> tuple[object, str]:
    """Run a verb that prints there; return its exit code and what it said on standard error."""
    said = io.StringIO()
    output = os.fdopen(descriptor, "w", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(output), redirect_stderr(said):
        patched.setenv("PBEM_CONFIG", str(site.config))
        patched.setattr("sys.stdin", io.StringIO())
        patched.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")  # else it is the shell that runs the tests
        try:
            app(called)
        except SystemExit as exited:
            return exited.code, said.getvalue()
        finally:
            with suppress(OSError):  # it still has what it couldn't write
                output.close()
    return None, said.getvalue()


@pytest.mark.parametrize("name", ["run", "feed", "show", "check", "games", "acts"])
def test_an_output_that_nobody_reads_or_that_is_full_ends_a_verb(busy: Site, name: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    code, said = ended(busy, words(busy, name), writer)
    assert (code, "Broken pipe" in said) == (141, False), said
    code, said = ended(busy, words(busy, name), os.open("/dev/full", os.O_WRONLY))
    assert code == 2, said
    assert said.endswith("pbem: the output can't be written: No space left on device\n")


@pytest.mark.parametrize("name", ["run", "feed", "backup", "player delete", "publish"])
def test_ctrl_c_is_a_sentence(busy: Site, name: str) -> None:
    before = everything(busy.database)

    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    event.listen(Pool, "connect", interrupt)
    try:
        done = busy.pbem(*words(busy, name))
    finally:
        event.remove(Pool, "connect", interrupt)
    assert refused(done, 130, "interrupted"), done
    assert everything(busy.database) == before
    assert not [*busy.folder.rglob(".pbem-draft-*")]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_its_help_can_be_written(name: str) -> None:
    for example in COMMANDS[name][2].split("; "):
        program, *words = shlex.split(example)
        assert [program, *words[: len(name.split())]] == ["pbem", *name.split()]
        load(name).make_context(name, words[len(name.split()) :])  # raises UsageError

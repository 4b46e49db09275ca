"""Invalid configurations are refused with a readable message, and no secret is ever printed."""

from pathlib import Path

import pytest

from pbem import config
from pbem.storage import database
from tests.correspondence import parsed
from tests.operating.doors import submission
from tests.operating.people import written
from tests.operating.site import ADDRESS, FOLDER_IN, FOLDER_OUT, Done, Site, smtp_out
from tests.servers import free_port

SECRET = "hunter2-and-more-of-it"
RULES = written("ann@mail.example", ADDRESS, "rules quadraphages")
IMAP_IN = f'[inbox.imap]\nhost = "127.0.0.1"\nusername = "me"\npassword = {{ value = "{SECRET}" }}\n'


def refused(done: Done, *words: str) -> None:
    """Assert that it exited with 2 and a message with these words, and printed no secret."""
    assert done.code == 2, done.said
    assert done.out == ""
    assert done.err.startswith("pbem: ")
    for word in words:
        assert word in done.err
    assert SECRET not in done.err


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("inbox", "words"),
    [
        pytest.param(
            "[inbox.maildr]\npath = 'in'",
            ["inbox.maildr: there is no such setting; did you mean maildir?"],
            id="unknown table",
        ),
        pytest.param(
            "[inbox.lmtp]\nprot = 24",
            ["inbox.lmtp.prot: there is no such setting; did you mean port?"],
            id="unknown key",
        ),
        pytest.param("[inbox.lmtp]\nport = 'LMTP'", ["inbox.lmtp.port", "integer"], id="wrong type"),
        pytest.param("[inbox.lmtp]\nport = 70000", ["inbox.lmtp.port", "65535"], id="out of range"),
        pytest.param("[inbox.lmtp]", ["inbox.lmtp.port", "required"], id="missing key"),
        pytest.param("[inbox.lmtp\nport = 24", ["can't be read"], id="no TOML"),
        pytest.param(IMAP_IN + "[inbox.imap.tls]\nca = 'x'", ["inbox.imap.tls.ca"], id="secret beside a wrong key"),
        pytest.param(IMAP_IN.replace("{ value =", "{ valu ="), ["inbox.imap.password"], id="secret under a wrong key"),
        pytest.param(IMAP_IN.replace("{ value =", "").replace("}", ""), ["inbox.imap.password"], id="bare secret"),
        pytest.param(
            IMAP_IN.replace("[inbox.imap]", '[inbox.imap]\nprocessed = "Done\\r\\na LOGOUT"'),
            ["inbox.imap.processed", "must be one line"],
            id="a folder that would be a second command",
        ),
        pytest.param(IMAP_IN.replace("}", ', file = "x" }'), ["exactly one of"], id="two secrets"),
        pytest.param('[inbox.maildir]\npath = "out"', ["have the same path: write another"], id="reads what it writes"),
        pytest.param(
            "[inbox.lmtp]\nport = 8024\n[inbox.smtp]\nport = 8024",
            ["[inbox.lmtp] and [inbox.smtp] have the same port"],
            id="two listeners at a port",
        ),
        pytest.param('[publish]\nurl = "games.example"', ["publish.url: write a URL that begins with"], id="no URL"),
        pytest.param("[limits]\nmails_per_hour = true", ["limits.mails_per_hour: write a number"], id="no number"),
        pytest.param('[publish]\nfolder = ["a"]', ["publish.folder: write a path as text"], id="no path"),
        pytest.param(IMAP_IN.replace('" }', " }"), ["can't be read"], id="no TOML in the line of the secret"),
    ],
)
def test_a_wrong_key_is_named(site: Site, inbox: str, words: list[str]) -> None:
    site.configure(inbox=inbox)
    refused(site.pbem("check"), "pbem.toml", *words)


@pytest.mark.parametrize(
    ("outbox", "words"),
    [
        ("", ["outbox", "required"]),
        ("[outbox]", ["give exactly one of [outbox.smtp] and [outbox.maildir]"]),
        (FOLDER_OUT + '[outbox.smtp]\nhost = "h"', ["give exactly one of [outbox.smtp] and [outbox.maildir]"]),
    ],
)
def test_mail_goes_out_in_exactly_one_way(site: Site, outbox: str, words: list[str]) -> None:
    site.configure(outbox=outbox)
    refused(site.pbem("check"), *words)


def test_an_address_with_too_long_a_name_is_refused(site: Site) -> None:
    site.configure(address="a-name-that-leaves-no-place-for-tokens@pbem.example")
    refused(site.pbem("check"), "server.address")


@pytest.mark.parametrize(
    ("encoding", "why"),
    [
        ("utf-8-sig", "it begins with a byte order mark"),
        ("latin-1", "line 6 isn't UTF-8, perhaps Latin-1"),
        ("utf-16", "it is UTF-16"),
    ],
)
def test_a_configuration_of_another_encoding_is_refused(site: Site, encoding: str, why: str) -> None:
    text = site.config.read_text(encoding="utf-8").replace("[log]", "# Grüße\n[log]")
    site.config.write_bytes(text.encode(encoding))
    refused(site.pbem("check"), f"{site.config} can't be read: {why}; save it as UTF-8 without a byte order mark\n")


def test_a_configuration_that_is_nested_without_end_is_refused(site: Site) -> None:
    site.config.write_text(f"a = {'[' * 100_000}", encoding="ascii")
    refused(site.pbem("check"), "can't be read")


def test_a_configuration_that_is_a_folder_is_refused(site: Site) -> None:
    done = site.pbem("check", PBEM_CONFIG=str(site.folder))
    refused(done, f"is a folder: write the path of the file in it, such as {site.config}")


def test_an_admin_has_an_address(site: Site) -> None:
    refused(site.pbem("check", PBEM_SERVER__ADMIN="root"), "server.admin", "write an address like postmaster@")


def test_every_fault_is_told_at_once(site: Site) -> None:
    site.configure(inbox="[inbox.lmtp]\nport = 70000\nfolder = 'x'", outbox="[outbox.smtp]")
    refused(site.process("run"), "inbox.lmtp.port", "inbox.lmtp.folder", "outbox.smtp.host")


# The environment


@pytest.mark.slow
def test_the_environment_overrides_the_file(site: Site) -> None:
    site.drop(written("ann@mail.example", "other@else.example", "rules quadraphages"))
    assert site.run_once(PBEM_SERVER__ADDRESS="other@else.example") == [1, 1, 1]
    assert "other@else.example" in str(parsed(site.sent()[0])["From"])


@pytest.mark.own_database
def test_the_environment_names_the_configuration(site: Site, tmp_path: Path) -> None:
    text = site.config.read_text(encoding="utf-8")
    site.config.write_text(text.replace(site.database, "sqlite:///pbem.sqlite"), encoding="utf-8")
    moved = site.config.rename(tmp_path / "elsewhere.toml")
    (tmp_path / "pbem.key").write_text("another key than the usual one\n", encoding="ascii")
    assert site.process("init", PBEM_CONFIG=str(moved)).code == 0
    assert site.process("check", PBEM_CONFIG=str(moved)).out == "0 matches replayed, 0 problems\n"
    assert (tmp_path / "pbem.sqlite").exists(), "relative paths start at the folder of the configuration"


def test_a_wrong_value_in_the_environment_is_named(site: Site) -> None:
    done = site.pbem("check", PBEM_LIMITS__MAILS_PER_HOUR="lots")
    refused(done, "limits.mails_per_hour", "(from the environment variable PBEM_LIMITS__MAILS_PER_HOUR)")


# Secrets


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", ["value", "file", "command"])
def test_a_secret_comes_by_value_by_file_or_by_command(site: Site, way: str) -> None:
    (site.folder / "secret").write_text(f"{SECRET}\nand a second line that is a comment\n", encoding="ascii")
    given = {"value": SECRET, "file": "secret", "command": f"cat {site.folder}/secret"}[way]
    text = site.config.read_text(encoding="utf-8")
    site.config.write_text(text.replace('file = "pbem.key"', f'{way} = "{given}"'), encoding="utf-8")
    assert config.load(site.config).server.key.read() == SECRET
    done = site.pbem("feed", "-", stdin=RULES)
    assert done.code == 0
    assert SECRET not in done.said
    assert SECRET not in repr(config.load(site.config))


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ('file = "nowhere"', "nowhere can't be read"),
        ('file = "blank"', "is empty"),
        ('file = "binary"', "binary can't be read"),
        (f"command = \"sh -c 'echo {SECRET} >&2; exit 1'\"", "for a secret failed: it ended with exit code 1"),
        ('command = "no-such-program"', "for a secret failed: there is no such program"),
        ('command = "true"', "is empty"),
        ('command = ""', "for a secret failed"),
        ('command = "sh -c \'unclosed"', "for a secret failed"),
    ],
)
def test_a_secret_that_can_not_be_had_is_told_in_a_sentence(site: Site, key: str, words: str) -> None:
    (site.folder / "blank").write_text("\n", encoding="ascii")
    (site.folder / "binary").write_bytes(f"\xff\xfe{SECRET}".encode("latin-1"))
    text = site.config.read_text(encoding="utf-8")
    site.config.write_text(text.replace('file = "pbem.key"', key), encoding="utf-8")
    refused(site.pbem("check"), words)


def test_a_secret_that_a_server_refuses_is_not_logged(site: Site) -> None:
    site.configure(inbox=IMAP_IN + f"port = {free_port()}\nsecurity = 'none'")
    done = site.pbem("run", "--once")
    assert done.code == 2
    assert SECRET not in done.said
    assert "127.0.0.1" in done.err


def test_a_password_that_a_server_repeats_is_not_logged(site: Site) -> None:
    with submission(auth_require_tls=False) as port:
        login = f'username = "me"\npassword = {{ value = "{SECRET}" }}\n'
        site.configure(outbox=smtp_out(port) + login)
        site.drop(RULES)
        done = site.pbem("run", "--once")
    assert "*** is wrong" in done.err
    assert SECRET not in done.said
    assert site.rows("select count(*) from outgoing where error like '%hunter2%'") == [0]


# The database

WRITE_URL = (
    "server.database: write sqlite:///pbem.sqlite, or postgresql+psycopg://user:password@host/name, and no other"
)
WRITE_PATH = (
    "server.database: write sqlite:/// and the path of a file: sqlite:///pbem.sqlite is beside the configuration"
)
WRITE_ESCAPED = "in a user or password write @ as %40, / as %2F, : as %3A and % as %25"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (f"nonsense {SECRET}", WRITE_URL),
        ("pbem.sqlite", WRITE_URL),
        ("/var/lib/pbem.sqlite", WRITE_URL),
        ("sqlite:pbem.sqlite", WRITE_URL),
        (f"oracle9://me:{SECRET}@host/name", WRITE_URL),
        (f"mysql+pymysql://me:{SECRET}@host/name", WRITE_URL),
        ("sqlite+aiosqlite:///pbem.sqlite", WRITE_URL),
        (f"postgres://me:{SECRET}@host/name", WRITE_URL),
        (f"postgresql+psycopg2://me:{SECRET}@host/name", WRITE_URL),
        ("sqlite://pbem.sqlite", WRITE_PATH),
        ("sqlite://", WRITE_PATH),
        ("sqlite:///", WRITE_PATH),
        ("sqlite:///:memory:", WRITE_PATH),
        ("sqlite:///file:pbem.sqlite?uri=true", WRITE_PATH),
        ("sqlite:///pbem.sqlite?mode=ro", WRITE_PATH),
        ("postgresql://host:port/name", WRITE_ESCAPED),
        (f"postgresql://me:@{SECRET}@host/name", WRITE_ESCAPED),
        (f"postgresql://me:@/{SECRET}@host/name", WRITE_ESCAPED),
        (f"postgresql://me:@1:{SECRET}@host/name", WRITE_ESCAPED),
        (f"postgresql://m/e:{SECRET}@host/name", WRITE_ESCAPED),
        ("sqlite:////nowhere/at/all.sqlite", "there is no database /nowhere/at/all.sqlite: is its disk mounted?"),
    ],
)
def test_a_database_that_can_not_be_opened_is_told_in_a_sentence(site: Site, url: str, words: str) -> None:
    text = site.config.read_text(encoding="utf-8")
    site.config.write_text(text.replace(site.database, url), encoding="utf-8")
    for command in (("check",), ("run", "--once"), ("status",)):
        refused(site.pbem(*command), words)
    assert site.pbem("init").code == 2
    assert {path.name for path in site.folder.iterdir()} <= {"pbem.key", "pbem.sqlite", "pbem.toml", "database"}


@pytest.mark.parametrize("password", ["p%40ss", "p%2Fw", "p/w", "p#w", "p:w", "p%25w"])
def test_a_password_with_other_characters_is_part_of_the_url(site: Site, password: str) -> None:
    text = site.config.read_text(encoding="utf-8")
    url = f"postgresql+psycopg://me:{password}@127.0.0.1:1/name"
    site.config.write_text(text.replace(site.database, url), encoding="utf-8")
    assert "connection to server at" in site.pbem("check").err


def test_a_database_of_a_later_version_is_left_alone(site: Site) -> None:
    site.configure(inbox=FOLDER_IN)
    site.pbem("init")
    site.rows("update alembic_version set version_num = '9999'")
    refused(site.pbem("check"), "another version of pbem", "9999")
    assert site.rows("select version_num from alembic_version") == ["9999"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "verb", [["check"], ["show", "1"], ["mail", "list"], ["mail", "retry", "1"], ["player", "bounced"], ["feed", "-"]]
)
def test_only_init_and_run_upgrade_a_database(site: Site, verb: list[str]) -> None:
    site.make()
    site.rows("update alembic_version set version_num = '0048'")
    refused(site.pbem(*verb), "an older version of pbem", '"pbem init" or "pbem run" upgrades')
    assert site.rows("select version_num from alembic_version") == ["0048"]


@pytest.mark.own_database
@pytest.mark.parametrize("verb", [["init"], ["run", "--once"]])
def test_a_database_is_not_upgraded_under_a_running_server(site: Site, verb: list[str]) -> None:
    site.rows("update alembic_version set version_num = '0048'")
    with database.alone(site.database):
        refused(site.pbem(*verb), "another daemon")
    assert site.rows("select version_num from alembic_version") == ["0048"]


@pytest.mark.own_database
def test_looking_makes_no_database(site: Site) -> None:
    file = site.folder / "pbem.sqlite"
    file.unlink()
    refused(site.pbem("check"), "there is no database", "pbem init")
    assert not file.exists()

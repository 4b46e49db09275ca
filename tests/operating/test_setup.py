"""What an operator meets first: faults in the configuration, `pbem init` for a usual place, `pbem config show`."""

import json
import re
import stat
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pbem import config
from pbem.cli.setup import presets
from pbem.cli.setup.presets import PRESETS, PresetPlace
from pbem.config import Settings
from pbem.config.faults import FIXED, MOVED
from pbem.secret import BadConfig
from tests.operating.site import Done, Site

SECRET = "hunter2-and-more"
SERVER = '[server]\naddress = "games@pbem.example"\n'
OUT = '[outbox.maildir]\npath = "out"\n'
SMTP = '[outbox.smtp]\nhost = "smtp.pbem.example"\n'
IMAP = '[inbox.imap]\nhost = "imap.pbem.example"\nusername = "games"\n'
WHERE_FROM = "say where this secret comes from"
NO = "there is no such setting; did you mean"
SALT = f'{{ value = "{SECRET}" }}'

# Faults


def told(folder: Path, text: str) -> str:
    """Return the sentences on a configuration that can't be used."""
    path = folder / "pbem.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadConfig) as refused:
        config.load(path)
    assert SECRET not in str(refused.value)
    head, *sentences = str(refused.value).splitlines()
    assert head == f"{path} can't be used:"
    return "\n".join(sentence.strip() for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f'{SERVER}key = "pbem.key"\n{OUT}', f"server.key: {WHERE_FROM}: key = {{ file = \"pbem.key\" }}"),
        (f'{SERVER}{OUT}{IMAP}password = "{SECRET}"', f"inbox.imap.password: {WHERE_FROM}: password = {{ file = "),
        (f'{SERVER}{OUT}{IMAP}password = "{SECRET}"', 'password = { value = "…" } what is between the quotes'),
        (f"{SERVER}{OUT}{IMAP}password = {SALT.replace('value', 'valu')}", f"inbox.imap.password.valu: {NO} value?"),
        (f"{SERVER}{OUT}{IMAP}", "inbox.imap.password: this is required"),
        (f"{SERVER}{OUT}{IMAP}pasword = {SALT}", f"inbox.imap.pasword: {NO} password?"),
        (f"{SERVER}{OUT}{IMAP}pass = {SALT}", f"inbox.imap.pass: {NO} password?"),
        (f"{SERVER}{OUT}{IMAP}ssl = true", f"inbox.imap.ssl: {NO} security?"),
        (f"{SERVER}{OUT}{IMAP}vacation_days = 3", f"inbox.imap.vacation_days: {NO} server.vacation_days?"),
        (f"{SERVER}{OUT}{IMAP}security = 'ssl'", "inbox.imap.security: Input should be 'tls', 'starttls' or 'none'"),
        (f"{SERVER}{OUT}[imap]\nhost = 'h'", "imap: there is no such table; did you mean inbox.imap?"),
        (f"{SERVER}{OUT}[limit]", "limit: there is no such table; did you mean limits?"),
        (f"{SERVER}{OUT}[xyzzy]", "xyzzy: there is no such table; here there are server, inbox, outbox"),
        (f"{SERVER}colour = 1\n{OUT}", "server.colour: there is no such setting; here there are address, aliases"),
        (f"{OUT}[server]\nadress = 'games@pbem.example'", f"server.adress: {NO} address?"),
        (f"{OUT}[server]\nadress = 'games@pbem.example'", "server.address: this is required"),
        (f"{OUT}[server]\naddress = 'games'", "server.address: write an address like games@example.org"),
        (f"inbox = 'maildir'\n{SERVER}{OUT}", "inbox: this is a table; write [inbox], and its settings in"),
        (f"{SERVER}{SMTP}username = 'games'", "outbox.smtp.password: this is required, unless there is [oauth2]"),
        (f"{SERVER}{SMTP}password = {SALT}", "outbox.smtp: there is a password and no username"),
        (f'{SERVER}{OUT}[oauth2]\nprovider = "aol"', 'oauth2.provider: write "google", "microsoft", or the URL of'),
        (f'{SERVER}{OUT}[oauth2]\nprovider = "http://a.example/"', "oauth2.provider: write"),
        (f"{SERVER}{OUT}{IMAP}password = {SALT}\nprocessed = 'inbox'", "inbox.imap: processed is the same as folder"),
        (f"{SERVER}{OUT}{IMAP}password = {SALT}\nfolder = 'A'\nprocessed = 'A'", "processed is the same as folder"),
        (f"{SERVER}admin = 'Games@pbem.example'\n{OUT}", "server: admin is an address of the server itself"),
        (f"{SERVER}admin = 'games+me@pbem.example'\n{OUT}", "server: admin is an address of the server itself"),
        (f"{SERVER}admin = 'p@a.b'\naliases = ['p@a.b']\n{OUT}", "server: admin is an address of the server itself"),
        (f"{SERVER}{SMTP}{OUT}", "outbox: give exactly one of [outbox.smtp] and [outbox.maildir]"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_what_to_write(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in told(tmp_path, text)


GONE = "this isn't a setting any more: it is always"


@pytest.mark.parametrize(
    ("table", "line", "sentence"),
    [
        ("server", "mail_limit = 2000000", f"server.mail_limit: {GONE} 1 MB; remove it"),
        ("server", "keep_mail_days = 30", "server.keep_mail_days: this is keep_mail_days in [limits] now"),
        ("limits", "player_per_hour = 9", "limits.player_per_hour: this is mails_per_hour in [limits] now"),
        ("limits", "match_per_day = 9", f"limits.match_per_day: {GONE} 1000; remove it"),
        (
            "inbox.imap",
            'auth = "oauth2"',
            f"inbox.imap.auth: {GONE} the password, and a token of",
        ),
        (
            "reading",
            "seconds = 9",
            "reading: this table is gone: seconds is always 5, megabytes is always 128;",
        ),
    ],
)
def test_a_key_of_an_earlier_version_is_told_by_every_command(site: Site, table: str, line: str, sentence: str) -> None:
    before = site.config.read_text(encoding="utf-8")
    head = f"[{table}]\n"
    text = before.replace(head, f"{head}{line}\n") if head in before else f"{before}{head}{line}\n"
    site.config.write_text(text, encoding="utf-8")
    for words in (("run", "--once"), ("doctor",), ("config", "show")):
        done = site.process(*words)
        assert (done.code, done.out) == (2, "")
        assert f"  {sentence}" in done.err


def test_each_key_of_an_earlier_version_is_told(site: Site) -> None:
    assert not MOVED.keys() & MOVED.values()
    old = [*MOVED, *(f"{table}.{key}" for table, keys in FIXED.items() for key in keys if table != "reading")]
    for path in old:
        variable = f"PBEM_{path.upper().replace('.', '__')}"
        done = site.pbem("config", "show", **{variable: "30"})
        (told,) = [line for line in done.err.splitlines() if line.startswith(f"  {path}: ")]
        assert " now" in told if path in MOVED else f"{path}: {GONE} " in told
    for path in MOVED.values():
        variable = f"PBEM_{path.upper().replace('.', '__')}"
        assert site.pbem("config", "show", **{variable: "30"}).code == 0, path


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PBEM_READING__SECONDS", "9", f"the environment variable PBEM_READING__SECONDS: {GONE} 5; remove it"),
        ("PBEM_LIMITS__MATCH_PER_DAY", "9", f"limits.match_per_day: {GONE} 1000; remove it"),
        ("PBEM_SERVR__NAME", "Games", "PBEM_SERVR__NAME belongs to no table; did you mean PBEM_SERVER__…?"),
        ("PBEM_SERVER__NAM", "Games", "server.nam: there is no such setting; did you mean name?"),
        ("PBEM_SERVER__KEY", SECRET, "a secret as PBEM_SERVER__…__FILE=/path/to/a/file"),
        ("PBEM_SERVER__ALIASES", SECRET, "a list as JSON"),
    ],
)
def test_a_fault_in_the_environment_is_told(
    site: Site, monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadConfig) as refused:
        config.load(site.config)
    assert sentence in str(refused.value)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        ('file = "mail.password"', "inbox.imap.password: the secret in "),
        ('file = "pbem.sqlite.lock"', "inbox.imap.password: the secret from "),
        (f'command = "no-such-program {SECRET}"', "inbox.imap.password: the command 'no-such-program' for a"),
    ],
)  # fmt: skip
def test_a_password_that_is_missing_ends_the_start(site: Site, password: str, sentence: str) -> None:
    (site.folder / "pbem.sqlite.lock").touch()
    site.configure(inbox=f"{IMAP}password = {{ {password} }}")
    done = site.pbem("run", "--once")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"pbem: {sentence}")
    assert SECRET not in done.err
    assert site.pbem("check").code == 0, "what reads no mail needs no password"


# init


def wanted(site: Site, place: PresetPlace, *more: str) -> Done:
    site.config.unlink(missing_ok=True)
    done = site.pbem("init", "--preset", place.value, "--address", "play@pbem.example", *more)
    assert done.code == 0, done.said
    return done


@pytest.mark.own_database
@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", PresetPlace)
def test_init_writes_what_works_for_a_usual_place(site: Site, place: PresetPlace) -> None:
    more = ("--client-id", "an-id") if PRESETS[place].oauth2 else ()
    done = wanted(site, place, *more, "--admin", "root@pbem.example", "--name", "Board games", "--username", 'a "b"')
    settings = config.load(site.config)
    preset = PRESETS[place]
    assert (settings.server.address, settings.server.admin) == ("play@pbem.example", "root@pbem.example")
    assert settings.server.name == "Board games"
    found = {table: at(settings, table) for table in ("inbox.imap", "inbox.lmtp", "inbox.smtp", "inbox.maildir")}
    found |= {table: at(settings, table) for table in ("outbox.smtp", "outbox.maildir")}
    assert {table for table, value in found.items() if value is not None} == set(preset.tables)
    for table, values in preset.tables.items():
        wanted_there = {**values, **({"path": site.folder / str(values["path"])} if "path" in values else {})}
        assert {key: getattr(found[table], key) for key in values} == wanted_there
    for table in preset.logins:
        assert found[table].username == 'a "b"'
        if preset.oauth2:
            assert found[table].password is None
            continue
        assert found[table].password.file == site.folder / presets.PASSWORDS[table]
        assert f"write the password into {site.folder / presets.PASSWORDS[table]}" in done.out
    if preset.oauth2:
        assert settings.oauth2
        assert (settings.oauth2.provider, settings.oauth2.client_id) == (preset.oauth2["provider"], "an-id")
    assert all(sentence in done.out for sentence in preset.todo)
    assert preset.title in site.config.read_text(encoding="utf-8")
    assert defaults_in(site.config) == []
    assert site.pbem("run", "--once").code == (2 if preset.logins else 0)  # the passwords are not there yet


def defaults_in(path: Path) -> list[str]:
    """Return the settings of the file that could be left out: a default of a later version would never arrive."""
    whole, found = config.load(path).model_dump(), []
    text = path.read_text(encoding="utf-8")
    for line in re.findall(r"^\w+ = .*\n", text, re.MULTILINE):
        path.write_text(text.replace(line, "", 1), encoding="utf-8")
        with suppress(BadConfig):
            found += [line] if config.load(path).model_dump() == whole else []
    path.write_text(text, encoding="utf-8")
    return found


def at(settings: Settings, table: str) -> Any:
    group, kind = table.split(".")
    return getattr(getattr(settings, group), kind)


@pytest.mark.own_database
def test_init_makes_the_database_where_it_is_wanted(site: Site) -> None:
    (site.folder / "state").mkdir()
    wanted(site, PresetPlace.POSTFIX, "--database", f"sqlite:///{site.folder}/state/games.sqlite")
    assert config.load(site.config).server.database == f"sqlite:///{site.folder}/state/games.sqlite"
    assert (site.folder / "state" / "games.sqlite").is_file()


@pytest.mark.own_database
def test_a_server_of_another_user_can_read_what_init_writes_but_no_secret(site: Site) -> None:
    for path in (site.config, site.folder / "pbem.key"):
        path.unlink(missing_ok=True)
    assert site.process("init", "--preset", "postfix", "--address", "play@pbem.example").code == 0
    assert stat.S_IMODE(site.config.stat().st_mode) == 0o644
    assert stat.S_IMODE((site.folder / "pbem.key").stat().st_mode) == 0o600


@pytest.mark.own_database
def test_init_asks(site: Site) -> None:
    site.config.unlink()
    answers = ["Fastmail", "play@pbem.example", "", "me@pbem.example", SECRET]
    done = site.pbem("init", "--ask", stdin="".join(f"{answer}\n" for answer in answers).encode())
    assert done.code == 0, done.said
    assert SECRET not in done.said
    settings = config.load(site.config)
    assert settings.server.admin is None
    imap, smtp = settings.inbox.imap, settings.outbox.smtp
    assert imap
    assert smtp
    assert smtp.password
    assert (imap.host, imap.username, smtp.host) == ("imap.fastmail.com", "me@pbem.example", "smtp.fastmail.com")
    assert imap.password.read() == smtp.password.read() == SECRET
    for path in (site.config, imap.password.file, smtp.password.file):
        assert path
        assert SECRET not in path.name
        assert path == site.config or stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.own_database
@pytest.mark.parametrize(
    ("answers", "heard"),
    [
        (["aol", "postfix", "play@pbem.example", ""], "there is no preset of that name; there are gmail, gmail-oauth2"),
        (["postfix", "play", "play@pbem.example", ""], "address: write an address like games@example.org"),
        (["gmail", "<", "postfix", "play@pbem.example", ""], "Where is your mail"),
        (["<", "postfix", "pley@pbem.example", "<", "play@pbem.example", ""], "The server's email address"),
        (["dovecot", "a@b.example", "", "<", "<", "<", "postfix", "play@pbem.example", ""], "The login there"),
    ],
)
def test_a_wrong_answer_is_not_the_end(site: Site, answers: list[str], heard: str) -> None:
    site.config.unlink()
    done = site.pbem("init", "--ask", stdin="".join(f"{answer}\n" for answer in answers).encode())
    assert done.code == 0, done.said
    assert heard in done.said
    settings = config.load(site.config)
    assert settings.server.address == "play@pbem.example"
    assert settings.inbox.lmtp
    assert settings.inbox.imap is None


@pytest.mark.parametrize(
    ("words", "stdin", "sentence"),
    [
        (["--preset", "gmail"], "", "give --preset and --address together"),
        (["--database", "sqlite:///x.sqlite"], "", "give --preset and --address together"),
        (["--address", "play@pbem.example"], "", "give --preset and --address together"),
        (["--preset", "gmail", "--address", "play"], "", "address: write an address like games@example.org"),
        (["--preset", "gmail", "--address", "play@pbem.example", "--name", "<x>"], "", "name: write a name"),
        (["--preset", "outlook", "--address", "play@pbem.example"], "", "give --client-id too: Microsoft takes OAuth2"),
        (["--ask", "--address", "play"], "gmail\n", "address: write an address like games@example.org"),
    ],
)
def test_init_refuses_what_can_t_work_and_writes_nothing(
    site: Site, words: list[str], stdin: str, sentence: str
) -> None:
    site.config.unlink()
    done = site.pbem("init", *words, stdin=stdin.encode())
    assert done.code == 2
    assert sentence in done.err
    assert not site.config.exists()


def test_init_overwrites_no_configuration(site: Site) -> None:
    before = site.config.read_bytes()
    done = site.pbem("init", "--preset", "gmail", "--address", "play@pbem.example")
    assert done.code == 2
    assert "exists, and is never overwritten" in done.err
    assert site.config.read_bytes() == before


# config show


HIDING = f"""
[server]
address = "games@pbem.example"
key = {{ value = "{SECRET}" }}
database = "postgresql+psycopg://pbem:{SECRET}@db.example/pbem?sslpassword={SECRET}&sslmode=require"
{IMAP}password = {{ command = "pass show {SECRET}" }}
tls = {{ ca_file = "ca.pem" }}
{SMTP}username = "games"
password = {{ file = "smtp.password" }}
"""


def test_config_show_prints_what_is_in_force_without_secrets(site: Site) -> None:
    site.config.write_text(HIDING, encoding="utf-8")
    done = site.pbem("config", "show", PBEM_SERVER__NAME="Board games")
    assert done.code == 0, done.said
    assert SECRET not in done.said
    shown = tomllib.loads(done.out)
    assert shown["server"]["name"] == "Board games"
    assert shown["server"]["key"] == {"value": "***"}
    assert shown["server"]["database"].startswith("postgresql+psycopg://pbem:***@db.example/pbem?")
    assert "sslmode=require" in shown["server"]["database"]
    assert shown["inbox"]["imap"]["password"] == {"command": "pass ***"}
    assert shown["inbox"]["imap"]["tls"] == {"ca_file": str(site.folder / "ca.pem")}
    assert shown["outbox"]["smtp"]["password"] == {"file": str(site.folder / "smtp.password")}
    assert shown["limits"]["mails_per_hour"] == 500
    lines = done.out.splitlines()
    assert "port = 465  # default" in lines
    assert "# admin is not set" in lines
    assert 'name = "Board games"' in lines


def test_config_show_prints_the_same_as_json(site: Site) -> None:
    site.config.write_text(HIDING, encoding="utf-8")
    done = site.pbem("config", "show", "--json")
    assert SECRET not in done.said
    shown = json.loads(done.out)
    assert set(shown) == set(Settings.model_fields)
    assert shown["inbox"]["maildir"] is None
    toml = tomllib.loads(site.pbem("config", "show").out)
    for name, table in toml["limits"].items():
        assert shown["limits"][name] == table


def test_what_config_show_prints_is_a_configuration(site: Site) -> None:
    before = config.load(site.config)
    site.config.write_text(site.pbem("config", "show").out, encoding="utf-8")
    assert config.load(site.config).model_dump() == before.model_dump()


def test_config_show_needs_neither_secrets_nor_database(site: Site) -> None:
    (site.folder / "pbem.key").unlink()
    site.config.write_text(HIDING, encoding="utf-8")
    assert site.pbem("config", "show").code == 0
    site.config.write_text("[server]", encoding="utf-8")
    assert site.pbem("config", "show").code == 2

"""What an operator meets first: `pbem init` for a usual place, a configuration elsewhere, `pbem config show`."""

import json
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pbem import config
from pbem.cli.setup import presets
from pbem.cli.setup.presets import PRESETS
from pbem.config import Settings
from pbem.secret_setting import BadConfig
from tests.correspondence import parsed
from tests.operating.people import written
from tests.operating.site import ADDRESS, Done, Site

SECRET = "hunter2-and-more"
IMAP = '[inbox.imap]\nhost = "imap.pbem.example"\nusername = "games"\n'
SMTP = '[outbox.smtp]\nhost = "smtp.pbem.example"\n'

# What is wrong with a configuration: see tests/config/test_faults.py


def test_a_fault_and_a_password_that_is_missing_end_a_command_without_a_secret(site: Site) -> None:
    site.configure(inbox=f'{IMAP}password = {{ command = "no-such-program {SECRET}" }}')
    done = site.pbem("run", "--once")
    assert (done.code, done.out, SECRET in done.err) == (2, "", False)
    assert done.err.startswith("pbem: inbox.imap.password: the command 'no-such-program' for a")
    assert site.pbem("check").code == 0, "what reads no mail needs no password"
    site.configure(inbox=f'{IMAP}password = "{SECRET}"')
    for words in (("run", "--once"), ("doctor",), ("config", "show")):
        done = site.pbem(*words)
        assert (done.code, done.out, SECRET in done.err) == (2, "", False)
        assert "  inbox.imap.password: say where this secret comes from" in done.err
    done = site.pbem("check", PBEM_CONFIG=str(site.folder))
    assert f"is a folder: write the path of the file in it, such as {site.config}" in done.err


@pytest.mark.own_database
def test_the_environment_overrides_the_file_and_names_it(site: Site, tmp_path: Path) -> None:
    site.drop(written("ann@mail.example", "other@else.example", "rules quadraphages"))
    assert site.run_once(PBEM_SERVER__ADDRESS="other@else.example") == [1, 1, 1]
    assert "other@else.example" in str(parsed(site.sent()[0])["From"])
    text = site.config.read_text(encoding="utf-8")
    site.config.write_text(text.replace(site.database, "sqlite:///pbem.sqlite"), encoding="utf-8")
    moved = site.config.rename(tmp_path / "elsewhere.toml")
    (tmp_path / "pbem.key").write_text("another key than the usual one\n", encoding="ascii")
    assert site.process("init", PBEM_CONFIG=str(moved)).code == 0
    assert site.process("check", PBEM_CONFIG=str(moved)).out == "0 matches replayed, 0 problems\n"
    assert (tmp_path / "pbem.sqlite").exists(), "relative paths start at the folder of the configuration"


# init


def wanted(site: Site, place: str, *more: str) -> Done:
    site.config.unlink(missing_ok=True)
    done = site.pbem("init", "--preset", place, "--address", "play@pbem.example", *more)
    assert done.code == 0, done.said
    return done


@pytest.mark.own_database
@pytest.mark.parametrize("place", PRESETS)
def test_init_writes_what_works_for_a_usual_place(site: Site, place: str) -> None:
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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--preset", "gmail"], "give --preset and --address together"),
        (["--preset", "gmail", "--address", "play"], "address: write an address like games@example.org"),
        (["--preset", "gmail", "--address", "play@pbem.example", "--name", "<x>"], "name: write a name"),
        (["--preset", "outlook", "--address", "play@pbem.example"], "give --client-id too: Microsoft takes OAuth2"),
    ],
)
def test_init_refuses_what_can_t_work_and_writes_nothing(site: Site, words: list[str], sentence: str) -> None:
    site.config.unlink()
    done = site.pbem("init", *words)
    assert done.code == 2
    assert sentence in done.err
    assert not site.config.exists()


# config show


HIDING = f"""
[server]
address = "{ADDRESS}"
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
    done = site.pbem("config", "show", "--json")
    assert SECRET not in done.said
    assert json.loads(done.out)["limits"] == shown["limits"]

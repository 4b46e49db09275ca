"""config.example.toml is valid, also with each table that it comments out, and complete."""

import re
from pathlib import Path
from typing import Any

import pytest

from pbem import config
from pbem.config import Settings, Tls
from pbem.secret_setting import Secret
from tests.docs.pages import page, section

EXAMPLE = page("config.example.toml")
COMMENTED = re.findall(r"^# \[([a-z0-9.]+)\]$", EXAMPLE, re.MULTILINE)
KEY = re.compile(r"^(?:# )?([a-z_]+) = ", re.MULTILINE)


def with_table(text: str, name: str) -> str:
    """Return the example with one table uncommented, and without the other outbox for [outbox.smtp]."""
    head = f"# [{name}]\n"
    before, _, rest = text.partition(head)
    block, gap, after = rest.partition("\n\n")
    own = "".join(f"{line.removeprefix('# ')}\n" for line in block.splitlines())
    if name == "outbox.smtp":
        before = re.sub(r"^\[outbox\.maildir\]\n(?:.+\n)*", "", before, flags=re.MULTILINE)
    return f"{before}[{name}]\n{own}{gap}{after}"


def load(folder: Path, text: str) -> Settings:
    path = folder / "pbem.toml"
    path.write_text(text, encoding="utf-8")
    return config.load(path)


def test_as_it_is(tmp_path: Path) -> None:
    settings = load(tmp_path, EXAMPLE)
    assert settings.inbox.maildir
    assert settings.outbox.maildir


@pytest.mark.parametrize("name", COMMENTED)
def test_with_each_commented_table(name: str, tmp_path: Path) -> None:
    settings = load(tmp_path, with_table(EXAMPLE, name))
    found: Any = settings
    for part in name.split("."):
        found = getattr(found, part)
    assert found is not None


def sections() -> list[tuple[str, Any]]:
    """Return every possible table with its model."""
    return [
        ("server", config.ServerSettings),
        ("inbox.imap", config.ImapSettings),
        ("inbox.lmtp", config.ListenSettings),
        ("inbox.smtp", config.ListenSettings),
        ("inbox.maildir", config.MaildirSettings),
        ("outbox.smtp", config.SmtpSettings),
        ("outbox.maildir", config.MaildirSettings),
        ("outbox.dkim", config.DkimSettings),
        ("oauth2", config.OAuth2Settings),
        ("checks", config.ChecksSettings),
        ("limits", config.LimitsSettings),
        ("games", config.GamesSettings),
        ("house", config.HouseSettings),
        ("backup", config.BackupSettings),
        ("serve", config.ServeSettings),
        ("log", config.LogSettings),
        ("metrics", config.MetricsSettings),
    ]


def test_no_table_is_forgotten() -> None:
    groups = {"inbox": config.InboxSettings, "outbox": config.OutboxSettings}
    there_are = [
        name
        for group in Settings.model_fields
        for name in ([f"{group}.{kind}" for kind in groups[group].model_fields] if group in groups else [group])
    ]
    assert sorted(there_are) == sorted(name for name, _ in sections())


@pytest.mark.parametrize(("name", "model"), sections(), ids=[name for name, _ in sections()])
def test_every_key_is_there_and_explained(name: str, model: Any) -> None:
    own = re.search(rf"^(?:# )?\[{re.escape(name)}\]\n((?:.+\n)*)", EXAMPLE, re.MULTILINE)
    assert own, name
    assert set(KEY.findall(own[1])) == set(model.model_fields)
    rows = dict(
        re.findall(r"^\| `(\w+)` \| .* \| (.*?) \|$", section(page("docs/configuration.md"), f"[{name}]"), re.MULTILINE)
    )
    assert set(rows) == set(model.model_fields)
    assert all(rows.values()), rows


def test_the_values_shown_are_the_defaults(tmp_path: Path) -> None:
    text = EXAMPLE
    for name in COMMENTED:
        text = with_table(text, name)
    settings = load(tmp_path, text)
    for name, model in sections():
        own: Any = settings
        for part in name.split("."):
            own = getattr(own, part)
        for key, field in model.model_fields.items():
            if own is None or field.is_required() or field.default is None or isinstance(field.default, Secret | Tls):
                continue
            if (name, key) not in (("server", "database"), ("oauth2", "token_file")):  # made absolute
                assert getattr(own, key) == field.default, (name, key)


def test_the_unit_tells_where_the_secrets_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each secret that deploy/pbem.service and its drop-in pass overrides the file named in the configuration."""
    (drop_in,) = re.findall(r"```ini\n(.*?)```", page("docs/operating.md"), re.DOTALL)
    unit = f"{page('deploy/pbem.service')}\n{drop_in}"
    handed = dict(re.findall(r"^LoadCredential=(\S+):(\S+)\nEnvironment=(?:\w+)=%d/\1$", unit, re.MULTILINE))
    assert len(handed) == unit.count("LoadCredential=") == unit.count("Environment=")
    for name, value in re.findall(r"^Environment=(\w+)=(.*)$", unit, re.MULTILINE):
        monkeypatch.setenv(name, value.replace("%d", str(tmp_path)))
    text = with_table(with_table(EXAMPLE, "inbox.imap"), "outbox.smtp")
    settings = load(tmp_path, text)
    imap, smtp = settings.inbox.imap, settings.outbox.smtp
    assert imap
    assert smtp
    assert smtp.password
    told = [settings.server.key.file, imap.password.file, smtp.password.file]
    assert told == [tmp_path / name for name in handed]

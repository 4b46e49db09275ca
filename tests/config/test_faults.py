"""A configuration that can't be used is refused with what to write instead, and no secret is ever printed."""

from pathlib import Path

import pytest

from pbem import config
from pbem.secret_setting import BadConfig, Secret

SECRET = "hunter2-and-more"
SERVER = '[server]\naddress = "games@pbem.example"\n'
OUT = '[outbox.maildir]\npath = "out"\n'
SMTP = '[outbox.smtp]\nhost = "smtp.pbem.example"\n'
IMAP = '[inbox.imap]\nhost = "imap.pbem.example"\nusername = "games"\n'
GIVEN = f'{{ value = "{SECRET}" }}'
PASSWORD = f"{IMAP}password = {GIVEN}\n"
WHERE_FROM = "say where this secret comes from"
NO = "there is no such setting; did you mean"


def fault(folder: Path, text: str) -> str:
    """Return the sentences on a configuration that can't be used."""
    path = folder / "pbem.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadConfig) as refused:
        config.load(path)
    assert SECRET not in str(refused.value)
    assert str(refused.value).startswith(f"{path} can't be ")
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        # names
        (f"{SERVER}{OUT}{IMAP}password = {GIVEN.replace('value', 'valu')}", f"inbox.imap.password.valu: {NO} value?"),
        (f"{SERVER}{OUT}{IMAP}pasword = {GIVEN}", f"inbox.imap.pasword: {NO} password?"),
        (f"{SERVER}{OUT}{IMAP}pass = {GIVEN}", f"inbox.imap.pass: {NO} password?"),
        (f"{SERVER}{OUT}{IMAP}ssl = true", f"inbox.imap.ssl: {NO} security?"),
        (f"{SERVER}{OUT}{IMAP}vacation_days = 3", f"inbox.imap.vacation_days: {NO} server.vacation_days?"),
        (f"{SERVER}{OUT}[inbox.maildr]\npath = 'in'", f"inbox.maildr: {NO} maildir?"),
        (f"{SERVER}{OUT}{PASSWORD}[inbox.imap.tls]\nca = 'x'", "inbox.imap.tls.ca"),
        (f"{SERVER}{OUT}[imap]\nhost = 'h'", "imap: there is no such table; did you mean inbox.imap?"),
        (f"{SERVER}{OUT}[limit]", "limit: there is no such table; did you mean limits?"),
        (f"{SERVER}{OUT}[xyzzy]", "xyzzy: there is no such table; here there are server, inbox, outbox"),
        (f"{SERVER}colour = 1\n{OUT}", "server.colour: there is no such setting; here there are address, aliases"),
        (f"{OUT}[server]\nadress = 'games@pbem.example'", f"server.adress: {NO} address?"),
        # what is missing, or given twice
        (f"{OUT}[server]\nadress = 'games@pbem.example'", "server.address: this is required"),
        (f"{SERVER}{OUT}{IMAP}", "inbox.imap.password: this is required"),
        (f"{SERVER}{SMTP}username = 'games'", "outbox.smtp.password: this is required, unless there is [oauth2]"),
        (f"{SERVER}{SMTP}password = {GIVEN}", "outbox.smtp: there is a password and no username"),
        (f"{SERVER}{OUT}[inbox.lmtp]", "inbox.lmtp.port: this is required"),
        (SERVER, "outbox: write [outbox.smtp], or [outbox.maildir]"),
        (f"{SERVER}[outbox]", "give exactly one of [outbox.smtp] and [outbox.maildir]"),
        (f"{SERVER}{SMTP}{OUT}", "outbox: give exactly one of [outbox.smtp] and [outbox.maildir]"),
        (f"{SERVER}{OUT}{IMAP}password = {{ value = 'x', file = 'x' }}", "exactly one of"),
        # values
        (f'{SERVER}key = "pbem.key"\n{OUT}', f"server.key: {WHERE_FROM}: key = {{ file = \"pbem.key\" }}"),
        (f'{SERVER}{OUT}{IMAP}password = "{SECRET}"', f"inbox.imap.password: {WHERE_FROM}: password = {{ file = "),
        (f"{SERVER}{OUT}{IMAP}security = 'ssl'", "inbox.imap.security: Input should be 'tls', 'starttls' or 'none'"),
        (f"{SERVER}{OUT}[inbox.lmtp]\nport = 'LMTP'", "inbox.lmtp.port: Input should be a valid integer"),
        (f"{SERVER}{OUT}[inbox.lmtp]\nport = 70000", "inbox.lmtp.port: Input should be less than or equal to 65535"),
        (f"{SERVER}{OUT}[limits]\nmails_per_hour = true", "limits.mails_per_hour: write a number"),
        (f"{SERVER}{OUT}[backup]\nfolder = ['a']", "backup.folder: write a path as text"),
        (f"{SERVER}{OUT}[serve]\nurl = 'games.example'", "serve.url: write a URL that begins with"),
        (f"{SERVER}{OUT}{PASSWORD}processed = \"Done\\r\\na LOGOUT\"", "inbox.imap.processed: "),
        (f"{OUT}[server]\naddress = 'games'", "server.address: write an address like games@example.org"),
        (f"{OUT}[server]\naddress = '{'a' * 40}@pbem.example'", "server.address: "),
        (f"inbox = 'maildir'\n{SERVER}{OUT}", "inbox: this is a table; write [inbox], and its settings in"),
        (f'{SERVER}{OUT}[oauth2]\nprovider = "aol"', 'oauth2.provider: write "google", "microsoft", or the URL of'),
        (f'{SERVER}{OUT}[oauth2]\nprovider = "http://a.example/"', "oauth2.provider: write"),
        # what doesn't go together
        (f"{SERVER}{OUT}{PASSWORD}processed = 'inbox'", "inbox.imap: processed is the same as folder"),
        (f"{SERVER}{OUT}[inbox.maildir]\npath = 'out'", "have the same path: write another"),
        (f"{SERVER}{OUT}[inbox.lmtp]\nport = 1\n[inbox.smtp]\nport = 1", "[inbox.lmtp] and [inbox.smtp] have the same"),
        (f"{SERVER}admin = 'root'\n{OUT}", "server.admin: write an address like postmaster@"),
        (f"{SERVER}admin = 'Games@pbem.example'\n{OUT}", "server: admin is an address of the server itself"),
        (f"{SERVER}admin = 'games+me@pbem.example'\n{OUT}", "server: admin is an address of the server itself"),
        (f"{SERVER}admin = 'p@a.b'\naliases = ['p@a.b']\n{OUT}", "server: admin is an address of the server itself"),
        # what is no TOML
        (f"{SERVER}{OUT}[inbox.lmtp\nport = 24", "can't be read"),
        (f"{SERVER}{OUT}{IMAP}password = {{ value = '{SECRET} }}", "can't be read"),
        (f"a = {'[' * 100_000}", "can't be read"),
        (f"{SERVER}address = 'g@pbem.example'\n{OUT}", "address stands twice, in lines 2 and 3"),
        (f"{SERVER}{OUT}[house]\n[house]", "[house] stands twice, in lines "),
        (f"{SERVER}{OUT}[house]\nenabled = yes", "write true or false for enabled, in line "),
        (f"{OUT}[server]\naddress = games@pbem.example", "write what address is between quotes, in line "),
        (f"{OUT}[server]\naddress = 'games@m\u00fcller.example'", "as the DNS has it: xn--mller-kva.example"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_what_to_write(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in fault(tmp_path, text)


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    sentences = fault(tmp_path, f"{SERVER}[outbox.smtp]\n[inbox.lmtp]\nport = 70000\nfolder = 'x'")
    assert [key for key in ("inbox.lmtp.port", "inbox.lmtp.folder", "outbox.smtp.host") if key not in sentences] == []


@pytest.mark.parametrize(
    ("encoding", "why"),
    [
        ("latin-1", "line 3 isn't UTF-8, perhaps Latin-1"),
        ("utf-16", "it is UTF-16"),
    ],
)
def test_a_configuration_of_another_encoding_is_refused(tmp_path: Path, encoding: str, why: str) -> None:
    (tmp_path / "pbem.toml").write_bytes(f"{SERVER}# Grüße\n{OUT}".encode(encoding))
    with pytest.raises(BadConfig, match=f"can't be read: {why}; save it as UTF-8"):
        config.load(tmp_path / "pbem.toml")


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "pbem.toml").write_bytes(f"{SERVER}{OUT}".encode("utf-8-sig"))
    assert config.load(tmp_path / "pbem.toml").server.domain == "pbem.example"


# The environment


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """Return the path of a configuration without a fault."""
    (tmp_path / "pbem.toml").write_text(f"{SERVER}{OUT}", encoding="utf-8")
    return tmp_path / "pbem.toml"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PBEM_LIMITS__MAILS_PER_HOUR", SECRET, "(from the environment variable PBEM_LIMITS__MAILS_PER_HOUR)"),
        ("PBEM_READING__SECONDS", "9", "the environment variable PBEM_READING__SECONDS belongs to no table"),
        ("PBEM_SERVR__NAME", "Games", "PBEM_SERVR__NAME belongs to no table; did you mean PBEM_SERVER__…?"),
        ("PBEM_SERVER__NAM", "Games", "server.nam: there is no such setting; did you mean name?"),
        ("PBEM_SERVER__KEY", SECRET, "a secret as PBEM_SERVER__…__FILE=/path/to/a/file"),
        ("PBEM_SERVER__ALIASES", SECRET, "a list as JSON"),
    ],
)
def test_a_fault_in_the_environment_is_told(
    sound: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadConfig) as refused:
        config.load(sound)
    assert sentence in str(refused.value)
    assert SECRET not in str(refused.value)


# Secrets and the database


@pytest.mark.parametrize(
    ("given", "secret"),
    [
        ({"value": SECRET}, SECRET),
        ({"file": "{}/secret"}, SECRET),
        ({"command": "cat {}/secret"}, SECRET),
        ({"file": "{}/nowhere"}, "the secret in {}/nowhere can't be read: No such file"),
        ({"file": "{}/blank"}, "the secret from {}/blank is empty"),
        ({"file": "{}/binary"}, "the secret in {}/binary can't be read: it is not text in UTF-8"),
        ({"command": f"sh -c 'echo {SECRET} >&2; exit 1'"}, "the command 'sh' for a secret failed: it ended with exit"),
        ({"command": f"no-such-program {SECRET}"}, "the command 'no-such-program' for a secret failed: there is no"),
        ({"command": "true"}, "the secret from true is empty"),
        ({"command": ""}, "for a secret failed"),
        ({"command": "sh -c 'unclosed"}, "for a secret failed"),
    ],
)
def test_a_secret_comes_by_value_by_file_or_by_command(tmp_path: Path, given: dict[str, str], secret: str) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\nand a second line that is a comment\n", encoding="ascii")
    (tmp_path / "blank").write_text("\n", encoding="ascii")
    (tmp_path / "binary").write_bytes(f"\xff\xfe{SECRET}".encode("latin-1"))
    given = {way: text.format(tmp_path) for way, text in given.items()}
    one = Secret.model_validate(given)
    if secret == SECRET:
        assert one.read() == SECRET
    else:
        with pytest.raises(BadConfig) as refused:
            one.read()
        assert secret.format(tmp_path) in str(refused.value)
        assert SECRET not in str(refused.value)
    assert SECRET not in repr(Secret.model_validate({"value": SECRET}))


WRITE_URL = "write sqlite:///pbem.sqlite, or postgresql+psycopg://user:password@host/name, and no other"
WRITE_PATH = "write sqlite:/// and the path of a file: sqlite:///pbem.sqlite is beside the configuration"
WRITE_ESCAPED = "in a user or password write @ as %40, / as %2F, : as %3A and % as %25"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (f"nonsense {SECRET}", WRITE_URL),
        ("/var/lib/pbem.sqlite", WRITE_URL),
        ("sqlite:pbem.sqlite", WRITE_URL),
        (f"oracle9://me:{SECRET}@host/name", WRITE_URL),
        ("sqlite+aiosqlite:///pbem.sqlite", WRITE_URL),
        (f"postgres://me:{SECRET}@host/name", WRITE_URL),
        (f"postgresql+psycopg2://me:{SECRET}@host/name", WRITE_URL),
        ("sqlite://pbem.sqlite", WRITE_PATH),
        ("sqlite:///", WRITE_PATH),
        ("sqlite:///:memory:", WRITE_PATH),
        ("sqlite:///file:pbem.sqlite?uri=true", WRITE_PATH),
        ("postgresql://host:port/name", WRITE_ESCAPED),
        (f"postgresql://me:@{SECRET}@host/name", WRITE_ESCAPED),
        (f"postgresql://me:@/{SECRET}@host/name", WRITE_ESCAPED),
        (f"postgresql://m/e:{SECRET}@host/name", WRITE_ESCAPED),
    ],
)
def test_a_database_that_can_not_be_opened_is_told_in_a_sentence(tmp_path: Path, url: str, words: str) -> None:
    sentence = fault(tmp_path, f'{SERVER}database = "{url}"\n{OUT}')
    assert ("server.database: " in sentence, words in sentence) == (True, True)


@pytest.mark.parametrize("password", ["p%40ss", "p%2Fw", "p/w", "p#w", "p:w", "p%25w"])
def test_a_password_with_other_characters_is_part_of_the_url(sound: Path, password: str) -> None:
    url = f"postgresql+psycopg://me:{password}@127.0.0.1:1/name"
    sound.write_text(f'{SERVER}database = "{url}"\n{OUT}', encoding="utf-8")
    assert config.load(sound).server.database.endswith("@127.0.0.1:1/name")

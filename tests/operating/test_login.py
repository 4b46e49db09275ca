"""`pbem login`, and a server that uses what it got."""

import stat
import sys
from io import StringIO
from pathlib import Path

import pytest
import typer

from pbem.mail.oauth2 import providers_and_tokens
from tests.operating.site import FOLDER_IN, Site
from tests.provider import CLIENT_ID, CLIENT_SECRET, Browser, Provider
from tests.servers import free_port

SMTP = """[outbox.smtp]
host = "127.0.0.1"
port = {port}
security = "none"
username = "games@pbem.example"
[oauth2]
provider = "{url}"
client_id = "{client}"
client_secret = {{ value = "{secret}" }}
scope = "mail offline"
"""


@pytest.fixture
def configured(site: Site, provider: Provider) -> Site:
    site.configure(FOLDER_IN, SMTP.format(port=free_port(), client=CLIENT_ID, secret=CLIENT_SECRET, url=provider.url))
    return site


@pytest.fixture
def _browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let somebody open the URL that is shown in a browser, and paste the address at which it ends."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")

    def show(url: str) -> None:
        sys.stdin = StringIO(Browser().open(url))  # until the command ends

    monkeypatch.setattr(typer, "echo", show)


@pytest.mark.usefixtures("_browser")
def test_login_writes_the_tokens(configured: Site, provider: Provider) -> None:
    done = configured.pbem("login")
    assert done.code == 0, done.said
    assert "open this in a browser, on any device" in done.out
    path = configured.folder / "oauth2.token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    tokens = providers_and_tokens.load(path)
    assert tokens
    assert tokens.access in provider.valid
    assert tokens.access not in done.said
    assert CLIENT_SECRET not in done.said
    assert configured.pbem("run", "--once").code == 0


def test_a_server_does_not_start_before_somebody_has_logged_in(configured: Site) -> None:
    done = configured.pbem("run", "--once")
    assert done.code == 2
    assert f'oauth2.token_file: there is no {configured.folder}/oauth2.token yet; "pbem login" writes it' in done.err


@pytest.mark.usefixtures("_browser")
def test_a_refused_login_is_a_sentence_and_leaves_the_tokens_alone(configured: Site, provider: Provider) -> None:
    path = configured.folder / "oauth2.token"
    path.write_text("before")
    provider.denies = "invalid_client"
    done = configured.pbem("login")
    assert (done.code, path.read_text()) == (2, "before")
    assert "the provider sent the browser back without a login: (invalid_client)" in done.err


@pytest.mark.usefixtures("_browser")
def test_a_login_is_in_backups_as_a_secret(configured: Site, tmp_path: Path) -> None:
    assert configured.pbem("login").code == 0
    assert configured.pbem("backup", str(tmp_path / "all.tar")).code == 0
    token = configured.folder / "oauth2.token"
    content = token.read_text()
    token.unlink()
    (configured.folder / "pbem.sqlite").unlink(missing_ok=True)
    done = configured.pbem("restore", str(tmp_path / "all.tar"))
    if done.code == 2:
        pytest.skip("PostgreSQL's database can't be removed")
    assert token.read_text() == content

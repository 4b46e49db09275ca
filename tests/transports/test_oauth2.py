"""Logging in with tokens: at a real Dovecot that asks the provider, and at an SMTP server; renewing them, and not."""

import base64
import json
import stat
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope
from structlog.testing import capture_logs

from pbem.cli.doctor import mail_servers
from pbem.config import ImapSettings, OutboxSettings, ServerSettings, Settings, SmtpSettings, Tls
from pbem.mail.oauth2.access import AccessTokens, LoginNeeded
from pbem.mail.oauth2.providers_and_tokens import NotLoggedIn, Tokens, by_browser
from pbem.mail.transports import imap_client
from pbem.mail.transports.imap import ImapInbox
from pbem.mail.transports.protocols import NotAccepted
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret_setting import BadConfig
from tests.provider import CLIENT_SECRET, START, Browser, Provider
from tests.servers import HOST, Dovecot, free_port

USER = "games@pbem.example"


class Account:
    """An account at the provider, with a clock and a file of tokens."""

    def __init__(self, provider: Provider, folder: Path) -> None:
        self.provider, self.settings = provider, provider.settings(folder)
        self.now = START

    def log_in(self, seconds: float = 3600) -> Tokens:
        """Store tokens that are good for that long."""
        return self.provider.log_in(self.settings, expires=self.now + seconds)

    def tokens(self) -> AccessTokens:
        """Return what a process that starts now has."""
        return AccessTokens(self.settings, lambda: self.now)


@pytest.fixture
def account(provider: Provider, tmp_path: Path) -> Account:
    return Account(provider, tmp_path)


# Renewing


def test_a_token_is_renewed_before_it_runs_out(account: Account, tmp_path: Path) -> None:
    first, tokens = account.log_in(), account.tokens()
    assert [tokens.get() for _ in range(3)] == [first.access] * 3
    account.now += 3299
    assert tokens.get() == first.access
    assert account.provider.asked == []
    account.now += 2
    second = tokens.get()
    assert second != first.access
    assert tokens.get() == second
    assert account.provider.count("/token") == 1
    assert account.tokens().get() == second, "it is stored"
    assert stat.S_IMODE(account.settings.token_file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["oauth2.token"]


def test_several_threads_and_processes_renew_it_once(account: Account) -> None:
    """A provider that rotates its tokens takes a second use for theft."""
    account.log_in(0)
    processes = [account.tokens() for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        got = set(pool.map(lambda number: processes[number % 4].get(), range(16)))
    assert len(got) == 1
    assert account.provider.count("/token") == 1


def test_a_revoked_login_is_told_once_and_asked_about_once(account: Account) -> None:
    account.log_in(0)
    account.provider.denies = "invalid_grant"
    tokens = account.tokens()
    with capture_logs() as logged:
        for _ in range(50):
            with pytest.raises(LoginNeeded, match='"pbem login" writes new ones'):
                tokens.get()
            account.now += 300
    assert account.provider.count("/token") == 1
    assert [line["event"] for line in logged] == ["login needed"]
    assert logged[0]["run"] == "pbem login"
    assert logged[0]["why"] == "invalid_grant: The login has been revoked"
    assert CLIENT_SECRET not in json.dumps(logged)
    account.provider.denies = ""
    new = account.log_in()
    with capture_logs() as logged:
        assert tokens.get() == new.access
    assert [line["event"] for line in logged] == ["somebody has logged in"]


@pytest.mark.parametrize(("status", "denies"), [(500, ""), (503, ""), (0, "invalid_client"), (0, "slow_down")])
def test_a_provider_that_is_down_or_misconfigured_is_asked_again(account: Account, status: int, denies: str) -> None:
    account.log_in(0)
    account.provider.status, account.provider.denies = status, denies
    tokens = account.tokens()
    with capture_logs() as logged, pytest.raises((OSError, BadConfig)) as failed:
        tokens.get()
    assert not isinstance(failed.value, LoginNeeded)
    assert logged == []
    account.provider.status, account.provider.denies = 0, ""
    assert tokens.get() in account.provider.valid


def test_tokens_don_t_show_in_what_is_printed(account: Account) -> None:
    tokens = account.log_in()
    assert tokens.access not in repr(tokens)
    assert tokens.refresh not in repr(tokens)


# Logging in


@pytest.fixture
def _http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let oauthlib take the provider's URL, which is on this machine, for secure."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.mark.usefixtures("_http")
def test_a_login_with_a_browser(account: Account) -> None:
    browser = Browser()
    tokens = by_browser(account.settings, browser.open)
    assert tokens.access in account.provider.valid
    assert tokens.refresh in account.provider.renewing


@pytest.mark.usefixtures("_http")
@pytest.mark.parametrize(
    ("pasted", "sentence"),
    [
        ("http://127.0.0.1:1/?code=x&state=another\n", "without a login: \\(mismatching_state\\)"),
        ("nonsense\n", "without a login"),
        ("\n", "without a login"),
    ],
)
def test_a_forged_return_of_the_browser_is_no_login(account: Account, pasted: str, sentence: str) -> None:
    with pytest.raises(NotLoggedIn, match=sentence):
        by_browser(account.settings, lambda _: pasted)
    assert account.provider.count("/token") == 0


# IMAP


OAUTH2 = """
auth_mechanisms = plain login xoauth2 oauthbearer
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {root}/oauth2.conf.ext
}
"""


@pytest.fixture(scope="module")
def dovecot_and_provider() -> Iterator[tuple[Dovecot, Provider]]:
    """A Dovecot that asks the provider about each token."""
    provider = Provider()
    asking = (
        f"introspection_mode = post\nintrospection_url = {provider.url}/introspect\n"
        "username_attribute = username\nactive_attribute = active\nactive_value = true\n"
    )
    server = Dovecot(OAUTH2, files={"oauth2.conf.ext": asking})
    yield server, provider
    server.stop()
    provider.stop()


class Mailbox(Account):
    """An account with a mailbox at that Dovecot."""

    def __init__(self, server: Dovecot, provider: Provider, folder: Path) -> None:
        super().__init__(provider, folder)
        self._server = server

    def imap(self, username: str = USER) -> ImapSettings:
        """Return the settings for logging in."""
        ca = Tls(ca_file=self._server.cert)
        return ImapSettings(host=HOST, port=self._server.imaps, username=username, tls=ca)


@pytest.fixture
def box(dovecot_and_provider: tuple[Dovecot, Provider], tmp_path: Path) -> Mailbox:
    return Mailbox(*dovecot_and_provider, tmp_path)


@pytest.mark.dovecot
@pytest.mark.parametrize("mechanism", ["XOAUTH2", "OAUTHBEARER"])
def test_dovecot_takes_our_tokens(box: Mailbox, mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    box.log_in()
    client = imap_client.IMAPClient
    if mechanism == "OAUTHBEARER":
        has = client.has_capability
        monkeypatch.setattr(client, "has_capability", lambda self, name: name != "AUTH=XOAUTH2" and has(self, name))
    connection = imap_client.connect(box.imap(), box.tokens())
    assert connection.folder_exists("INBOX")
    imap_client.disconnect(connection)


@pytest.mark.dovecot
def test_a_mailbox_is_read_on_after_its_token_is_rejected(box: Mailbox) -> None:
    first, tokens = box.log_in(), box.tokens()
    inbox = ImapInbox(box.imap(), 1_000_000, tokens)
    assert list(inbox.fetch()) == []
    inbox.close()
    del box.provider.valid[first.access]  # withdrawn early, although it hasn't run out
    box.now += 100
    assert list(inbox.fetch()) == []
    assert tokens.get() != first.access
    inbox.close()


# SMTP


class Handler:
    """Takes mail from who has a token that the provider knows."""

    def __init__(self, provider: Provider, mechanism: str) -> None:
        self.provider = provider
        self.taken: list[bytes] = []
        setattr(self, f"auth_{mechanism}", self.check)

    async def check(self, server: Any, words: list[str]) -> AuthResult:
        said = base64.b64decode(words[1])
        fields = dict(part.partition(b"=")[::2] for part in said.split(b"\1") if b"=" in part)
        user = (fields.get(b"user") or said.split(b",")[1].removeprefix(b"a=")).decode()
        token = fields[b"auth"].decode().removeprefix("Bearer ")
        if self.provider.valid.get(token) == user:
            return AuthResult(success=True, auth_data=user)
        await server.challenge_auth(b'{"status":"401"}')
        return AuthResult(success=False, handled=False)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's
        self.taken.append(bytes(envelope.content or b""))
        return "250 OK"


@contextmanager
def submission(provider: Provider, mechanism: str = "XOAUTH2") -> Iterator[tuple[Handler, int]]:
    handler = Handler(provider, mechanism)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would rather have TLS
        controller = Controller(
            handler,
            hostname=HOST,
            port=free_port(),
            auth_required=True,
            auth_require_tls=False,
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
        )
        controller.start()
        try:
            yield handler, controller.port
        finally:
            controller.stop()


def smtp(port: int) -> SmtpSettings:
    return SmtpSettings(host=HOST, port=port, security="none", username=USER)


@pytest.mark.parametrize("mechanism", ["XOAUTH2", "OAUTHBEARER"])
def test_a_submission_server_takes_our_tokens(account: Account, mechanism: str) -> None:
    first = account.log_in()
    with submission(account.provider, mechanism) as (handler, port):
        outbox = SmtpOutbox(smtp(port), account.tokens())
        outbox.send(USER, "ann@example.org", b"Subject: 1\n\nx\n")
        outbox.close()
        del account.provider.valid[first.access]
        account.now += 100
        outbox.send(USER, "ann@example.org", b"Subject: 2\n\nx\n")
        outbox.close()
    assert [raw[:10] for raw in handler.taken] == [b"Subject: 1", b"Subject: 2"]
    assert account.provider.count("/token") == 1


def test_mail_waits_while_somebody_must_log_in(account: Account) -> None:
    account.log_in(-1e9)
    account.provider.denies = "invalid_grant"
    tokens = account.tokens()
    with submission(account.provider) as (handler, port), capture_logs() as logged:
        for _ in range(5):
            with pytest.raises(NotAccepted, match="pbem login") as refused:
                SmtpOutbox(smtp(port), tokens).send(USER, "ann@example.org", b"Subject: x\n\nx\n")
            assert refused.value.later
        assert [line["event"] for line in logged] == ["login needed"]
        assert account.provider.count("/token") == 1
        outbox, ours = OutboxSettings(smtp=smtp(port)), ServerSettings(address=USER)
        (found,) = mail_servers.smtp(Settings(server=ours, outbox=outbox, oauth2=account.settings))
    assert found.advice == "run pbem login"
    assert handler.taken == []
    told = f"{logged} {refused.value} {found}"
    assert [word for word in ("access-", "refresh-", CLIENT_SECRET) if word in told] == []

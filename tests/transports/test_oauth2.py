"""Logging in with tokens: at a real Dovecot that asks the provider, and at an SMTP server; renewing them, and not."""

import base64
import json
import stat
import threading
import urllib.request
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

from pbem.cli.doctor import mail
from pbem.config import ImapSettings, ServerSettings, SmtpSettings, Tls
from pbem.mail.oauth2 import login, stored
from pbem.mail.oauth2.access import AccessTokens, LoginNeeded
from pbem.mail.oauth2.login import NotLoggedIn, Pause
from pbem.mail.transports import imap_connection
from pbem.mail.transports.imap import ImapInbox
from pbem.mail.transports.protocols import NotAccepted, ServerUnreachable
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret import BadConfig
from tests.provider import CLIENT_SECRET, START, Provider, provider
from tests.servers import HOST, Dovecot, free_port

__all__ = ["provider"]
USER = "games@pbem.example"


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


# Renewing


def test_a_token_is_renewed_before_it_runs_out(tmp_path: Path, provider: Provider) -> None:
    clock, settings = Clock(), provider.settings(tmp_path)
    first = provider.log_in(settings)
    tokens = AccessTokens(settings, clock)
    assert [tokens.get() for _ in range(3)] == [first.access] * 3
    clock.now += 3299
    assert tokens.get() == first.access
    assert provider.asked == []
    clock.now += 2
    second = tokens.get()
    assert second != first.access
    assert tokens.get() == second
    assert provider.count("/token") == 1
    assert AccessTokens(settings, clock).get() == second, "it is stored"
    assert stat.S_IMODE(settings.token_file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["oauth2.token"]


def test_a_provider_may_leave_the_token_for_renewing_as_it_was(tmp_path: Path, provider: Provider) -> None:
    clock, settings = Clock(), provider.settings(tmp_path)
    first = provider.log_in(settings)
    provider.rotates = False
    tokens = AccessTokens(settings, clock)
    seen = set()
    for _ in range(3):
        clock.now += 3600
        seen.add(tokens.get())
    assert len(seen) == 3
    known = stored.load(settings.token_file)
    assert known
    assert known.refresh == first.refresh


def test_several_threads_and_processes_renew_it_once(tmp_path: Path, provider: Provider) -> None:
    """A provider that rotates its tokens takes a second use for theft."""
    settings = provider.settings(tmp_path)
    provider.log_in(settings, expires=START)
    processes = [AccessTokens(settings, Clock()) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        got = set(pool.map(lambda number: processes[number % 4].get(), range(16)))
    assert len(got) == 1
    assert provider.count("/token") == 1


def test_a_revoked_login_is_told_once_and_asked_about_once(tmp_path: Path, provider: Provider) -> None:
    clock, settings = Clock(), provider.settings(tmp_path)
    provider.log_in(settings, expires=START)
    provider.denies = "invalid_grant"
    tokens = AccessTokens(settings, clock)
    with capture_logs() as logged:
        for _ in range(50):
            with pytest.raises(LoginNeeded, match='"pbem login" writes new ones'):
                tokens.get()
            clock.now += 300
    assert provider.count("/token") == 1
    assert [line["event"] for line in logged] == ["login needed"]
    assert logged[0]["run"] == "pbem login"
    assert logged[0]["why"] == "invalid_grant: The login has been revoked"
    assert CLIENT_SECRET not in json.dumps(logged)
    provider.denies = ""
    new = provider.log_in(settings, expires=clock.now + 3600)
    with capture_logs() as logged:
        assert tokens.get() == new.access
    assert [line["event"] for line in logged] == ["somebody has logged in"]


@pytest.mark.parametrize(("status", "denies"), [(500, ""), (503, ""), (0, "invalid_client"), (0, "slow_down")])
def test_a_provider_that_is_down_or_misconfigured_is_asked_again(
    tmp_path: Path, provider: Provider, status: int, denies: str
) -> None:
    settings = provider.settings(tmp_path)
    provider.log_in(settings, expires=START)
    provider.status, provider.denies = status, denies
    tokens = AccessTokens(settings, Clock())
    with capture_logs() as logged, pytest.raises((OSError, BadConfig)) as failed:
        tokens.get()
    assert not isinstance(failed.value, LoginNeeded)
    assert logged == []
    provider.status, provider.denies = 0, ""
    assert tokens.get() in provider.valid


def test_nobody_answers_at_the_provider(tmp_path: Path, provider: Provider) -> None:
    port = free_port()
    settings = provider.settings(tmp_path, provider=f"http://{HOST}:{port}")
    provider.log_in(settings, expires=START)
    with pytest.raises(ConnectionError, match=f"{HOST}:{port}: .*refused"):
        AccessTokens(settings, Clock()).get()


def test_tokens_that_can_t_be_stored_are_used_all_the_same(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, settings = Clock(), provider.settings(tmp_path)
    provider.log_in(settings, expires=START)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(stored.tempfile, "mkstemp", refuse)  # root may write anywhere
    tokens = AccessTokens(settings, clock)
    with capture_logs() as logged:
        first = tokens.get()
        assert tokens.get() == first
        clock.now += 3600
        second = tokens.get()
    assert second != first
    assert [line["event"] for line in logged] == ["tokens can't be stored"]
    monkeypatch.undo()
    clock.now += 3600
    third = tokens.get()
    assert AccessTokens(settings, clock).get() == third


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "there is no "), ("{}", "has no tokens"), ("x", "has no tokens"), ("[]", "has no tokens")],
)
def test_a_file_without_tokens_is_told(tmp_path: Path, provider: Provider, content: str | None, sentence: str) -> None:
    settings = provider.settings(tmp_path)
    if content is not None:
        settings.token_file.write_text(content)
    with pytest.raises(BadConfig, match=sentence) as told:
        AccessTokens(settings, Clock()).get()
    assert '"pbem login" writes it' in str(told.value)


def test_tokens_of_another_client_are_not_used(tmp_path: Path, provider: Provider) -> None:
    provider.log_in(provider.settings(tmp_path))
    with pytest.raises(LoginNeeded, match="is for another client_id"):
        AccessTokens(provider.settings(tmp_path, client_id="another"), Clock()).get()


def test_tokens_don_t_show_in_what_is_printed(tmp_path: Path, provider: Provider) -> None:
    tokens = provider.log_in(provider.settings(tmp_path))
    assert tokens.access not in repr(tokens)
    assert tokens.refresh not in repr(tokens)


# Logging in


@pytest.fixture
def _http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let oauthlib take the provider's URL, which is on this machine, for secure."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")


def test_a_login_with_a_code(tmp_path: Path, provider: Provider) -> None:
    provider.pending = ["authorization_pending", "slow_down", "authorization_pending"]
    shown: list[tuple[str, str]] = []
    slept: list[float] = []
    tokens = login.by_device(
        provider.settings(tmp_path), lambda *told: shown.append(told), Pause(slept.append, lambda: sum(slept))
    )
    assert shown == [(f"{provider.url}/enter", "ABCD-1234")]
    assert slept == [2, 2, 7, 7]
    assert tokens.access in provider.valid
    assert tokens.refresh in provider.renewing


@pytest.mark.parametrize(
    ("pending", "sentence"),
    [
        (["access_denied"], "the provider refuses: access_denied"),
        (["expired_token"], "the provider refuses: expired_token"),
        (["authorization_pending"] * 1000, "nobody entered the code in time"),
    ],
)
def test_a_login_that_nobody_makes(tmp_path: Path, provider: Provider, pending: list[str], sentence: str) -> None:
    provider.pending = pending
    slept: list[float] = []
    with pytest.raises(NotLoggedIn, match=sentence):
        login.by_device(provider.settings(tmp_path), lambda *_: None, Pause(slept.append, lambda: sum(slept) * 10))


def open_in_a_browser(url: str) -> None:
    """Follow the redirect of the provider, in another thread as a browser does."""

    def follow() -> None:
        with urllib.request.urlopen(url) as page:
            page.read()

    threading.Thread(target=follow, daemon=True).start()


@pytest.mark.usefixtures("_http")
def test_a_login_with_a_browser(tmp_path: Path, provider: Provider) -> None:
    tokens = login.by_browser(provider.settings(tmp_path), open_in_a_browser)
    assert tokens.access in provider.valid
    assert tokens.refresh in provider.renewing


@pytest.mark.usefixtures("_http")
def test_a_login_with_a_browser_elsewhere(tmp_path: Path, provider: Provider) -> None:
    urls: list[str] = []

    def paste() -> str:
        opener = urllib.request.build_opener(NoRedirect)
        with pytest.raises(urllib.error.HTTPError) as sent:
            opener.open(urls[0])
        with sent.value as answer:
            return str(answer.headers["Location"]) + "\n"

    assert login.by_browser(provider.settings(tmp_path), urls.append, paste=paste).access in provider.valid


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:  # type: ignore[override]
        return None


@pytest.mark.usefixtures("_http")
@pytest.mark.parametrize(
    ("pasted", "sentence"),
    [
        ("http://127.0.0.1:1/?code=x&state=another\n", "without a login: \\(mismatching_state\\)"),
        ("nonsense\n", "without a login"),
        ("\n", "without a login"),
    ],
)
def test_a_forged_return_of_the_browser_is_no_login(
    tmp_path: Path, provider: Provider, pasted: str, sentence: str
) -> None:
    with pytest.raises(NotLoggedIn, match=sentence):
        login.by_browser(provider.settings(tmp_path), lambda _: None, paste=lambda: pasted)
    assert provider.count("/token") == 0


@pytest.mark.usefixtures("_http")
def test_a_login_that_somebody_refuses_in_the_browser(tmp_path: Path, provider: Provider) -> None:
    provider.denies = "access_denied"
    with pytest.raises(NotLoggedIn, match=r"without a login: .*access_denied"):
        login.by_browser(provider.settings(tmp_path), open_in_a_browser)


# IMAP


OAUTH2 = """
auth_mechanisms = plain login xoauth2 oauthbearer
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {root}/oauth2.conf.ext
}
"""


def asking(provider: Provider) -> dict[str, str]:
    return {
        "oauth2.conf.ext": (
            f"introspection_mode = post\nintrospection_url = {provider.url}/introspect\n"
            "username_attribute = username\nactive_attribute = active\nactive_value = true\n"
        )
    }


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Provider, Dovecot]]:
    """A Dovecot that asks the provider about each token."""
    provider = Provider()
    server = Dovecot(OAUTH2, files=asking(provider))
    yield provider, server
    server.stop()
    provider.stop()


def imap(server: Dovecot, **changes: Any) -> ImapSettings:
    values: dict[str, Any] = {"host": HOST, "port": server.imaps, "username": USER}
    return ImapSettings(**values | {"tls": Tls(ca_file=server.cert)} | changes)


@pytest.mark.dovecot
@pytest.mark.parametrize("mechanism", ["XOAUTH2", "OAUTHBEARER"])
def test_dovecot_takes_our_tokens(
    tmp_path: Path, shared: tuple[Provider, Dovecot], mechanism: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider, server = shared
    settings = provider.settings(tmp_path)
    provider.log_in(settings)
    if mechanism == "OAUTHBEARER":
        has = imap_connection.IMAPClient.has_capability
        monkeypatch.setattr(
            imap_connection.IMAPClient,
            "has_capability",
            lambda self, name: name != "AUTH=XOAUTH2" and has(self, name),
        )
    client = imap_connection.connect(imap(server), AccessTokens(settings, Clock()))
    assert client.folder_exists("INBOX")
    imap_connection.disconnect(client)


@pytest.mark.dovecot
def test_a_mailbox_is_read_on_after_its_token_is_rejected(tmp_path: Path, shared: tuple[Provider, Dovecot]) -> None:
    provider, server = shared
    settings, clock = provider.settings(tmp_path), Clock()
    tokens = AccessTokens(settings, clock)
    first = provider.log_in(settings)
    inbox = ImapInbox(imap(server), 1_000_000, tokens)
    assert list(inbox.fetch()) == []
    inbox.close()
    del provider.valid[first.access]  # withdrawn early, although it hasn't run out
    clock.now += 100
    assert list(inbox.fetch()) == []
    assert tokens.get() != first.access
    inbox.close()


@pytest.mark.dovecot
def test_a_server_that_rejects_new_tokens_too_is_not_flooded(tmp_path: Path, shared: tuple[Provider, Dovecot]) -> None:
    provider, server = shared
    settings, clock = provider.settings(tmp_path), Clock()
    provider.log_in(settings)
    inbox = ImapInbox(imap(server, username="another@pbem.example"), 1_000_000, AccessTokens(settings, clock))
    before = provider.count("/token")
    for _ in range(3):
        with pytest.raises(ServerUnreachable):
            list(inbox.fetch())
        clock.now += 10
    assert provider.count("/token") == before + 1


@pytest.mark.dovecot
def test_doctor_says_what_is_wrong_with_a_login_by_token(tmp_path: Path, shared: tuple[Provider, Dovecot]) -> None:
    provider, server = shared
    settings = provider.settings(tmp_path)

    def said() -> str:
        return "\n".join(f"{each.level}: {each.sentence} -> {each.advice}" for each in mail.imap(imap(server), tokens))

    tokens = AccessTokens(settings, Clock())
    assert said() == f'problem: there is no {settings.token_file} yet; "pbem login" writes it -> run pbem login'
    provider.log_in(settings)
    assert said().startswith(f"ok: {HOST}, port {server.imaps}: logged in as {USER}, with TLS -> ")
    provider.log_in(settings, expires=START)
    provider.denies = "invalid_grant"
    assert "problem: the provider doesn't renew the tokens in" in said()
    provider.denies = ""
    provider.log_in(settings)
    account = imap(server, username="another@pbem.example")
    (found,) = mail.imap(account, tokens)
    assert "refuses the login of another@pbem.example" in found.sentence
    assert found.advice.startswith("run pbem login as that account")


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
def test_a_submission_server_takes_our_tokens(tmp_path: Path, provider: Provider, mechanism: str) -> None:
    settings, clock = provider.settings(tmp_path), Clock()
    first = provider.log_in(settings)
    with submission(provider, mechanism) as (handler, port):
        outbox = SmtpOutbox(smtp(port), AccessTokens(settings, clock))
        outbox.send("games@pbem.example", "ann@example.org", b"Subject: 1\n\nx\n")
        outbox.close()
        del provider.valid[first.access]
        clock.now += 100
        outbox.send("games@pbem.example", "ann@example.org", b"Subject: 2\n\nx\n")
        outbox.close()
    assert [raw[:10] for raw in handler.taken] == [b"Subject: 1", b"Subject: 2"]
    assert provider.count("/token") == 1


def test_mail_waits_while_somebody_must_log_in(tmp_path: Path, provider: Provider) -> None:
    settings = provider.settings(tmp_path)
    provider.log_in(settings, expires=START)
    provider.denies = "invalid_grant"
    tokens = AccessTokens(settings, Clock())
    with submission(provider) as (handler, port), capture_logs() as logged:
        for _ in range(5):
            with pytest.raises(NotAccepted) as refused:
                SmtpOutbox(smtp(port), tokens).send("games@pbem.example", "ann@example.org", b"Subject: x\n\nx\n")
            assert refused.value.later
            assert "pbem login" in str(refused.value)
        (found,) = mail.smtp(smtp(port), ServerSettings(address=USER), tokens)
    assert found.advice == "run pbem login"
    assert handler.taken == []
    assert [line["event"] for line in logged] == ["login needed"]
    told = f"{logged} {refused.value} {found}"
    assert [word for word in ("access-", "refresh-", CLIENT_SECRET) if word in told] == []
    assert provider.count("/token") == 1


def test_a_submission_server_without_tokens_is_told(tmp_path: Path, provider: Provider) -> None:
    settings = provider.settings(tmp_path)
    provider.log_in(settings)
    with submission(provider, "CRAM") as (_, port):
        (found,) = mail.smtp(smtp(port), ServerSettings(address=USER), AccessTokens(settings, Clock()))
    assert "offers no login" in found.sentence

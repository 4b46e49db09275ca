"""Access tokens for the transports: renewed before they run out, or when a mail server rejects one.

When the provider doesn't renew them any more, only the operator can help. It is asked once, the log says so once, and
nothing is asked again until `pbem login` has written new ones.
"""

import threading
import time
from collections.abc import Callable

import structlog

from pbem.config import OAuth2Settings
from pbem.mail.oauth2 import providers_and_tokens
from pbem.mail.oauth2.providers_and_tokens import Denied, Tokens, provider, title
from pbem.secret_setting import BadConfig
from pbem.storage import atomic_files

log = structlog.get_logger()

EARLY_SECONDS = 300.0  # how long before its end a token is renewed
REST_SECONDS = 60.0
"""A token that was renewed within this time isn't renewed because a server rejects it: that isn't the reason then."""
FOR_GOOD = frozenset({"invalid_grant", "interaction_required", "login_required", "consent_required"})
"""A provider's words for: someone must log in again."""


class LoginNeeded(BadConfig):
    """Somebody must log in again with `pbem login`, and why."""


class AccessTokens:
    """The access tokens of one process, which all of its connections share."""

    def __init__(self, settings: OAuth2Settings, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._clock = clock
        self._mutex = threading.Lock()
        self._renewed = 0.0
        self._refused: Tokens | None = None
        self._unsaved: dict[Tokens, Tokens] = {}
        """Tokens that couldn't be stored, by those that they replace."""

    def get(self, rejected: str = "") -> str:
        """Return an access token; another one than a server has just rejected, if possible.

        Raises LoginNeeded, BadConfig, and OSError if the provider doesn't answer.
        """
        with self._mutex:
            current = self._stored()
            now = self._clock()
            if current.access == rejected:
                if 0 <= now - self._renewed < REST_SECONDS:
                    return current.access
            elif current.expires - now > EARLY_SECONDS:
                return current.access
            return self._renew(current).access

    def log_in(self, attempt: Callable[[str], object], rejection: type[Exception]) -> None:
        """Log in with an access token, and if the server rejects it with another one; raises what `get` does."""
        token = self.get()
        try:
            attempt(token)
        except rejection:
            new = self.get(rejected=token)
            if new == token:
                raise
            attempt(new)

    def _stored(self) -> Tokens:
        tokens = providers_and_tokens.load(self._settings.token_file)
        if tokens is None:
            raise LoginNeeded(f'there is no {self._settings.token_file} yet; "pbem login" writes it')
        if tokens.client_id != self._settings.client_id:
            raise LoginNeeded(f'{self._settings.token_file} is for another client_id; "pbem login" writes it anew')
        while tokens in self._unsaved:
            tokens = self._unsaved[tokens]
        if tokens == self._refused:
            raise self._needed("it has refused them before")
        if self._refused is not None:
            log.info("somebody has logged in", file=str(self._settings.token_file))
            self._refused = None
        return tokens

    def _renew(self, current: Tokens) -> Tokens:
        """Renew the tokens and store them, unless another process has just done so."""
        path = self._settings.token_file
        with atomic_files.locked(path.parent):  # a provider may take each token only once
            stored = self._stored()
            if stored.access != current.access and stored.expires - self._clock() > EARLY_SECONDS:
                return stored
            try:
                new = providers_and_tokens.renew(
                    self._settings, provider(self._settings).token_url, stored, self._clock()
                )
            except Denied as error:
                if error.word not in FOR_GOOD:
                    raise BadConfig(f"{title(self._settings)} gives no token: {error}") from error
                self._refused = stored
                log.error("login needed", file=str(path), why=str(error), run="pbem login")  # noqa: TRY400 - no bug
                raise self._needed(str(error)) from error
            self._renewed = self._clock()
            try:
                providers_and_tokens.save(path, new)
            except OSError as error:
                log.error("tokens can't be stored", file=str(path), error=error.strerror)  # noqa: TRY400 - no bug
                self._unsaved[stored] = new
            return new

    def _needed(self, why: str) -> LoginNeeded:
        path = self._settings.token_file
        return LoginNeeded(
            f'{title(self._settings)} doesn\'t renew the tokens in {path} ({why}); "pbem login" writes new ones'
        )

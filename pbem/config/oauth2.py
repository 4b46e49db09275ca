"""[oauth2]: who gives the tokens with which the server logs in at mail servers, in place of a password."""

from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from pbem.config.fields import OneLine, Seconds
from pbem.secret import Secret, Section


def _is_secure(url: str) -> str:
    """Return the URL; raise ValueError unless what is sent there is encrypted, or stays on this machine.

    >>> _is_secure("https://login.example.org/token")
    'https://login.example.org/token'
    """
    parts = urlsplit(url)
    if parts.hostname and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname == "127.0.0.1")):
        return url
    raise ValueError("write a URL that begins with https://")


Url = Annotated[OneLine, AfterValidator(_is_secure)]


class OAuth2Settings(Section):
    """[oauth2]: the provider, what it knows us by, and where the tokens are kept."""

    provider: Literal["google", "microsoft", "other"]
    client_id: OneLine
    client_secret: Secret | None = None
    token_file: Path = Path("oauth2.token")
    tenant: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+$")] = "common"
    token_url: Url | None = None
    device_url: Url | None = None
    authorize_url: Url | None = None
    scope: str = ""
    answer_seconds: Seconds = 15

    @model_validator(mode="after")
    def says_where_another_provider_is(self) -> Self:
        """Require the URLs of a provider that we don't know."""
        if self.provider == "other" and (self.token_url is None or not (self.device_url or self.authorize_url)):
            raise ValueError('provider = "other" needs token_url, and device_url or authorize_url')
        return self

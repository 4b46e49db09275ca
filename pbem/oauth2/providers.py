"""Providers: where they give tokens, and for what."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pbem.config import OAuth2Settings


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider gives tokens, and what to ask for."""

    title: str
    token_url: str
    device_url: str | None
    """Where one logs in with a code on any device, if mail can be read with that."""
    authorize_url: str | None
    """Where one logs in with a browser."""
    scope: str
    extra: Mapping[str, str] = field(default_factory=dict)
    """What it wants to be told besides, so that its tokens can be renewed."""


def provider(settings: OAuth2Settings) -> Provider:
    """Return the provider of the settings; URLs and a scope that they give come first."""
    known = _known(settings)
    return Provider(
        title=known.title,
        token_url=settings.token_url or known.token_url,
        device_url=settings.device_url or known.device_url,
        authorize_url=settings.authorize_url or known.authorize_url,
        scope=settings.scope or known.scope,
        extra=known.extra,
    )


def _known(settings: OAuth2Settings) -> Provider:
    match settings.provider:
        case "google":  # its logins by device allow no mail
            return Provider(
                "Google",
                "https://oauth2.googleapis.com/token",
                None,
                "https://accounts.google.com/o/oauth2/v2/auth",
                "https://mail.google.com/",
                {"access_type": "offline", "prompt": "consent"},
            )
        case "microsoft":
            base = f"https://login.microsoftonline.com/{settings.tenant}/oauth2/v2.0"
            outlook = "https://outlook.office.com"
            return Provider(
                "Microsoft",
                f"{base}/token",
                f"{base}/devicecode",
                f"{base}/authorize",
                f"{outlook}/IMAP.AccessAsUser.All {outlook}/SMTP.Send offline_access",
            )
        case "other":
            return Provider("the provider", settings.token_url or "", None, None, "")

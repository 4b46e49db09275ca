"""[limits]: how much one sender can cause; [reading] and [house]: what processes of their own may take."""

from typing import Annotated

from pydantic import Field

from pbem.config.fields import Limit, Seconds
from pbem.secret import Section

LARGE_DOMAINS = (
    *("gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "aol.com"),
    *("icloud.com", "me.com", "mac.com", "proton.me", "protonmail.com", "fastmail.com", "mail.com", "zoho.com"),
    *("gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de", "t-online.de", "freenet.de", "posteo.de", "mailbox.org"),
    *("orange.fr", "free.fr", "laposte.net", "libero.it", "seznam.cz", "wp.pl", "o2.pl", "onet.pl", "interia.pl"),
    *("yandex.ru", "yandex.com", "mail.ru", "ukr.net", "qq.com", "163.com", "126.com", "sina.com", "naver.com"),
    *("yahoo.co.jp", "yahoo.co.uk", "hotmail.co.uk", "btinternet.com", "bluewin.ch", "comcast.net", "att.net"),
)
"""Domains at which many people who don't know each other have addresses."""


class LimitsSettings(Section):
    """[limits]: how much mail one sender can send, and have us send; this ends mail loops, and nobody is harassed."""

    player_per_hour: Limit = 500
    match_per_day: Limit = 1_000
    stranger_per_day: Limit = 5
    stranger_per_month: Limit = 20
    domain_per_day: Limit = 100
    large_domain_per_day: Limit = 2_000
    large_domains: tuple[str, ...] = LARGE_DOMAINS
    strangers_per_day: Limit = 5_000
    work_per_message: Limit = 4_000
    running_matches: Limit = 200
    challenges_per_day: Limit = 50
    challenges_per_pair: Limit = 10
    open_seeks: Limit = 5
    seeks_per_day: Limit = 20
    seek_days: Limit = 28
    invitations_per_day: Limit = 10
    new_player_invitations: Limit = 3
    new_player_days: Annotated[int, Field(ge=0)] = 14
    domain_invitations: Limit = 10
    all_invitations: Limit = 200
    invited_again_days: Limit = 180
    stranger_bytes: Annotated[int, Field(ge=16_384)] = 250_000

    def is_large(self, domain: str) -> bool:
        """Return whether people at that domain have nothing to do with each other."""
        return domain.lower() in self.large_domains

    def per_domain(self, domain: str) -> int:
        """Return how many replies the strangers of that domain get in a day."""
        return self.large_domain_per_day if self.is_large(domain) else self.domain_per_day


class ReadingSettings(Section):
    """[reading]: how much time and memory the two parser processes may take for one message."""

    seconds: Seconds = 5
    megabytes: Annotated[int, Field(ge=16, le=4_096)] = 128


class HouseSettings(Section):
    """[house]: the opponent that always has time, and what it may cost."""

    enabled: bool = True
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,18}[a-z0-9]$")] = "house"
    levels: Annotated[int, Field(ge=1, le=5)] = 5
    running_matches: Limit = 10
    turns_per_hour: Limit = 120
    hints_per_day: Limit = 10
    analyses_per_day: Limit = 3
    seconds: Seconds = 60
    megabytes: Annotated[int, Field(ge=32, le=4_096)] = 200

"""[server]: who we are; and the smaller tables, from [limits] to [log] and [metrics]."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from notation import time_control
from notation.games import KEY
from pbem.config.mail import Listening
from pbem.secret_setting import BadConfig, ConfigTable, Secret
from pbem.tokens import Keyring


def _no_bool(value: object) -> object:
    """Return the value; raise ValueError for true and false, which Python takes for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("write a number")  # noqa: TRY004 - pydantic tells ValueErrors
    return value


Limit = Annotated[int, BeforeValidator(_no_bool), Field(ge=1)]
LONGEST_NAME = 60
SHORTEST_KEY = 20
"""Characters of the server's key: anyone who has a reply address can try shorter ones, and then move for everyone."""
DATABASES = "write sqlite:///pbem.sqlite, or postgresql+psycopg://user:password@host/name, and no other driver"
ESCAPED = "in a user or password write @ as %40, / as %2F, : as %3A and % as %25"
SHORTEST_KEEPING = 21
"""Days after which nothing waits for a message any more: the reply to a question, a bounce, a retry."""


class ServerSettings(ConfigTable):
    """[server]: our identity and where data is stored."""

    address: str
    aliases: tuple[str, ...] = ()
    name: str = "PBeM"
    admin: str | None = None
    database: Annotated[str, Field(repr=False)] = "sqlite:///pbem.sqlite"
    key: Secret = Secret(file=Path("pbem.key"))
    delimiter: Literal["+", "-", "="] = "+"
    time: str = time_control.DEFAULT
    vacation_days: Annotated[int, Field(ge=0, le=366)] = 30
    unsubscribe_url: Annotated[str, Field(pattern=r"^(https://[!-~]+/unsubscribe/)?$")] = ""

    @field_validator("address")
    @classmethod
    def leaves_room_for_tokens(cls, address: str) -> str:
        host = address.rpartition("@")[2]
        if not host.isascii():
            raise ValueError(f"write the domain as the DNS has it: {host.encode('idna').decode()}")
        if not re.fullmatch(r"[A-Za-z0-9._=-]{1,20}@[A-Za-z0-9.-]+", address):
            raise ValueError("write an address like games@example.org, at most 20 characters before the @")
        return address

    @field_validator("aliases")
    @classmethod
    def are_addresses(cls, aliases: tuple[str, ...]) -> tuple[str, ...]:
        if not all(re.fullmatch(r"[A-Za-z0-9._+=-]+@[A-Za-z0-9.-]+", alias) for alias in aliases):
            raise ValueError("write addresses like play@example.org")
        return tuple(alias.lower() for alias in aliases)

    @field_validator("database")
    @classmethod
    def is_a_database(cls, url: str) -> str:
        from sqlalchemy import make_url  # the parsers' processes, which know some settings too, do without it
        from sqlalchemy.exc import ArgumentError

        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError) as error:  # it may contain a password
            raise ValueError(f"{DATABASES}; {ESCAPED}") from error
        kind, _, driver = parsed.drivername.partition("+")
        if kind == "sqlite" and not driver:
            if parsed.host or not parsed.database or parsed.database.startswith((":", "file:")) or parsed.query:
                raise ValueError(
                    "write sqlite:/// and the path of a file: sqlite:///pbem.sqlite is beside the configuration, and"
                    " sqlite:////var/lib/pbem/pbem.sqlite anywhere; it has no options, and isn't in memory"
                )
        elif kind != "postgresql" or driver not in ("", "psycopg"):
            raise ValueError(DATABASES)
        elif "@" in f"{parsed.host}{parsed.database}":
            raise ValueError(ESCAPED)
        return url

    @field_validator("time")
    @classmethod
    def is_a_time_control(cls, time: str) -> str:
        try:
            control = time_control.parse(time)
            if control.second is not None:
                raise ValueError("write one time, which is the same for both players")
            return time_control.format_control(control)
        except time_control.BadTime as error:
            raise ValueError(str(error)) from error

    @field_validator("name")
    @classmethod
    def fits_a_header(cls, name: str) -> str:
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME or set(name) & set('<>"'):
            raise ValueError(f'write a name of at most {LONGEST_NAME} characters, without <, > or "')
        return name

    @field_validator("admin")
    @classmethod
    def is_an_address(cls, admin: str | None) -> str | None:
        if admin is not None and not re.fullmatch(r"[^\s@<>]+@[^\s@<>]+", admin):
            raise ValueError("write an address like postmaster@example.org")
        return admin

    @model_validator(mode="after")
    def has_an_admin_elsewhere(self) -> Self:
        """Require that the admin reads their mail: the server files what comes from itself."""
        admin = (self.admin or "").lower()
        local, _, domain = admin.rpartition("@")
        if {admin, f"{local.partition(self.delimiter)[0]}@{domain}"} & {self.address.lower(), *self.aliases}:
            raise ValueError("admin is an address of the server itself, which nobody reads: write your own")
        return self

    def keyring(self) -> Keyring:
        """Return what signs and recognises reply addresses. Raises BadConfig."""
        key = self.key.read()
        if len(key) < SHORTEST_KEY:
            raise BadConfig(
                f"server.key: the key has {len(key)} of at least {SHORTEST_KEY} characters, so it can be guessed:"
                ' restore the one that "pbem init" made. If there is none, move the file away;'
                ' "pbem init --new-key" makes another'
            )
        return Keyring(key, (self.address, *self.aliases))

    def is_admin(self, address: str) -> bool:
        return self.admin is not None and address.lower() == self.admin.lower()

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]

    @property
    def local(self) -> str:
        return self.address.rpartition("@")[0]


class LimitsSettings(ConfigTable):
    """[limits]: how much one sender can send and have us send, and how long messages are kept."""

    mails_per_hour: Limit = 500
    answers_per_hour: Limit = 20
    strangers_per_day: Limit = 5_000
    matches_per_player: Limit = 200
    invitations_per_day: Limit = 10
    all_invitations: Limit = 200
    keep_mail_days: Annotated[int, Field(ge=0, le=36_500)] = 90
    keep_waiting_days: Annotated[int, Field(ge=0, le=36_500)] = 365

    @field_validator("keep_mail_days", "keep_waiting_days")
    @classmethod
    def keeps_what_is_still_needed(cls, days: int) -> int:
        if 0 < days < SHORTEST_KEEPING:
            raise ValueError(f"write at least {SHORTEST_KEEPING} days, or 0 for keeping mails for ever")
        return days


class GamesSettings(ConfigTable):
    """[games]: which games are offered beside those of pbem itself."""

    enabled: tuple[Annotated[str, Field(pattern=KEY)], ...] = ()


class HouseSettings(ConfigTable):
    """[house]: the opponent that always has time."""

    enabled: bool = True


class BackupSettings(ConfigTable):
    """[backup]: where a running server puts backups, and how many it keeps; without a folder, none."""

    folder: Path | None = None
    keep: Limit = 7


class ServeSettings(ConfigTable):
    """[serve]: the site for web browsers, which shows the matches of players who allow it."""

    url: Annotated[str, Field(pattern=r"^(https?://.*)?$")] = ""
    boards: bool = False  # whether messages link to a page on which players tap their turns
    post: bool = False  # whether such a page can send the turn

    @model_validator(mode="after")
    def _check_boards(self) -> Self:
        if self.boards and not self.url:
            raise ValueError("boards = true needs url: messages link to the boards that pbem serve shows there")
        if self.post and not self.boards:
            raise ValueError("post = true needs boards = true: it is from these that turns are sent")
        return self


class LogSettings(ConfigTable):
    """[log]: one line per event, to standard error."""

    format: Literal["console", "json"] = "console"
    level: Literal["debug", "info", "warning", "error"] = "info"


class MetricsSettings(Listening):
    """[metrics]: figures for Prometheus, on a port; none by default."""

"""A secret in the configuration: given directly, in a file, or by a command. It is read when it is needed."""

import shlex
import subprocess
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, SecretStr, model_serializer, model_validator

SECRET_COMMAND_SECONDS = 30
VEIL = "***"


class BadConfig(Exception):
    """Unusable settings: which key, in which file, why, and what would work."""


class ConfigTable(BaseModel):
    """A table of config.toml. Unknown keys are errors, so that typos don't go unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Secret(ConfigTable):
    """A secret, given in one of three ways: as a value, as the first line of a file, or as the output of a command."""

    value: SecretStr | None = None
    file: Path | None = None
    command: str | None = None

    @model_validator(mode="after")
    def one_way(self) -> Self:
        if sum(way is not None for way in (self.value, self.file, self.command)) != 1:
            raise ValueError("give exactly one of: value, file, command")
        return self

    @model_serializer
    def origin(self) -> dict[str, str]:
        """Return where the secret comes from; the words of a command may themselves be secret."""
        if self.command is not None:
            program, _, words = self.command.partition(" ")
            return {"command": f"{program} {VEIL}" if words else program}
        return {"value": VEIL} if self.file is None else {"file": str(self.file)}

    def read(self) -> str:
        """Return the secret, one line; raise BadConfig with a sentence that doesn't contain it."""
        if self.value is not None:
            return self.value.get_secret_value()
        lines = self.read_all().splitlines()
        if not lines or not lines[0]:
            raise BadConfig(f"the secret from {self.file or self.command} is empty")
        return lines[0]

    def read_all(self) -> str:
        """Return the whole content, for secrets of several lines; raise BadConfig as `read` does."""
        if self.value is not None:
            return self.value.get_secret_value()
        if self.file is None:
            return self._run(self.command or "")
        try:
            return self.file.expanduser().read_text(encoding="utf-8")
        except OSError as error:
            raise BadConfig(f"the secret in {self.file} can't be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            is_der = error.object.startswith(b"\x30\x82")
            turn = f' but a key as DER; "openssl pkey -inform DER -in {self.file}" prints it as PEM' if is_der else ""
            raise BadConfig(f"the secret in {self.file} can't be read: it is not text in UTF-8{turn}") from error

    @staticmethod
    def _run(command: str) -> str:
        try:
            done = subprocess.run(  # noqa: S603 - the admin's own command, from the admin's own file
                shlex.split(command), capture_output=True, text=True, check=True, timeout=SECRET_COMMAND_SECONDS
            )
        except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
            why = type(error).__name__  # what the program has printed may be secret
            if isinstance(error, FileNotFoundError):
                why = "there is no such program"
            elif isinstance(error, subprocess.TimeoutExpired):
                why = f"it hadn't ended after {SECRET_COMMAND_SECONDS} seconds"
            elif isinstance(error, subprocess.CalledProcessError):
                why = f"it ended with exit code {error.returncode}"
            raise BadConfig(f"the command {command.split(' ')[0]!r} for a secret failed: {why}") from error
        return done.stdout

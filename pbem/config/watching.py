"""[metrics]: what Prometheus can read of the server, and where."""

from pathlib import Path
from typing import Self

from pydantic import model_validator

from pbem.config.fields import Port, Seconds
from pbem.config.mail import is_loopback
from pbem.secret import Section


class MetricsSettings(Section):
    """[metrics]: figures for Prometheus, on a port or in a file; neither by default."""

    port: Port | None = None
    host: str = "127.0.0.1"
    is_exposed: bool = False
    textfile: Path | None = None
    textfile_seconds: Seconds = 30

    @property
    def are_wanted(self) -> bool:
        """Whether somebody is to read the metrics."""
        return self.port is not None or self.textfile is not None

    @model_validator(mode="after")
    def is_exposed_on_purpose(self) -> Self:
        """Require `is_exposed` for an address that other machines can reach: there is no TLS and no login."""
        if not self.is_exposed and not is_loopback(self.host):
            raise ValueError(
                f"{self.host[:60]} can be reached from other machines, and there is no TLS and no login; "
                'write host = "127.0.0.1", or is_exposed = true where a firewall or a private network stands before it'
            )
        return self

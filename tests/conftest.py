"""What every test shares: log lines go nowhere unless a test asks for them."""

import pytest
import structlog


@pytest.fixture(autouse=True)
def _quiet_log() -> None:
    structlog.configure(processors=[_drop], cache_logger_on_first_use=False)


def _drop(_logger: object, _name: str, _event: dict[str, object]) -> dict[str, object]:
    raise structlog.DropEvent

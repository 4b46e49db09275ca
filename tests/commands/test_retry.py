"""`pbem mail retry` tries again what waits for the operator, and nothing else."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog

from pbem.storage.models import IncomingState
from tests.operating.site import Site

pytestmark = pytest.mark.own_database

NOW = datetime(2026, 2, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize("state", IncomingState)
def test_a_received_message_is_tried_again_if_it_is_shunted(tmp_path: Path, state: IncomingState) -> None:
    site = Site(tmp_path / "site")
    site.configure()
    site.make()
    for key, its in (("1", state), ("2", IncomingState.SHUNTED)):
        site.rows(
            "insert into incoming (key, size, source, recipients, received, state, attempts, lane, round)"
            " values (:key, 0, 'test', '[]', :now, :state, 3, 0, 0)",
            key=key,
            now=NOW.isoformat(),
            state=its.value,
        )
    is_shunted = state is IncomingState.SHUNTED

    done = site.pbem("mail", "retry", "1")
    structlog.reset_defaults()

    assert done.code == (0 if is_shunted else 1)
    first = ("new", 0) if is_shunted else (state.value, 3)
    assert site.rows("select state, attempts from incoming order by id") == [first, ("shunted", 3)]

"""What pbem promises of every game holds for chess."""

import pytest

from pbem.conformance.checks import CHECKS, Check
from pbem_chess import CHESS


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_promise_is_kept(check: Check) -> None:
    check.run(CHESS)

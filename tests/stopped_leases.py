"""Leases that don't end however long a test takes: the databases' clocks stand still for them.

A test ends them by setting `leased_until` to a time in the past.
"""

from pbem.storage import leases

NOON = "2026-03-02 12:00:00"
ENDED = "'2026-01-01 00:00:00.000000'"
"""A time at which a lease has ended, in SQL."""
RUNNING = dict(leases.CLOCKS)
"""The clocks that servers use."""


def stop() -> None:
    """Stop the clocks of leases in this process, before it runs a statement."""
    leases.CLOCKS |= {"postgresql": f"timestamptz '{NOON}+00'", "sqlite": f"'{NOON}'"}

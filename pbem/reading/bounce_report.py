"""Failures that mail servers report: whether a mail says that an address can't be reached, ever.

flufl.bounce knows how the servers of the world say it. Some of its detectors take quadratic time, some fail; so it is
asked in a process that can be ended (see sandbox), and a mail on which it fails is no report.
"""

import email
from email.policy import compat32

from flufl.bounce import all_failures

from pbem.reading import limits

LONGEST = 1_000_000


def is_final(raw: bytes) -> bool:
    """Whether the mail reports that some address can't be reached, ever; False for anything else."""
    try:
        limits.check_parts(limits.plain(raw))
        message = email.message_from_bytes(raw[:LONGEST], policy=compat32)
        if not isinstance(message.get("From"), str):
            del message["From"]
            message["From"] = "nobody@invalid"  # without one the library's Yale detector fails
        _, permanent = all_failures(message)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - hostile bytes, or a detector's bug: then nobody knows what it says
        return False
    return any(permanent)

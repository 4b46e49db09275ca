"""Bounces: whether a message reports that an address can never be reached.

flufl.bounce knows the reports of the world's mail servers. Some of its detectors take quadratic time, some fail; so it
runs in a process that can be killed (see `sandbox`), and a message on which it fails is no report.
"""

import email
from email.policy import compat32

from flufl.bounce import all_failures

from pbem.reading import limits

LONGEST = 1_000_000


def is_final(raw: bytes) -> bool:
    """Return whether the message reports that an address can never be reached."""
    try:
        limits.check_parts(limits.normalize_newlines(raw))
        message = email.message_from_bytes(raw[:LONGEST], policy=compat32)
        if not isinstance(message.get("From"), str):
            del message["From"]
            message["From"] = "nobody@invalid"  # without From the library's Yale detector fails
        _, permanent = all_failures(message)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - hostile bytes or a bug in a detector: not a report
        return False
    return any(permanent)

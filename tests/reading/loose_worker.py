"""The parser process without its limits on lines: what takes long or much memory in spite of them is rare."""

import re
import sys

from pbem.mail.reading import bounce_report, limits, worker

NONE = 1 << 40
LONGEST = 300_000

if __name__ == "__main__":
    limits.MOST_LINES = bounce_report.MOST_LINES = NONE
    limits.LONG_PART_HEADERS = re.compile(rb"(?!)")
    bounce_report.LONGEST = LONGEST
    worker.main(int(sys.argv[1]), int(sys.argv[2]))

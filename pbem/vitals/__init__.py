"""What a running server knows of itself: what it has counted, whether its connections stand, and its loops go on.

Plain numbers in memory, which cost next to nothing: who exports or prints them is elsewhere (server.health).
"""

from pbem.vitals.counts import Counts, Histogram, Tally
from pbem.vitals.links import FirstOfEach, Link
from pbem.vitals.pulses import Pulse
from pbem.vitals.vitals import Vitals

__all__ = ["Counts", "FirstOfEach", "Histogram", "Link", "Pulse", "Tally", "Vitals"]

"""What a running server knows of itself: what it has counted, whether its connections stand, and its loops go on.

It all stays in memory and costs next to nothing: who exports or prints it is elsewhere (server.health).
"""

from pbem.vitals.links import FirstOfEach, Link
from pbem.vitals.pulses import Pulse
from pbem.vitals.vitals import Vitals

__all__ = ["FirstOfEach", "Link", "Pulse", "Vitals"]

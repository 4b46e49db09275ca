"""The effort of a computation, measured independently of the machine, as other people's games are judged by it."""

from pbem.conformance.engine import calls as calls

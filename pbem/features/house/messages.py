"""The analysis of a match by the house: the message that has it, and the section that says that it will follow."""

from typing import ClassVar

from pbem.messages.analysis import Estimate
from pbem.storage.payloads import Payload, Section


class MatchAnalysis(Payload, Section, template="analysis"):
    match: int
    ply: int
    since: int = 0
    """The number of turns before the first of the positions."""
    estimates: tuple[Estimate, ...] = ()
    """For the position before each turn, and the last one; empty where the house gave up."""
    is_long: ClassVar = True
    stands_alone: ClassVar = True


class AnalysisAsked(Section, template="analysing"):
    """The house begins an analysis, which follows in a message of its own."""

    match: int
    ply: int

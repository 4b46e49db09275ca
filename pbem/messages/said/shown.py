"""The sections that show matches: lists, boards, records and previews."""

from pbem.storage.payloads import Part, Section


class TurnTakenBack(Part):
    number: int
    by: str
    text: str
    when: str


class TurnTimeShown(Part):
    number: int
    by: str
    text: str
    when: str
    used: str = ""


class ClockShown(Part):
    kind: str
    when: str
    by: str = ""
    until: str = ""
    days: str = ""
    away: tuple[tuple[str, str], ...] = ()
    given_back: str = ""


class Preview(Section, template="previewed"):
    match: int
    ply: int
    """After how many turns it begins."""
    now: int
    """How many turns the match has."""
    past: bool
    """Whether the reader named the turn after which it begins."""
    playable: bool
    """Whether the reader may play the first of the turns now."""
    kept: bool
    """Whether the part was kept before, and need not be written again."""
    turns: tuple[str, ...]
    part: str | None = None
    chosen: str
    """What is chosen of one more turn, beyond a part that can stand by itself."""


class MatchThen(Section, template="stood"):
    match: int
    ply: int
    now: int
    """How many turns the match has."""
    past: bool = True

"""Sections of an answer about offers in a running match; `OfferNews` is also a message."""

from dataclasses import dataclass

from pbem.storage.payloads import News, Section


@dataclass(frozen=True, slots=True)
class OfferShown:
    """An open offer as templates show it: what is offered, by whom, and the turns that would be taken back."""

    kind: str
    by: str
    yours: bool
    turns: tuple[str, ...]
    until: str
    """When a pause would end by itself, in words; empty if it wouldn't."""


class OfferNews(News, Section, template="offer"):
    """An offer in a running match was made, answered or withdrawn: a message, or a section for the one who did it."""

    match: int
    ply: int
    kind: str
    """What is offered: draw, undo, pause or cancel."""
    change: str
    """What became of it: made, accepted, rejected, withdrawn, or (a pause) resumed or over."""
    by: str
    """Who did it."""
    message: tuple[str, ...] = ()
    """What they wrote below the command."""


class Muted(Section, template="muted"):
    """Offers and notes of the opponent in a match are refused from now on, or accepted again."""

    match: int
    opponent: str
    muted: bool

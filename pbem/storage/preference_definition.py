"""What a player can choose: a name, its choices, and what applies to those who haven't chosen.

A player's row holds only what differs from the default, so a new default reaches everyone who never chose.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from pbem.errors import Refused
from pbem.storage.models import Player

ON, OFF, NONE = "on", "off", "none"


@dataclass(frozen=True, slots=True)
class Preference:
    name: str
    choices: tuple[str, ...]
    help: str
    example: str = ""  # a sample choice, for a preference with too many to list
    accept: Callable[[str], str | None] = lambda _text: None
    """Return an unlisted choice in its stored spelling, or None if there is no such choice."""
    words: int = 1
    on_choice: Callable[[Session, Player, datetime], None] | None = None
    """Does what follows from a choice, which the locked row of the player has already."""

    @property
    def default(self) -> str:
        return self.choices[0]

    @property
    def spelled(self) -> str:
        return f"{self.name} {self.example or '|'.join(self.choices)}"

    def of(self, settings: Mapping[str, str]) -> str:
        return settings.get(self.name, self.default)

    def chosen(self, text: str) -> str:
        """Return the choice that the text means; raises Refused, which lists the choices."""
        lowered = text.lower().rstrip(".,;")
        choice = lowered if lowered in self.choices else self.accept(text.rstrip(".,;"))
        if choice is None:
            works = " or ".join(f'"set {self.name} {choice}"' for choice in self.choices)
            fits = f'For example "set {self.name} {self.example}".' if self.example else f"{works}."
            raise Refused(f'"{self.name}" can\'t be "{text[:40]}".', fits=fits)
        return choice

    def changed(self, settings: Mapping[str, str], text: str) -> dict[str, str]:
        """Return the settings with that choice added, or removed if it is the default; raises Refused."""
        rest = {other: choice for other, choice in settings.items() if other != self.name}
        choice = self.chosen(text)
        return rest if choice == self.default else {**rest, self.name: choice}

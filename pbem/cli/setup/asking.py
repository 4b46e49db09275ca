"""The questions of `pbem init` at a terminal: one after the other, until each has an answer that can be used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import typer

from pbem.cli.core import out
from pbem.cli.setup import presets
from pbem.cli.setup.presets import PRESETS, Preset, PresetPlace, WantedSetup
from pbem.secret import BadConfig

BACK = "<"
"""The answer that goes back to the question before."""


@dataclass(frozen=True)
class Question:
    key: str
    text: str
    default: Callable[[Mapping[str, str]], str | None] = lambda _: None
    applies: Callable[[Preset], object] = lambda _: True
    is_secret: bool = False

    def is_open(self, answers: Mapping[str, str]) -> bool:
        return self.key not in answers and ("place" not in answers or bool(self.applies(_preset(answers))))

    def ask(self, answers: Mapping[str, str]) -> str:
        if self.key == "place":
            for each, preset in PRESETS.items():
                out.print(f"  [bold]{each.value}[/]: {preset.title}", highlight=False)
        elif self.key == "client_id":
            out.print(_preset(answers).todo[0], markup=False, highlight=False)
        default = self.default(answers)
        answer: str = typer.prompt(
            self.text, default, self.is_secret, value_proc=self._checked, show_default=bool(default)
        )
        return answer

    def _checked(self, answer: str) -> str:
        answer = answer if self.is_secret else answer.strip()
        try:
            if answer != BACK and self.key == "place":
                return PresetPlace(answer.lower())
            if answer and answer != BACK and self.key in ("address", "admin"):
                presets.check({"address": presets.EXAMPLE, self.key: answer})
        except ValueError:
            raise typer.BadParameter(f"there is no preset of that name; there are {', '.join(PresetPlace)}") from None
        except BadConfig as error:
            raise typer.BadParameter(str(error)) from error
        return answer


QUESTIONS = (
    Question("place", "Where is your mail"),
    Question("address", "The server's email address"),
    Question("admin", "Your own address (may be empty)", lambda _: ""),
    Question("username", "The login there", lambda answers: answers["address"], lambda preset: preset.logins),
    Question("client_id", "The client id of that app", applies=lambda preset: preset.oauth2),
    Question(
        "password",
        "Its password (empty: later)",
        lambda _: "",
        lambda preset: preset.logins and not preset.oauth2,
        is_secret=True,
    ),
)


def _preset(answers: Mapping[str, str]) -> Preset:
    return PRESETS[PresetPlace(answers["place"])]


def wanted(place: PresetPlace | None, server: dict[str, str], username: str, client_id: str) -> WantedSetup:
    """Return what to write, after asking for what wasn't given; raise BadConfig if that can't be used."""
    presets.check({"address": presets.EXAMPLE, **server})
    given = {"place": place, **server, "username": username, "client_id": client_id}
    answers: dict[str, str] = {key: value for key, value in given.items() if value}
    asked: list[str] = []
    out.print(f'An answer of "{BACK}" goes back to the question before.', highlight=False)
    while (question := next((each for each in QUESTIONS if each.is_open(answers)), None)) is not None:
        answer = question.ask(answers)
        if answer != BACK:
            answers[question.key] = answer
            asked.append(question.key)
        elif asked:
            del answers[asked.pop()]
    found = {key: answers[key] for key in ("address", "admin") if answers[key]}
    return WantedSetup(
        PresetPlace(answers["place"]),
        {**server, **found},
        answers.get("username", answers["address"]),
        answers.get("client_id", ""),
        answers.get("password", ""),
    )

"""The questions of `pbem init` at a terminal. Nothing is written before all are answered: Ctrl-C starts again."""

from collections.abc import Callable

import typer

from pbem.cli.core import out
from pbem.cli.setup import presets
from pbem.cli.setup.presets import PRESETS, PresetPlace, WantedSetup
from pbem.secret import BadConfig


def wanted(place: PresetPlace | None, server: dict[str, str], username: str, client_id: str) -> WantedSetup:
    """Return what to write, after asking for what wasn't given; raise BadConfig if that can't be used."""
    presets.check(server)
    if place is None:
        for each, preset in PRESETS.items():
            out.print(f"  {each.value}: {preset.title}")
        place = typer.prompt("Where is your mail", value_proc=_place)
    preset, server, password = PRESETS[place], dict(server), ""
    if "address" not in server:
        server["address"] = typer.prompt("The server's email address", value_proc=_usable("address", server))
    if "admin" not in server:
        checked = _usable("admin", server)
        if admin := typer.prompt("Your own address (may be empty)", "", value_proc=checked, show_default=False):
            server["admin"] = admin
    if preset.logins and not username:
        username = typer.prompt("The login there", server["address"])
    if preset.oauth2 and not client_id:
        out.print(preset.todo[0])
        client_id = typer.prompt("The client id of that app")
    elif preset.logins and not preset.oauth2:
        password = typer.prompt("Its password (empty: later)", "", hide_input=True, show_default=False)
    return WantedSetup(place, server, username, client_id, password)


def _place(answer: str) -> PresetPlace:
    try:
        return PresetPlace(answer.strip().lower())
    except ValueError:
        raise typer.BadParameter(f"there is no preset of that name; there are {', '.join(PresetPlace)}") from None


def _usable(key: str, server: dict[str, str]) -> Callable[[str], str]:
    """Return what strips an answer, and asks again if [server] can't have it as that setting."""

    def checked(answer: str) -> str:
        answer = answer.strip()
        try:
            presets.check({**server, key: answer} if answer else server)
        except BadConfig as error:
            raise typer.BadParameter(str(error)) from error
        return answer

    return checked

"""The names that players can have: one word each, nobody else's, and none that stands for something else."""

from sqlmodel import Session, select

from pbem.conversation.command import Request
from pbem.conversation.feature import NAME, STANDING_FOR, Features, suggested_name, words_in_use
from pbem.errors import Refused
from pbem.features.house import house_account
from pbem.storage.models import ModerationAct, Player

MOST_TRIED = 20


def check_name(request: Request, name: str, command: str) -> str:
    """Return the name in lower case; raise Refused, with another one for that command, if it is invalid or taken."""
    name = _checked(name, request.features)
    if not is_taken(request.session, name):
        return name
    candidates = (f"{name[:18]}{number}" for number in range(2, 2 + MOST_TRIED))
    free = next((candidate for candidate in candidates if not is_taken(request.session, candidate)), None)
    player = request.sender.player
    if free is None or player is None or player.confirmed is not None:
        raise Refused(f"The name {name} is taken.", fits="Try another one.")
    instead = f"{command} {free}"
    raise Refused(
        f"The name {name} is taken.", fits=f'Another name: "{command} NAME".', meant=(instead,), proposal=instead
    )


def check_other_name(session: Session, name: str, features: Features) -> str:
    name = _checked(name, features)
    if is_taken(session, name):
        raise Refused(f"The name {name} is taken, or was until the operator changed it.", fits="Try another one.")
    return name


def _checked(name: str, features: Features) -> str:
    name = name.lower()
    if not _is_name(name, features):
        raise Refused(
            f"\"{name[:40]}\" can't be a player's name.",
            fits="A name is one word of 2 to 20 letters and digits, starting with a letter; - and _ may appear inside.",
        )
    return name


def free_name(request: Request, address: str) -> str:
    """Return a unique name, made from the address, for an invited person who chose none."""
    local = suggested_name(address, request.features)
    stem = local if local and _is_name(local, request.features) else "player"
    name, number = stem, 1
    while is_taken(request.session, name) or not _is_name(name, request.features):
        number += 1
        name = f"{stem}{number}"
    return name


def _is_name(name: str, features: Features) -> bool:
    """Return whether the name is allowed: no word of ours, since lines of our messages start with names."""
    is_command = features.all_commands.named(name) is not None
    is_special = is_command or name in words_in_use(features) or name.startswith(STANDING_FOR)
    return NAME.fullmatch(name) is not None and not is_special and not house_account.resembles(name)


def is_taken(session: Session, name: str) -> bool:
    owner = session.exec(select(Player.id).where(Player.name == name)).first()
    renamed = select(ModerationAct.id).where(ModerationAct.former_name == name)
    return owner is not None or session.exec(renamed).first() is not None

"""Becoming a player, and one's own data: join and the welcome, export, records, delete."""

from datetime import timedelta

from sqlmodel import Session, select

from notation.board import format_board
from notation.games import GAMES
from pbem.conversation import meaning
from pbem.conversation.command import ASKS, Command, Decision, Letter, Line, Reach, Request, Who
from pbem.conversation.feature import NAME, STANDING_FOR, Features, suggested_name, words_in_use
from pbem.conversation.refusals import whom_to_ask
from pbem.conversation.syntax.arguments import Piece, opt, word, words
from pbem.errors import Refused
from pbem.features.house import account as house_player
from pbem.features.seeks import seeks
from pbem.messages.contents.message_payloads import Export, Welcome, titles
from pbem.messages.links import address_with
from pbem.players import blocks, erasure, invitation_limits
from pbem.storage.models import ModerationAct, Outgoing, Player
from pbem.storage.utc import within
from pbem.tokens import Purpose, Token

SHOWN = "quadrupel"  # new players are shown its board: small, and with a piece to move at once
MOST_TRIED = 20


def check_name(request: Request, name: str, command: str) -> str:
    """Return the name in lower case; raise Refused, with another one for that command, if it is invalid or taken."""
    name = _checked(name, request.features)
    if not _is_taken(request.session, name):
        return name
    candidates = (f"{name[:18]}{number}" for number in range(2, 2 + MOST_TRIED))
    free = next((candidate for candidate in candidates if not _is_taken(request.session, candidate)), None)
    player = request.sender.player
    if free is None or player is None or player.confirmed is not None:
        raise Refused(f"The name {name} is taken.", fits="Try another one.")
    instead = f"{command} {free}"
    raise Refused(
        f"The name {name} is taken.", fits=f'Another name: "{command} NAME".', meant=(instead,), proposal=instead
    )


def check_other_name(session: Session, name: str, features: Features) -> str:
    name = _checked(name, features)
    if _is_taken(session, name):
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
    while _is_taken(request.session, name) or not _is_name(name, request.features):
        number += 1
        name = f"{stem}{number}"
    return name


def _is_name(name: str, features: Features) -> bool:
    """Return whether the name is allowed: no word of ours, since lines of our messages start with names."""
    is_command = features.all_commands.named(name) is not None
    is_special = is_command or name in words_in_use(features) or name.startswith(STANDING_FOR)
    return NAME.fullmatch(name) is not None and not is_special and not house_player.resembles(name)


def _is_taken(session: Session, name: str) -> bool:
    owner = session.exec(select(Player.id).where(Player.name == name)).first()
    renamed = select(ModerationAct.id).where(ModerationAct.former_name == name)
    return owner is not None or session.exec(renamed).first() is not None


def confirm(request: Request, player: Player, name: str) -> None:
    """Raise Refused for an address that joins and leaves, and joins and leaves."""
    if erasure.has_left_often(request.session, player.address, request.now):
        raise Refused(
            "This address has joined and left more than once today.", fits="You're welcome to join again tomorrow."
        )
    if invitation_limits.is_closed(request.session, player.address):
        raise Refused(
            "The operator of this server has closed the account of this address.",
            fits=whom_to_ask(request.server),
        )
    player.name, player.confirmed = name, request.now
    request.session.flush()
    blocks.recall(request.session, player, invitation_limits.digest(player.address))


def join(request: Request, line: Line) -> Decision:
    player = request.sender.player
    if player is not None and player.confirmed:
        token = Token(Purpose.PERSONAL, player.id or 0)
        personal = address_with(request.server, request.keyring, token, player.epoch)
        raise Refused(
            f"You're already {player.name}.",
            fits=f"Your personal address is {personal}; messages to it take effect at once.",
        )
    name = line.given[NAMED]
    if request.is_trial and _is_taken(request.session, name.lower()):
        return Decision()  # the address is asked first, and told who plays here when it has agreed
    name = check_name(request, name, "join")
    if player is None:
        raise Refused("We don't know this address yet.", fits=f'Write "join {name}" in a new message.')
    confirm(request, player, name)
    welcome = Welcome(
        games=titles(),
        board=tuple(format_board(GAMES[SHOWN].game.position({}).diagram()).splitlines()),
        house=request.house.enabled,
        seeks=seeks.newest(request.session, player, request.now),
        language=meaning.language_of(request),
    )
    return Decision(answer=(welcome,))


NAMED = Piece("NAME", r"\S+", str, is_free=True)


def _for_stranger(request: Request, line: Line) -> Line | None:
    name = line.words.lower()
    return None if line.malformed or not NAME.fullmatch(name) else Line(JOIN, name, None, f"join {name}")


JOIN = Command(
    "join",
    words(NAMED),
    "become a player; we'll write back, and your reply confirms the name",
    join,
    aliases=("signup", "register"),
    keywords="name nickname signup-name userid user register registration",
    open_to=Who.GUESTS,
    by_match=Reach.GUEST,
    newcomer_rank=1,
    for_stranger=_for_stranger,
)


APART = timedelta(days=1)  # the time between two exports, which are larger than any other message
WHOSE = word("me", r"\S+")


def _check_about_sender(request: Request, line: Line, instead: str) -> None:
    if line.given.get(WHOSE, "me") not in ("me", request.player.name):
        raise Refused(
            f'"{line.command.name}" is only about you and the data we hold on you.',
            read=line.text,
            fits=f'Write "{line.command.usage}"; {instead}.',
        )


def export(request: Request, line: Line) -> Decision:
    player = request.player
    _check_about_sender(request, line, '"record NUMBER" sends the record of a match')
    theirs = (Outgoing.player == player.id, Outgoing.template == "export")
    recent = select(Outgoing.id).where(*theirs, within(Outgoing.created, APART, request.now))
    if request.session.exec(recent).first() is not None:
        raise Refused("We've sent you all your data within the last day.", read=line.text, fits="Try again tomorrow.")
    return Decision(messages=(Letter(player=player, payload=Export(), cause=request.cause()),))


def delete(request: Request, line: Line) -> Decision:
    player = request.player
    _check_about_sender(request, line, '"resign NUMBER" ends a match')
    forget = request.features.forget
    erasure.erase(request.session, request.server, player, request.now, forget, request.cause())
    return Decision(leaves=True)  # the last message to them, which says so, is queued by the erasure


EXPORT = Command(
    "export",
    words(opt(WHOSE, usage="me")),
    "get all the data we hold on you: name, address, settings, matches, notes and messages, as files",
    export,
    keywords="download-data",
    open_to=Who.CLOSED,
)
DELETE = Command(
    "delete",
    words(opt(WHOSE, usage="me")),
    "leave, and have your data deleted; you lose your running matches, and we'll ask you to confirm",
    delete,
    keywords="erase remove",
    open_to=Who.CLOSED,
    proof=ASKS,
)

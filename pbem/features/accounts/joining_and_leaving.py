"""Becoming a player and leaving: join with its welcome, and delete."""

from notation.board import format_board
from notation.games import GAMES
from pbem.conversation import meaning
from pbem.conversation.command import Command, Decision, Line, Reach, Request, Who
from pbem.conversation.refusals import whom_to_ask
from pbem.conversation.syntax.arguments import Piece, opt, words
from pbem.conversation.syntax.names_in_sentences import NAME
from pbem.errors import Refused
from pbem.features.accounts.data_export import WHOSE, check_about_sender
from pbem.features.accounts.name_rules import check_name, is_taken
from pbem.features.seeks import seeks
from pbem.messages.contents.message_payloads import Welcome, titles
from pbem.messages.reply_links import address_with
from pbem.players import blocks, erasure, invitations
from pbem.storage import mailboxes_and_domains
from pbem.storage.models import Player
from pbem.tokens import Purpose, Token

SHOWN = "quadrupel"  # new players are shown its board: small, and with a piece to move at once


def confirm(request: Request, player: Player, name: str) -> None:
    """Raise Refused for an address that joins and leaves, and joins and leaves."""
    if erasure.has_left_often(request.session, player.address, request.now):
        raise Refused(
            "This address has joined and left more than once today.", fits="You're welcome to join again tomorrow."
        )
    if invitations.is_closed(request.session, player.address):
        raise Refused(
            "The operator of this server has closed the account of this address.",
            fits=whom_to_ask(request.server),
        )
    player.name, player.confirmed = name, request.now
    request.session.flush()
    blocks.recall(request.session, player, mailboxes_and_domains.digest(player.address))


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
    if request.is_trial and is_taken(request.session, name.lower()):
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


def delete(request: Request, line: Line) -> Decision:
    player = request.player
    check_about_sender(request, line, '"resign NUMBER" ends a match')
    forget = request.features.forget
    erasure.erase(request.session, request.server, player, request.now, forget, request.cause())
    return Decision(leaves=True)  # the last message to them, which says so, is queued by the erasure


DELETE = Command(
    "delete",
    words(opt(WHOSE, usage="me")),
    "leave, and have your data deleted; you lose your running matches, and we'll ask you to confirm",
    delete,
    keywords="erase remove",
    open_to=Who.CLOSED,
    asks=True,
)

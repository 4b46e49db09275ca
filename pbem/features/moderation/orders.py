"""The operator's orders: ban, unban, rename, close, adjudicate."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session

from notation.games import GAMES
from pbem.config import Settings
from pbem.conversation.command import Command, Decision, Line, Request, Who
from pbem.conversation.feature import Features
from pbem.conversation.syntax.arguments import Grammar, Piece, opt, word, words
from pbem.errors import Refused
from pbem.features.accounts.name_rules import check_other_name
from pbem.features.moderation import acts, broadcasts
from pbem.features.moderation.acts import BanOutcome, Order
from pbem.mail.reading.message import Message
from pbem.matches import lifecycle
from pbem.matches.queries import locked, players_of, seat_of
from pbem.matches.shown_names import name
from pbem.messages.contents.message_payloads import Act, ActDone
from pbem.players import player_directory
from pbem.players.sender_identity import Sender
from pbem.storage.models import Incoming, Match, MatchState, Player

BY_MAIL, DRAW = "the admin, by mail", "draw"
NUMBER = Piece("NUMBER", r"#?\d{1,9}[.,;!]?", lambda text: int(text.strip("#.,;!")))
PLAYER, WINNER, NEW = (word(usage, r"\S+", is_name=True) for usage in ("PLAYER", "PLAYER|draw", "NEW"))
TELL, ENDED = (word(f"{name}={choice}", rf"{name}=\S+") for name, choice in (("tell", "yes"), ("matches", "lost")))
NOTE, SUBJECT = Piece("NOTE", ".+", str, is_rest=True), Piece("SUBJECT", ".+", str, is_rest=True, is_kept=True)


def read(request: Request, line: Line) -> Order:
    """Return the order, with the rest of the line and what stands below as the note; raise Refused."""
    note = "\n".join((" ".join(line.given.get(NOTE, "").split()), *request.prose)).strip()
    tells = _chosen(line, TELL, ("no", "yes")) == "yes"
    if len(note) > acts.LONGEST_NOTE:
        raise Refused(f"The note is longer than {acts.LONGEST_NOTE} characters.", read=line.text[:60])
    if tells and not note:
        raise Refused("The players should learn why, and you haven't said it.", read=line.text, fits="Add a note.")
    return _order(request, note, tells=tells)


def _chosen(line: Line, piece: Piece[str], choices: Sequence[str]) -> str:
    name, _, value = line.given.get(piece, f"{piece.usage.partition('=')[0]}={choices[0]}").partition("=")
    if value not in choices:
        works = " or ".join(f"{name}={choice}" for choice in choices)
        raise Refused(f"There is no {name}={value[:40]}.", read=line.text, fits=f"Write {works}.")
    return value


def _name(line: Line, piece: Piece[str]) -> str:
    return line.given[piece].strip(".,;!")


def _order(request: Request, note: str = "", *, tells: bool = False) -> Order:
    return Order(request.operator or BY_MAIL, note, tells, is_trial=request.is_trial)


def done(act: Act, order: Order) -> Decision:
    act = replace(act, message=tuple(order.note.splitlines()), tells=order.tells)
    return Decision(answer=(ActDone(act=act),), takes_prose=True)


def command(name: str, grammar: Grammar, about: str, run: Callable[[Request, Line], Decision]) -> Command:
    return Command(name, grammar, about, run, asks=True, open_to=Who.ADMIN)


def by_operator(
    session: Session,
    settings: Settings,
    features: Features,
    now: datetime,
    text: str,
    below: str,
    operator: str,
    *,
    is_trial: bool,
) -> ActDone:
    """Run a line as if the admin had written it by mail, with what stands below it. Raises Refused."""
    request = Request(
        session,
        settings.server,
        settings.server.keyring(),
        now,
        Incoming(key="", size=0, source="", recipients=[], received=now),
        Message(()),
        Sender(settings.server.admin or "", None, proven=True),
        features,
        settings.limits,
        settings.house,
        prose=tuple(below.splitlines()),
        operator=operator,
        is_trial=is_trial,
    )
    name, _, words = text.partition(" ")
    command = features.all_commands[name]
    line = Line(command, words, None, text)
    if not line.given.fits:
        raise line.misfit()
    (answer,) = command.run(request, line).answer
    assert isinstance(answer, ActDone)  # noqa: S101 - so do all that change something
    return answer


def _open_match(request: Request, line: Line) -> tuple[Match, Act]:
    """Return a match or challenge that isn't over, locked, and what the admin is told of it; raise Refused."""
    number = line.given[NUMBER]
    match = locked(request.session, number)
    if match is None:
        raise Refused(f"There is no match {number}.")
    if match.state not in (MatchState.RUNNING, MatchState.OFFERED):
        raise Refused(f"Match {number} is {match.state} already, so nothing was changed.")
    first, second = map(name, players_of(request.session, match))
    act = Act(act="close", by=first, opponent=second, number=number, title=GAMES.title(match.game), turns=match.plies)
    return match, replace(act, offered=match.state == MatchState.OFFERED)


def close(request: Request, line: Line) -> Decision:
    order, session, now = read(request, line), request.session, request.now
    match, act = _open_match(request, line)
    if match.state == MatchState.OFFERED:
        events = lifecycle.withdraw(session, match, session.get_one(Player, match.challenger), now)
    else:
        events = acts.cancel(session, match, now)
    acts.tell(session, request.server, events, order, now)
    acts.keep(session, order, "close", now, match=match.id)
    return done(act, order)


def adjudicate(request: Request, line: Line) -> Decision:
    order, session, now = read(request, line), request.session, request.now
    match, act = _open_match(request, line)
    result = _name(line, WINNER)
    if match.state != MatchState.RUNNING:
        raise Refused(f"Match {match.id} hasn't started, so it has no result.", fits='"close" withdraws it.')
    winner = next((player for player in players_of(session, match) if player.name == result), None)
    if winner is None and result != DRAW:
        fits = f"{act.by} and {act.opponent} do; or write {DRAW}."
        raise Refused(f"{result[:40]} doesn't play in match {match.id}.", fits=fits)
    seat = None if winner is None else seat_of(match, winner)
    acts.tell(session, request.server, acts.decide(session, match, seat, now), order, now)
    kind = "adjudicate draw" if winner is None else "adjudicate"
    acts.keep(session, order, kind, now, match=match.id, player=None if winner is None else winner.id)
    return done(replace(act, act="adjudicate", who="" if winner is None else result), order)


NOTED = (opt(TELL), opt(NOTE))
CLOSE = command("close", words(NUMBER, *NOTED), "end a match without a result, or withdraw a challenge", close)
ADJUDICATE = command(
    "adjudicate",
    words(NUMBER, WINNER, *NOTED),
    "end a match as won by a player, or as a draw; it counts like any other result",
    adjudicate,
)


def ban(request: Request, line: Line) -> Decision:
    order = read(request, line)
    player, ended = (
        player_directory.called(request.session, _name(line, PLAYER)),
        BanOutcome(_chosen(line, ENDED, [*BanOutcome])),
    )
    if request.is_from(player):
        raise Refused("That's your own account.", read=line.text)
    number = acts.ban(request.session, request.server, request.features, player, order, request.now, ended)
    lost = ended is BanOutcome.LOST
    return done(Act(act="ban", by=name(player), address=player.address, ended=number, lost=lost), order)


def unban(request: Request, line: Line) -> Decision:
    order = read(request, line)
    player = player_directory.called(request.session, _name(line, PLAYER))
    acts.unban(request.session, request.server, player, order, request.now)
    return done(Act(act="unban", by=name(player), address=player.address), order)


def rename(request: Request, line: Line) -> Decision:
    order = read(request, line)
    player = player_directory.called(request.session, _name(line, PLAYER))
    former = name(player)
    new_name = check_other_name(request.session, _name(line, NEW), request.features)
    acts.rename(request.session, request.server, player, new_name, order, request.now)
    return done(Act(act="rename", by=former, address=player.address, who=new_name), order)


def announce(request: Request, line: Line) -> Decision:
    """Write to all players who get news: the line is the subject, and what stands below it the text."""
    subject, lines = broadcasts.read("\n".join((line.given.get(SUBJECT, ""), *request.prose)))
    order, number = _order(request), broadcasts.recipients(request.session)
    if not number:
        raise Refused("There is nobody to write to: no player gets news.")
    broadcasts.begin(request.session, subject, lines, order, request.now)
    pace = broadcasts.per_minute(number)
    return done(Act(act="announce", subject=subject, lines=lines, recipients=number, per_minute=pace), order)


BAN = command(
    "ban",
    words(PLAYER, opt(ENDED), *NOTED),
    "keep a player out; their matches end without a result, or with matches=lost their opponents win",
    ban,
)
UNBAN = command("unban", words(PLAYER, *NOTED), "let them in again; what has ended stays over", unban)
RENAME = command(
    "rename", words(PLAYER, NEW, *NOTED), "give a player another name; nobody else gets the old one", rename
)
ANNOUNCE = command(
    "announce",
    words(opt(SUBJECT, usage="SUBJECT"), takes_below=True),
    "write to all players who get news: what stands below this line is the text",
    announce,
)

"""What `pbem show` tells of a player, an address, a match and a message: objects that JSON prints as they are."""

import email
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from engines.seats import SEATS
from notation.board import format_board
from notation.time_control import spoken
from pbem.cli.shared import Stored, now
from pbem.matches import integrity as checking
from pbem.matches import queries, replayed_match, shown_names
from pbem.matches.clock import timekeeping
from pbem.messages import delivery_choices, general_preferences
from pbem.players import news_times_and_pauses, player_directory
from pbem.storage.models import UNSENT, Incoming, IncomingState, Match, MatchState, Outgoing, OutgoingState, Player, Ply

RECENT = 10  # how many messages, and how many matches, are shown of a player
ANSWERS = ("answer", "confirm")
"""What goes to nobody but the sender of a message; one that proves nothing is found by it."""
MINUTE = "%Y-%m-%d %H:%M"
Facts = dict[str, Any]


def of_player(session: Session, server: Stored, player: Player) -> Facts:
    seen = player_directory.last_seen(session, player)
    return {
        "player": player.id,
        "name": player.name,
        "address": player.address,
        "joined": player.confirmed,
        "last_wrote": seen.date().isoformat() if seen else None,
        "standing": list(_standing(session, player)),
        **of_address(session, server, player.address, player),
        "matches": [_match(session, player, match) for match in _matches(session, player)],
    }


def of_address(session: Session, server: Stored, address: str, player: Player | None = None) -> Facts:
    """Anybody can write in a player's name; however much of that comes, it hides nothing that is proven theirs."""
    ours: list[ColumnElement[bool]] = [col(Outgoing.address) == address]
    if player is not None:
        ours.append(col(Outgoing.player) == player.id)
    sent = _newest(session, Outgoing, Outgoing.created, ours)
    waiting = _newest(session, Outgoing, Outgoing.created, ours, col(Outgoing.state).in_(UNSENT))
    answered = {row.incoming for row in sent if row.template in ANSWERS and row.incoming}
    claims = [col(Incoming.sender) == address, col(Incoming.id).in_(answered)]
    claimed = _newest(session, Incoming, Incoming.received, claims, col(Incoming.player).is_(None))
    proven = [] if player is None else [col(Incoming.player) == player.id]
    received = _newest(session, Incoming, Incoming.received, proven)
    why = _reasons(session, [*received, *claimed])
    return {
        "waiting": [outgoing(session, server, row) for row in waiting],
        "received": [{**_incoming(row), "why": why.get(row.id or 0, [])} for row in received],
        "claimed": [{**_incoming(row), "why": why.get(row.id or 0, [])} for row in claimed],
        "sent": [outgoing(session, server, row) for row in sent if row.state not in UNSENT],
    }


def _newest(
    session: Session, table: Any, when: Any, whose: Iterable[ColumnElement[bool]], *conditions: ColumnElement[bool]
) -> list[Any]:
    """Return the newest rows for which one of those is true; each has an index of its own."""
    newest = select(table).where(*conditions).order_by(col(when).desc(), table.id.desc()).limit(RECENT)
    rows = {row.id: row for condition in whose for row in session.exec(newest.where(condition))}
    return [rows[number] for number in sorted(rows, reverse=True)[:RECENT]]


def _standing(session: Session, player: Player) -> Iterator[str]:
    name = player.name or player.address
    if player.confirmed is None:
        yield "a guest: was invited or has asked something, and hasn't joined"
    if player.banned is not None:
        yield f'banned since {player.banned:%Y-%m-%d}; "pbem moderate unban {name}" opens the account again'
    if player.complained is not None:
        yield f"complained to their mail provider on {player.complained:%Y-%m-%d}, and gets turns only"
    if player.stopped is not None:
        yield f'wants no news since {player.stopped:%Y-%m-%d}; they get it again once they write "start"'
    if player.unreachable is not None:
        again = f'"pbem player bounced --again {name}", or a message from them, resumes sending'
        yield f"can't be reached since {player.unreachable:%Y-%m-%d}, as messages came back; {again}"
    elif player.bounces:
        last = f"{player.bounced:%Y-%m-%d}" if player.bounced else "unknown"
        yield f"messages to them came back: {player.bounces} in a row, the last on {last}"
    if player.trusted is not None:
        yield "may open tournaments"
    if (mail := general_preferences.with_defaults(player.settings)["mail"]) != "each":
        yield f"gets news collected (mail {mail})"


def _matches(session: Session, player: Player) -> list[Match]:
    """Return matches that the player plays, those where it is their turn first, and then open challenges."""
    whose_turn = [(Match.seat0, 0), (Match.seat1, 1), (Match.seat0, 1), (Match.seat1, 0)]
    conditions = [(seat == player.id, Match.to_move == to_move) for seat, to_move in whose_turn]
    conditions.append((Match.challenger == player.id, Match.state == MatchState.OFFERED))
    newest = select(Match).order_by(col(Match.id).desc()).limit(RECENT)
    rows = [row for condition in conditions for row in session.exec(newest.where(*condition))]
    return [*rows, *queries.challenges_to(session, player, RECENT)][:RECENT]


def _match(session: Session, player: Player, match: Match) -> Facts:
    people = queries.players_of(session, match)
    clock = timekeeping.clock_of(match)
    times = [] if clock is None else [clock.at(now()).left(seat) for seat in SEATS]
    names = [shown_names.name(person) for person in people]
    return {
        "match": match.id,
        "game": match.game,
        "against": names[0] if people[1].id == player.id else names[1],
        "turn": "not accepted yet" if match.to_move is None else names[match.to_move],
        "left": [f"{name} {spoken(time)}" for name, time in zip(names, times, strict=False) if time is not None],
        "due": match.due,
    }


def _incoming(row: Incoming) -> Facts:
    from pbem.mail.reading.limits import header_block  # a match is shown without
    from pbem.mail.reading.message import header

    mime = email.message_from_bytes(header_block(row.raw))  # empty once it is removed
    sender, subject = (" ".join(header(mime, name).split()) for name in ("From", "Subject"))
    retried = f'waits for "pbem mail retry {row.id}"'
    waits = {IncomingState.NEW: "waits for the server", IncomingState.SHUNTED: retried}.get(IncomingState(row.state))
    if row.state == IncomingState.HELD:
        from pbem.conversation.confirmations import QUESTION_LIVES  # takes as long to load as all the rest

        waits = f'waits for the "yes" of its sender until {row.received + QUESTION_LIVES:{MINUTE}}'
    return {
        "message": row.id,
        "source": row.source,
        "received": row.received,
        "from": sender or row.sender,
        "subject": subject,
        "state": row.state,
        "verdict": row.verdict,
        "waits": waits,
        "attempts": row.attempts,
    }


def _reasons(session: Session, messages: Iterable[Incoming]) -> Mapping[int, list[str]]:
    """Return what was refused of each message, by its number."""
    numbers = {row.id for row in messages}
    answers = select(Outgoing).where(col(Outgoing.incoming).in_(numbers), Outgoing.template == "answer")
    sentences: dict[int, list[str]] = {}
    for answer in session.exec(answers.order_by(col(Outgoing.id))) if numbers else ():
        for section in answer.payload.get("sections", ()):
            if section.get("template") == "refused":
                read = f' They wrote: "{section["read"]}"' if section.get("read") else ""
                sentences.setdefault(answer.incoming or 0, []).append(section["sentence"] + read)
    return sentences


def outgoing(session: Session, server: Stored, row: Outgoing) -> Facts:
    about = f", match {row.match}, turn {row.ply}" if row.match is not None else ""
    return {
        "message": f"out {row.id}",
        "what": f"{row.template}{about}",
        "to": row.address,
        "message_id": row.message_id,
        "queued": row.created,
        "because_of": row.incoming,
        "state": row.state,
        "sent": row.sent,
        "attempts": row.attempts,
        "next": row.due if row.state in (OutgoingState.OWED, OutgoingState.WAITING) else None,
        "became": _became(session, server, row),
        "reply": row.reply or None,
    }


def _became(session: Session, server: Stored, row: Outgoing) -> str:
    player = session.get(Player, row.player) if row.player is not None else None
    name = (player.name if player else None) or row.address
    days, again = server.settings.limits.keep_waiting_days, f'"pbem player bounced --again {name}"'
    at_most = f", or {row.due + timedelta(days=days):%Y-%m-%d} at the latest" if days else ""
    sentences = {
        OutgoingState.OWED: f"owed: next attempt {row.due:{MINUTE}}" if row.attempts else "owed: waits to be sent",
        OutgoingState.WAITING: f"waiting for more until {row.due:{MINUTE}}",
        OutgoingState.BATCHED: "batched with other news",
        OutgoingState.PAUSED: f'paused until they write "start"{at_most}',
        OutgoingState.SUSPENDED: f"suspended until a message from them or {again}{at_most}",
        OutgoingState.FAILED: f'failed: waits for "pbem mail retry out {row.id}"{at_most}',
        OutgoingState.MERGED: f"merged into message out {row.merged_into}",
        OutgoingState.DROPPED: "dropped: it was about somebody who left, was out of date, or waited too long",
        OutgoingState.SENT: f"sent {row.sent:{MINUTE}}" if row.sent is not None else "",
    }
    if row.state == OutgoingState.OWED and row.sent is not None:
        return f"owed: it came back, and is sent again {row.due:{MINUTE}}"
    if row.state == OutgoingState.BATCHED and player is not None and (at := _told_at(session, player, row)):
        return f"batched with other news until {at:{MINUTE}}"
    return sentences[OutgoingState(row.state)]


def _told_at(session: Session, player: Player, row: Outgoing) -> datetime | None:
    """Return when the player gets the news that is collected for them in the same way as this."""
    batched = select(Outgoing.template, Outgoing.match, Outgoing.created).order_by(col(Outgoing.created))
    way, choices = (
        delivery_choices.way(player.settings, row.template, row.match),
        general_preferences.with_defaults(player.settings),
    )
    news = session.exec(batched.where(Outgoing.player == player.id, Outgoing.state == OutgoingState.BATCHED))
    created = (at for template, match, at in news if delivery_choices.way(player.settings, template, match) == way)
    return (
        None
        if (first := next(created, None)) is None
        else news_times_and_pauses.due_at(way, choices, player.stopped, first)
    )


def mail(session: Session, server: Stored, row: Incoming) -> Facts:
    caused = session.exec(select(Outgoing).where(Outgoing.incoming == row.id).order_by(col(Outgoing.id))).all()
    author = session.get(Player, row.player) if row.player is not None else None
    matches = {effect.match for effect in caused if effect.match is not None}
    turns = select(Ply).where(col(Ply.match).in_(matches), Ply.incoming == row.id).order_by(col(Ply.id))
    played = session.exec(turns).all() if matches else ()
    return {
        **_incoming(row),
        "proven": shown_names.name(author) if author else None,
        "why": _reasons(session, [row]).get(row.id or 0, []),
        "played": [f"match {ply.match}, turn {ply.number}: {ply.text}" for ply in played],
        "outgoing": [outgoing(session, server, effect) for effect in caused],
        "error": row.error,
        "raw": row.raw.decode("utf-8", "replace") if row.raw else None,
        "removed": None if row.raw else "it was too old, or its sender has left",
    }


def sent(session: Session, server: Stored, row: Outgoing) -> Facts:
    player = session.get(Player, row.player) if row.player is not None else None
    name = shown_names.name(player) if player else None
    return {**outgoing(session, server, row), "player": name, "troubled": row.troubled, "error": row.error}


def of_match(session: Session, server: Stored, match: Match) -> Facts:
    (faults,) = checking.faults(session, [match])
    problems = [fault.sentence for fault in faults]
    people = queries.players_of(session, match)
    names = (shown_names.name(people[0]), shown_names.name(people[1]))
    about = select(Outgoing).where(Outgoing.match == match.id).order_by(col(Outgoing.id))
    return {
        "match": match.id,
        "game": match.game,
        "options": match.options,
        "players": list(names),
        "state": match.state,
        "winner": names[match.winner] if match.winner is not None else None,
        "ending": replayed_match.why_over(match, names) or None,
        "unfinished": match.part,
        "problems": problems,
        "board": None if problems else format_board(replayed_match.snapshot_of(session, match).position.diagram()),
        "turns": _turns(session, match, names),
        "messages": [outgoing(session, server, row) for row in session.exec(about)],
    }


def _turns(session: Session, match: Match, players: tuple[str, str]) -> list[Facts]:
    turns: list[Any] = [(ply, f"{ply.number}", ply.played) for ply in queries.plies(session, match)]
    for ply in queries.taken_back(session, match):
        played = f"{ply.played:%Y-%m-%d %H:%M:%S}, taken back {ply.taken_back:%Y-%m-%d %H:%M:%S}"
        turns.append((ply, f"({ply.number})", played))
    return [
        {"number": number, "by": players[ply.seat], "text": ply.text, "played": played, "incoming": ply.incoming}
        for ply, number, played in turns
    ]

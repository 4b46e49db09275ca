"""What a reader can do next, as links: each opens an email to us with address, Subject and text filled in.

Anyone who sees such a link can act as its recipient, so links only appear in messages to that player, with their own
token. The text part has the same words: a mail program without links costs taps, and nothing else.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from urllib.parse import quote

from engines.core import Seat
from engines.seats import other
from notation.hints import Hint, listed
from notation.steps import Choices, choices, grouped
from pbem.config import ServerSettings
from pbem.matches import stored_offers
from pbem.matches.condition_parsing import IF, THEN
from pbem.matches.replayed_match import Hypothesis, Snapshot
from pbem.matches.stored_offers import OfferKind
from pbem.matches.variation_parsing import BETWEEN
from pbem.storage.models import MatchState, Outgoing, Player
from pbem.tokens import Keyring, Purpose, Token

LONGEST = 1_999  # the maximum length of a link; some programs truncate longer ones
PREVIEW = "preview"


@dataclass(frozen=True, slots=True)
class Link:
    label: str
    words: str
    uri: str


@dataclass(frozen=True)
class Links:
    turns: tuple[Link, ...] = ()
    """A link for each legal turn, if there are only a few. It previews the turn, and the preview offers to play it."""
    steps: tuple[Link, ...] = ()
    """With more turns than that: the next thing to choose, a stone or a square. Each link previews."""
    example: Link | None = None
    """Where most turns are a single cell, and too many to list: one of them. Then the steps are only the others."""
    plays: tuple[Link, ...] = ()
    """After a preview of a whole turn: the ways to play it. Once tapped and sent, it is played."""
    prepares: tuple[Link, ...] = ()
    """After a preview that ends with the reader's answer to a turn of the opponent: the link that prepares it."""
    playable: bool = False
    """Whether the reader can also write the turns to play them: it's their turn, and nothing is supposed before it."""
    others: tuple[Link, ...] = ()
    """Other commands that fit, likely ones first: accept and decline, or a hint, the rules, and resign as the last."""
    answers: tuple[Link, ...] = ()
    """The answers to the offers of the opponent, and the claim of the match if they have run out of time."""
    cells: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The text and label of the next choices on the board, by the name of their cell ("c4")."""
    target: "ReplyTarget | None" = None

    @cached_property
    def by_cell(self) -> Mapping[str, Link]:
        links = {cell: link(self.target, *choice) for cell, choice in self.cells.items()}
        return {cell: link for cell, link in links.items() if link.uri}

    @cached_property
    def groups(self) -> tuple[tuple[str, tuple[Link, ...]], ...]:
        """The turns, or else the steps, in groups: the words that a group shares, and its links."""
        links = self.turns or self.steps
        groups = grouped([link.label for link in links])
        return tuple((group.heading, tuple(links[number] for number in group.members)) for group in groups)

    @property
    def beginning(self) -> str:
        headings = [heading.split() for heading, _ in self.groups]
        shared = takewhile(lambda words: len(set(words)) == 1, zip(*headings, strict=False))
        return " ".join(words[0] for words in shared) if len(headings) > 1 else ""

    @property
    def short_groups(self) -> Iterator[tuple[str, tuple[Link, ...]]]:
        """The groups, with headings after the beginning that all share, and labels after the heading."""
        for heading, links in self.groups:
            yield (
                heading.removeprefix(self.beginning).strip(),
                tuple(replace(link, label=link.label.removeprefix(heading).strip()) for link in links),
            )

    @property
    def listed(self) -> str:
        """The turns, or else the steps, as lines for the text part; the reader writes `preview` in front."""
        texts = ([link.words.removeprefix(PREVIEW).strip() for link in links] for _, links in self.groups)
        return "\n".join(line for group in texts for line in listed(group))

    def listed_in(self, hint: Hint | None) -> bool:
        return hint is not None and {link.label for link in self.turns or self.steps} <= hint.texts


@dataclass(frozen=True, slots=True)
class ReplyTarget:
    address: str
    subject: str

    def link(self, words: str, label: str = "") -> Link | None:
        """Return a link to an email with that text; None if the text is too long for a link."""
        uri = mailto(self.address, self.subject, words)
        if len(uri) > LONGEST:
            uri = mailto(self.address, self.subject.partition("]")[0] + "]", words)
        return Link(label or words, words, uri) if len(uri) <= LONGEST else None

    def links(self, words: Iterable[tuple[str, str]]) -> tuple[Link, ...]:
        return tuple(link for text, label in words if (link := self.link(text, label)))


def mailto(address: str, subject: str, body: str) -> str:
    """Return the URI (RFC 6068) of an email to write: everything but letters and digits is encoded.

    >>> mailto("games+t@pbem.example", "Re: [pbem #1]", "move c1b1")
    'mailto:games%2Bt@pbem.example?subject=Re%3A%20%5Bpbem%20%231%5D&body=move%20c1b1'
    """
    parts = (*address.rsplit("@", maxsplit=1), subject, "\r\n".join(body.splitlines()))
    local, domain, about, text = (quote(part, safe="") for part in parts)
    return f"mailto:{local}@{domain}?subject={about}&body={text}"


def link(target: ReplyTarget | None, words: str, label: str = "") -> Link:
    """Return a link that replies to its own message; its URI is empty if a reply can't act for the reader."""
    return (target.link(words, label) if target else None) or Link(label or words, words, "")


def of_match(
    snapshot: Snapshot, reader: Player | None, target: ReplyTarget | None, *, can_claim: bool = False
) -> Links:
    """Return what the reader can do next in a match they play in; nothing for anyone else."""
    seat = snapshot.seat_of(reader) if reader else None
    if reader is None or seat is None or target is None:
        return Links()
    links = Links()
    if snapshot.hypothesis is not None:
        links = _of_preview(snapshot, snapshot.hypothesis, target, seat)
    elif snapshot.match.state != MatchState.OFFERED and snapshot.position.turn == seat and not _is_over(snapshot):
        links = replace(_choosing(target, choices(snapshot.notation, snapshot.position), PREVIEW), playable=True)
    claims = (("claim", "Claim the match"),) if can_claim and snapshot.hypothesis is None else ()
    answers = target.links((*claims, *_answers(snapshot, seat)))
    return replace(links, others=target.links(_others(snapshot, reader, seat)), answers=answers)


def _choosing(target: ReplyTarget, offered: Choices, lead: str) -> Links:
    return Links(
        turns=target.links((_joined(lead, text), text) for text in offered.turns),
        steps=target.links((_joined(lead, step.text), step.label) for step in offered.steps),
        example=target.link(_joined(lead, offered.example.text)) if offered.example else None,
        cells={cell: (_joined(lead, step.text), step.label) for cell, step in offered.cells.items()},
        target=target,
    )


def _of_preview(snapshot: Snapshot, hypothesis: Hypothesis, target: ReplyTarget, seat: Seat) -> Links:
    notation, turns = snapshot.notation, hypothesis.turns
    where = "" if hypothesis.since is None else f"{snapshot.number}#{hypothesis.since}"
    earlier = turns if snapshot.part or hypothesis.chosen else turns[:-1]
    lead = _joined(PREVIEW, where, *(f"{text} {BETWEEN}" for _, text in earlier))
    if not turns or snapshot.part or hypothesis.chosen:
        begun = "" if hypothesis.kept else snapshot.part or ""
        offered = choices(notation, snapshot.position, hypothesis.chosen)
        can_play = hypothesis.playable and not turns
        return replace(_choosing(target, offered, _joined(lead, begun)), playable=can_play)
    (_, first), (_, last) = turns[0], turns[-1]
    longer = choices(notation, hypothesis.before, last)
    longer = replace(
        longer,
        turns=tuple(text for text in longer.turns if text != last),
        steps=tuple(step for step in longer.steps if step.text != last),
    )
    on = _choosing(target, longer, lead)
    endings = notation.endings(hypothesis.before) if len(turns) == 1 else ()
    plays = (first, *(f"{first} {ending}" for ending in endings if not first.endswith(ending)))
    return Links(
        steps=(*on.turns, *on.steps),
        plays=target.links((words, f"Play {words}") for words in plays if hypothesis.playable),
        prepares=target.links(_prepares(hypothesis, seat)),
        cells=on.cells,
        target=target,
    )


def _prepares(hypothesis: Hypothesis, seat: Seat) -> Iterator[tuple[str, str]]:
    """Yield the text that prepares answers to turns of the opponent, if the preview is of such."""
    turns = hypothesis.turns
    played = turns[0][1] if turns[0][0] == seat else ""
    foreseen = turns[1:] if played else turns
    alternate = all(whose == (seat if number % 2 else other(seat)) for number, (whose, _) in enumerate(foreseen))
    if hypothesis.since is not None or not foreseen or len(foreseen) % 2 or not alternate:
        return
    pairs = zip(foreseen[::2], foreseen[1::2], strict=True)
    condition = f" {THEN} ".join(f"{IF} {theirs} {THEN} {mine}" for (_, theirs), (_, mine) in pairs)
    label = f"Play {played} and prepare the rest" if played else "Prepare this"
    yield "\n".join(filter(None, (played, condition))), label


def _answers(snapshot: Snapshot, seat: Seat) -> Iterator[tuple[str, str]]:
    if snapshot.hypothesis is not None or snapshot.ply != snapshot.total:
        return
    for offer in stored_offers.open_offers(snapshot.match):
        if offer.seat != seat:
            yield from ((f"accept {offer.kind}", f"Accept {offer.kind}"), (f"reject {offer.kind}", "Reject"))


def _others(snapshot: Snapshot, reader: Player, seat: Seat) -> Iterator[tuple[str, str]]:
    """Yield the texts and labels of other commands that fit, likely ones first; none shows the board that is shown."""
    match = snapshot.match
    if match.state == MatchState.OFFERED:
        if match.challenger == reader.id:
            yield "withdraw", "Withdraw"
        else:
            yield from (("accept", "Accept"), ("decline", "Decline"))
        yield from ((f"rules {match.game}", "Rules"), ("help", "Help"))
    elif match.state in (MatchState.RUNNING, MatchState.OVER):
        if _is_over(snapshot):
            yield "rematch", "Rematch"
            if snapshot.ply:
                yield "analyse", "Analyse"
            yield from (("record", "Record"), ("help", "Help"))
            return
        begun = snapshot.part and (snapshot.hypothesis is None or snapshot.hypothesis.kept)
        if begun and snapshot.position.turn == snapshot.seat_of(reader):
            yield "undo", "Undo"
        if snapshot.hypothesis is None and match.level and snapshot.position.turn == seat:
            yield "hint", "Hint"
        yield f"rules {match.game}", "Rules"
        if snapshot.hypothesis is None:
            can_be_drawn = snapshot.ply > 1 and snapshot.game.can_be_drawn(match.options)
            if can_be_drawn and stored_offers.find(match, OfferKind.DRAW) is None:
                yield "draw", "Offer a draw"
            if not begun and seat in snapshot.seats and stored_offers.find(match, OfferKind.UNDO) is None:
                yield "undo", "Take back"
            yield from (("help", "Help"), ("resign", "Resign"))
        else:
            yield from (("show", "Show"), ("help", "Help"))


def _is_over(snapshot: Snapshot) -> bool:
    return snapshot.ended_here or (snapshot.hypothesis is None and snapshot.position.outcome is not None)


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)


def token_of(row: Outgoing) -> Token | None:
    if row.player is None or row.purpose is None:
        return None
    subject = row.token_subject if row.plies is None else row.id or 0  # what shows several matches is told by its row
    return Token(Purpose[row.purpose], row.player, subject, row.ply + row.shift)


def address_with(server: ServerSettings, keyring: Keyring, token: Token, epoch: int) -> str:
    return f"{server.local}{server.delimiter}{keyring.format(token, epoch)}@{server.domain}"

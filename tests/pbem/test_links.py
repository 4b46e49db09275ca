"""Links that open a prefilled email: each is tapped, sent to a real server, and does what it says.

The links are read from a list of them that the tests add to the template that draws the board.
"""

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from pbem import tokens
from pbem.messages.template_files import templates_folder
from pbem.messages.templating import TEXT, templates
from pbem.server.daemon import Server
from pbem.tokens import Purpose
from tests.cases import quick_where
from tests.correspondence import Correspondence, correspondence, said, text
from tests.positions import stand
from tests.stories.of_games import NAMES, Played, played

TAPPED = ("hexaphages", "kvadratik-setup-half", "quadraphages", "quadrature", "quadrupel-variant-combination")
"""The playthroughs tapped in every run: each game once, with the options that cover the most."""
LISTED = """
{% for kind, links in (
    ("turn", m.links.turns), ("step", m.links.steps), ("play", m.links.plays), ("other", m.links.others)
) %}
{% for link in links %}
LINK {{ kind }} {{ link.uri }} LABEL {{ link.label }} END
{% endfor %}
{% endfor %}
{% for cell, link in m.links.by_cell.items() %}
LINK {{ cell }} {{ link.uri }} LABEL {{ link.label }} END
{% endfor %}
"""
LINK = re.compile(r"LINK (\S+) (mailto:\S+) LABEL (.+?) END ?")


@dataclass(frozen=True)
class Tap:
    """A link as a mail program reads it."""

    kind: str
    uri: str
    label: str

    @property
    def address(self) -> str:
        return unquote(urlsplit(self.uri).path)

    @property
    def fields(self) -> dict[str, str]:
        pairs = (pair.partition("=") for pair in urlsplit(self.uri).query.split("&"))
        return {name: unquote(value) for name, _, value in pairs}

    @property
    def words(self) -> str:
        return self.fields["body"]


@contextmanager
def listing(folder: Path) -> Iterator[Correspondence]:
    """Run a server whose messages list their links below the board."""
    environment = templates(TEXT)
    shapes = environment.globals["shapes"]
    source = (templates_folder() / "parts" / "shapes.txt.j2").read_text(encoding="utf-8")
    board = "{{ m.board }}\n"
    assert board in source
    environment.globals["shapes"] = environment.from_string(source.replace(board, board + LISTED)).module
    try:
        with correspondence(folder, altered=_with_list) as letters:
            yield letters
    finally:
        environment.globals["shapes"] = shapes


def _with_list(server: Server) -> Server:
    """Return the server: as it is "altered", scenes that other tests have played, without the list, aren't taken."""
    return server


def taps(mail: EmailMessage, *kinds: str) -> list[Tap]:
    """Return the links in a message; only those of the given kinds, if any."""
    found = [Tap(*each) for each in LINK.findall(said(mail))]
    return [tap for tap in found if not kinds or tap.kind in kinds]


def cells(mail: EmailMessage) -> list[Tap]:
    """Return the links on the board."""
    return [tap for tap in taps(mail) if tap.kind not in ("turn", "step", "play", "other")]


def prose(mail: EmailMessage) -> str:
    """Return the words of a message without the list of links."""
    return " ".join(LINK.sub("", " ".join(text(mail).replace("\n* ... ", " ").split())).split())


def send(letters: Correspondence, name: str, tap: Tap) -> list[EmailMessage]:
    """Send the email that a link opens unchanged. Return the replies."""
    return letters.write(f"{name}@mail.example", tap.words, tap.fields["subject"], to=tap.address)


def assert_sound(letters: Correspondence, mail: EmailMessage, name: str) -> None:
    """Assert that every link in a message to that player is short, plain, their own, and in the text as well."""
    (player,) = letters.rows(f"select id from player where address = '{name}@mail.example'")
    for tap in taps(mail):
        assert len(tap.uri) < 2_000
        assert re.fullmatch(r"mailto:[A-Za-z0-9%@._~-]+\?subject=[A-Za-z0-9%._~-]+&body=[A-Za-z0-9%._~-]+", tap.uri)
        assert list(tap.fields) == ["subject", "body"]
        assert len(tap.words.splitlines()) == 1
        assert tap.fields["subject"].startswith("Re: [pbem #1] ")
        token = tokens.parse(tap.address.partition("+")[2].partition("@")[0])
        assert token is not None
        assert (token.purpose, token.player, token.subject) == (Purpose.PLAY, player, 1)
        assert tap.label
    words = prose(mail)
    for tap in taps(mail, "turn", "step"):
        assert tap.words.startswith("preview ")
        assert tap.words.removeprefix("preview ") in words, tap.words
    for tap in taps(mail, "play", "other"):
        assert tap.words in words
    assert all(tap.words.startswith("preview") for tap in cells(mail))


def mover_of(letters: Correspondence) -> str:
    """Return the player whose turn it is according to the newest messages."""
    return next(name for name in ("alice", "bob") if prose(letters.last(name)).startswith("Your turn against "))


@pytest.mark.parametrize("name", quick_where(TAPPED.__contains__, NAMES, "soak"))
def test_a_match_is_played_by_tapping_alone(name: str, tmp_path: Path) -> None:
    """From several positions of a playthrough, turns are chosen link by link until they are played."""
    story, chance = played(name), random.Random(name)
    previews = 0
    for start in (0, 1, len(story.turns) // 2, len(story.turns) - 2):
        with listing(tmp_path / str(start)) as letters:
            begin(letters, story, start)
            for _ in range(2):
                if "is over" in prose(letters.last("alice")):
                    break
                previews += tap_a_turn(letters, mover_of(letters), chance)
    assert previews or "quadrupel" in name


def begin(letters: Correspondence, story: Played, start: int) -> None:
    """Put match 1 into the state after `start` turns of the story, and play the next by hand, so that both are told."""
    letters.match(f"challenge bob {story.game} {story.options}")
    position = stand(letters, story.game, list(story.turns[:start]))
    letters.say(("alice", "bob")[position.turn or 0], f"#1 {story.turns[start]}")


def tap_a_turn(letters: Correspondence, name: str, chance: random.Random) -> int:
    """Let the player tap until their turn is played. Return the number of previews in between."""
    before, mail, previews = letters.played, letters.last(name), 0
    other = {"alice": "bob", "bob": "alice"}[name]
    assert not taps(letters.last(other), "turn", "step", "play"), "only who moves has turns to tap"
    while letters.played == before:
        assert_sound(letters, mail, name)
        offered = [tap for tap in taps(mail, "turn", "step", "play") if not tap.words.endswith("quadrupel")]
        tap = chance.choice(offered if chance.random() < 0.7 or not cells(mail) else cells(mail))
        was = letters.execute("select * from match")
        mails = send(letters, name, tap)
        if tap.words.startswith("preview"):
            previews += 1
            assert letters.execute("select * from match") == was
            (mail,) = mails
            assert "Nothing has been played." in prose(mail), tap.words
        else:
            assert len(mails) == 2
            assert letters.played == [*before, tap.words]
        assert previews < 20
    return previews


def test_links_hold_no_other_token_than_the_reader_s(tmp_path: Path) -> None:
    """In every message of a whole conversation."""
    with listing(tmp_path) as letters:
        letters.match("challenge bob hexaphages")
        letters.join("carol")
        for sender, words in (
            ("alice", "1"), ("bob", "preview 1 e5g5 k7l8"), ("alice", "e5g5 k7l8"), ("carol", "show 1"),
            ("bob", "show"), ("bob", "preview"), ("alice", "preview"), ("bob", "say hello"), ("alice", "games\nshow"),
        ):  # fmt: skip
            letters.reply(letters.last(sender), f"#1 {words}" if sender == "carol" else words)
        people = dict(letters.execute("select address, id from player"))
        seen = 0
        for way, mail in letters.log:
            if way == "out":
                told = re.findall(r"games(?:\+|%2B)([a-z2-7]{40})@", text(mail))
                assert {tokens.parse(each).player for each in told} <= {people[str(mail["To"])]}
                seen += len(told)
        assert seen > 50

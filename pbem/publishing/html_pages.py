"""The pages of the site as HTML, with boards as SVG, from the templates in templates/site.

Every page works without JavaScript, without anything from elsewhere, and under a policy that forbids inline styles and
scripts. Links are relative, so that the site can lie anywhere, or be opened as files.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment
from markupsafe import Markup

from notation import illustrations
from notation.games import GAMES
from notation.steps import turn_tree
from pbem.features.house.house_account import NAME
from pbem.features.house.levels_and_new_matches import LEVELS
from pbem.messages.boards.svg_board import BoardSheet
from pbem.messages.contents.message_payloads import LISTED
from pbem.messages.reply_links import mailto
from pbem.messages.rules_page import page
from pbem.messages.templating import HTML, templates
from pbem.publishing import match_page_data
from pbem.publishing.match_page_data import MatchPage
from pbem.publishing.page_data import THOUSAND, PageLine, PagePlace
from pbem.publishing.tap_board import LISTED as LISTED_TURNS
from pbem.publishing.tap_board import tap_board

SUBJECT = "Board games by email"  # the Subject of an email that a link opens: nothing that could be read as a command


def match_path(number: int, ending: str = "html") -> str:
    return f"matches/{number // THOUSAND}/{number}.{ending}"


def player_path(name: str, ending: str = "html") -> str:
    return f"players/{name}.{ending}"


def tournament_path(number: int, ending: str = "html") -> str:
    return f"tournaments/{number}.{ending}"


def game_path(key: str, language: str = "") -> str:
    return f"games/{key}.{language}.html" if language else f"games/{key}.html"


def trial_path(key: str) -> str:
    return f"games/{key}-board.html"


@cache
def environment() -> Environment:
    overlay = templates(HTML).overlay()
    overlay.globals = {  # the overlay shares those of messages
        **overlay.globals,
        "GAMES": GAMES,
        "LEVELS": LEVELS,
        "LISTED": LISTED,
        "LISTED_TURNS": LISTED_TURNS,
        "THOUSAND": THOUSAND,
        "game_path": game_path,
        "match_path": match_path,
        "player_path": lambda name: quote(player_path(name)),
        "tournament_path": tournament_path,
    }
    return overlay


@dataclass(frozen=True, slots=True)
class Site:
    name: str
    address: str
    url: str = ""
    house: bool = True  # whether the house takes matches
    house_name: str = NAME  # what the house is called there; a publication finds that out

    def mailto(self, words: str) -> str:
        """Return a link that opens an email to the server with that text; its Subject says nothing that could act."""
        return mailto(self.address, SUBJECT, words)

    def absolute(self, path: str) -> str:
        return f"{self.url.rstrip('/')}/{quote(path)}"


def style() -> str:
    return environment().get_template("site/style.css.j2").render()


def not_found(site: Site) -> str:
    """Return what web servers show where nothing is. Its links begin at the top, since it is shown anywhere."""
    top = urlsplit(site.url).path.rstrip("/") + "/"
    return environment().get_template("site/404.html.j2").render(path="404.html", root=top, site=site)


def match(site: Site, match_page: MatchPage) -> str:
    sheet = BoardSheet()
    boards = [Markup(sheet.board(each.diagram, f"The board: {each.words}")) for each in match_page.boards]  # noqa: S704 - escaped
    return render(
        "match",
        match_path(match_page.line.number),
        site=site,
        match=match_page,
        boards=list(zip(match_page.boards, boards, strict=True)),
        shapes=Markup(sheet.shapes()),  # noqa: S704 - made by us
        result=match_page_data.result(match_page),
        files=match_page_data.endings(match_page),
    )


def game(site: Site, key: str, places: Sequence[PagePlace], matches: Sequence[PageLine]) -> str:
    pack = GAMES[key]
    drawn = [(each, f"{key}-{number}.svg") for number, each in enumerate(illustrations_of(key), start=1)]
    attributes = {"img": {"class": "picture"}, "caption": {"class": "caption"}, "code": {"tabindex": "0"}}
    body, languages = page(_below_title(pack.page, pack.designed), attributes, drawn), [*pack.translations]
    lists = {"languages": languages, "places": places, "matches": matches}
    return render("game", game_path(key), site=site, game=pack.game, designed=pack.designed, rules=body, **lists)


def translation(site: Site, key: str, language: str) -> str:
    pack, attributes = GAMES[key], {"code": {"tabindex": "0"}}
    text = pack.translations[language]
    path, title = game_path(key, language), text.partition("\n")[0]
    rules = page(_below_title(text), attributes)
    return render("rules", path, site=site, key=key, title=title, language=language, rules=rules)


def picture(key: str, number: int) -> str | None:
    drawn = illustrations_of(key)[number - 1 : number] if key in GAMES else ()
    return BoardSheet().file(drawn[0].diagram, drawn[0].in_words) if drawn else None


def trial(site: Site, key: str) -> str:
    """Return the page on which everybody can try a first turn; it ends in a message that begins a match."""
    pack, opening = GAMES[key], site.mailto(f"play {key} begin=me")
    position = pack.game.position({})
    tapping = tap_board(pack.notation, position, position.diagram(), opening, turn_tree(pack.notation, position))
    match = {"number": None, "board": None, "prepares": False}
    return render("board", trial_path(key), site=site, game=pack.game, tapping=tapping, **match)


@cache
def illustrations_of(key: str) -> tuple[illustrations.Illustration, ...]:
    return illustrations.of(GAMES[key])


def _below_title(rules: str, designed: str = "") -> str:
    """Return the rules without the title and the designer, which the page has already, and with headings below it."""
    below = rules.partition("\n")[2].partition("\n")[2].removeprefix(designed)
    return re.sub(r"(?m)^==+$", lambda underline: "-" * len(underline[0]), below)


def render(template: str, path: str, **variables: Any) -> str:
    root = "../" * path.count("/")
    return environment().get_template(f"site/{template}.html.j2").render(path=path, root=root, **variables)

"""The pages in Chromium: the replay on a phone and on a desk, by keyboard alone, and without JavaScript."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from notation.games import GAMES
from tests.diagrams import NAMES
from tests.publishing.browsing import DESK, PHONE, Open, accessible, library, well_formed
from tests.publishing.serving import served
from tests.publishing.site import Archive, archive, store_all_games, store_history
from tests.servers import HOST

pytestmark = [pytest.mark.slow, pytest.mark.own_database]

MATCH = "matches/0/1.html"
LADDER, SWISS, ROUND_ROBIN = (f"tournaments/{number}.html" for number in (1, 2, 3))
LISTS = ("index.html", "matches/0/index.html", "players/aaaaaaaaaaaaaaaaaaaa.html", "games/quadrupel.html", ROUND_ROBIN)
OVERVIEWS = ("archive.html", "archive.html?player=dora", "players.html", "players/dora.html", "games/kvadratik.html")
PAGES = (*LISTS, *OVERVIEWS, MATCH, "players/alice.html", LADDER, SWISS)
OF_EVERY_GAME = tuple(f"matches/0/{number}.html" for number in range(2, 2 + len(NAMES)))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Provide a site with a match of two turns, one of every game and variant, a ladder, a Swiss and a large table."""
    with archive(tmp_path_factory.mktemp("browser"), "on") as made:
        for number, kind in enumerate(("ladder", "swiss"), start=1):
            made.letters.operate("tournament", "open", kind, "kvadratik", "time=3d/move", "called", f"Spring {kind}")
            for name in ("alice", "bob", "carol"):
                made.letters.say(name, f"enter {number}")
        made.letters.operate("tournament", "open", "round-robin", "quadrupel", "time=3d/move", "called", "Autumn")
        store_all_games(made.letters.server.engine, 3)
        for begun in ("2", "3"):
            made.letters.operate("tournament", "begin", begun)
        made.letters.say("bob", "seek kvadratik")
        store_history(made.letters.server.engine)
        made.publish()
        yield made


@pytest.fixture(scope="module")
def url(published: Archive) -> Iterator[str]:
    """Provide the URL of the site, served with the headers that forbid everything inline and all from elsewhere."""
    with served(published.pages()) as port:
        yield f"http://{HOST}:{port}/"


def caption(page: Any) -> str:
    """Return the caption of the only board that is shown."""
    shown = page.locator("figure:visible")
    assert shown.count() == 1
    return str(shown.locator("figcaption").inner_text())


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_the_replay_is_stepped_through_with_buttons_and_slider(opened: Open, url: str, size: dict[str, int]) -> None:
    page = opened(url + MATCH, viewport=size)
    assert caption(page).startswith("2. bob: c1d1 g9h9")
    page.get_by_role("button", name="One turn back").click()
    assert caption(page).startswith("1. alice: 1 a7b7 i3i2")
    assert page.url.endswith("#1")
    page.get_by_role("button", name="First board").click()
    assert caption(page) == "The beginning"
    page.get_by_role("slider").fill("2")
    assert caption(page).startswith("2. bob")
    assert page.get_by_role("button", name="One turn on").get_attribute("aria-disabled") == "true"
    board = page.locator("figure:visible svg.board").bounding_box()
    assert board["width"] <= size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_the_replay_needs_no_mouse(opened: Open, url: str) -> None:
    page = opened(url + MATCH)
    page.keyboard.press("ArrowLeft")
    assert caption(page).startswith("1. alice")
    page.keyboard.press("Home")
    assert caption(page) == "The beginning"
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.step") == "on":
            break
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    assert caption(page).startswith("2. bob")


def test_a_link_leads_to_a_turn_and_a_board_is_copied_as_text(opened: Open, url: str) -> None:
    page = opened(f"{url}{MATCH}#1", permissions=["clipboard-read", "clipboard-write"])
    assert caption(page).startswith("1. alice")
    page.get_by_role("button", name="Copy as text").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Quadraphages #1: alice")
    assert "1. alice: 1 a7b7 i3i2" in copied
    assert " a b c d e f g h i" in copied
    page.goto(f"{url}{MATCH}#0")
    assert caption(page) == "The beginning"


def test_without_javascript_all_boards_are_there(opened: Open, url: str) -> None:
    page = opened(url + MATCH, java_script_enabled=False)
    assert page.locator("figure:visible").count() == 3
    assert not page.get_by_role("slider").is_visible()


@pytest.mark.parametrize("path", [*PAGES, *OF_EVERY_GAME, *(f"games/{key}.html" for key in GAMES)])
def test_no_page_is_wider_than_a_phone(opened: Open, url: str, path: str) -> None:
    page = opened(url + path, viewport=PHONE)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


def searched(page: Any) -> tuple[str, list[str]]:
    """Return what the search of the archive says, and the results of the matches that it shows."""
    said = page.locator(".found").filter(has_text=re.compile("that fit:|No match was found"))
    said.wait_for()
    return said.inner_text(), page.locator(".hits tbody .below:not(.number)").all_inner_texts()


def test_the_archive_is_searched_by_player_game_result_and_date(opened: Open, url: str) -> None:
    page = opened(url + "archive.html", viewport=PHONE)
    page.get_by_label("Player").fill("Dora")
    page.get_by_label("Result").select_option("won")
    page.get_by_role("button", name="Search").click()
    assert searched(page) == ("All 9 that fit:", ["dora won"] * 9)
    link = page.locator(".hits a").first
    assert page.url.endswith("archive.html?player=Dora&result=won")
    page.goto(page.url + "&from=2026-02-01&game=Kvadratik")
    assert searched(page)[1] == ["dora won"] * 3
    page.goto(url + "archive.html?player=emil+dora&result=won")
    assert searched(page) == ("All 3 that fit:", ["emil won"] * 3)
    page.goto(url + "archive.html?player=dor")
    assert searched(page) == ("No match was found. Write names in full.", [])
    page.goto(url + "archive.html?player=emil")
    assert searched(page)[0] == "All 12 that fit:"
    link.click()
    assert page.locator("h1").inner_text() == "Kvadratik: dora \N{EN DASH} emil"


def test_what_the_archive_finds_is_text(opened: Open, url: str) -> None:
    name = "<img src=x onerror=alert(1)>"
    row = {
        "number": 7, "game": "<b>x</b>", "players": [{"name": name, "page": "x"}, {"name": "a player"}],
        "score": "1-0", "result": f"{name} won", "turns": 2, "day": "2026-03-02",
    }  # fmt: skip
    told = {"matches": [row] * 51}
    page = opened(url + "archive.html")
    page.route("**/matches/0/index.json", lambda route: route.fulfill(json=told))
    page.get_by_role("button", name="Search").click()
    assert searched(page) == ("The newest 50 that fit:", [f"{name} won"] * 50)
    assert page.locator(".hits img, .hits b").count() == 0
    page.get_by_role("button", name="Show more").click()
    page.get_by_text("All 51 that fit:").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_keeps_anybody_out(browser: Any, url: str, path: str, scheme: str) -> None:
    """Also with the contrasts of the light and of the dark page."""
    page = browser.new_context(color_scheme=scheme, bypass_csp=True, viewport=PHONE).new_page()
    page.goto(url + path)
    accessible(page)


def test_the_html_has_no_errors(published: Archive) -> None:
    for path in (*PAGES, "404.html"):
        well_formed(published.folder / path.partition("?")[0])


def test_the_json_is_as_its_schema_says(published: Archive) -> None:
    jsonschema = library("jsonschema")
    schema = json.loads(published.text("schema.json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    lists = ("index.json", "matches/0/index.json", "matches/0/1.json", "matches/0/2.json", "games/kvadratik.json")
    for path in (*lists, "players/dora.json", *(f"tournaments/{number}.json" for number in (1, 2, 3))):
        told = json.loads(published.text(path))
        jsonschema.validate(told, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(told | {"version": 1}, schema)

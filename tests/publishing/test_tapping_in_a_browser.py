"""Turns put together in Chromium, by taps and by keys, and delivered as the mail that the page writes."""

import random
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.correspondence import text
from tests.diagrams import NAMES, played
from tests.publishing.browsing import DESK, PHONE, Open, accessible
from tests.publishing.serving import served
from tests.publishing.site import URL, Archive, with_boards
from tests.servers import HOST

pytestmark = [pytest.mark.slow, pytest.mark.own_database]

At = Callable[[str], str | None]
MOST_STEPS = 30


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Provide a server that links to boards, whose site was published."""
    with with_boards(tmp_path_factory.mktemp("tapping"), post="true") as made:
        made.publish()
        yield made


def begin(boards: Archive, name: str) -> None:
    """Begin a match of alice against the house, in that game and variant."""
    record = played(name)
    options = " ".join(f"{option}={choice}" for option, choice in record.options.items())
    boards.letters.say("alice", f"play {record.game} {options} begin=me")


@pytest.fixture(scope="module")
def at(boards: Archive) -> Iterator[At]:
    """Provide a function that returns the URL to which the newest message to somebody links, if it has one.

    The pages are served with the headers that forbid everything inline, and all from elsewhere.
    """
    with served(boards.pages()) as port:

        def page_of(name: str) -> str | None:
            found = re.search(rf"{re.escape(URL)}(\S+)", text(boards.letters.last(name)))
            return f"http://{HOST}:{port}/{found[1]}" if found else None

        yield page_of


def tap_a_turn(page: Any, chance: random.Random) -> list[str]:
    """Tap at random until the turn is whole. Return the texts chosen so far, after each tap."""
    seen = []
    for _ in range(MOST_STEPS):
        if page.locator(".whole").is_visible():
            return seen
        ways = page.locator(".tapping .can, .choices button")
        ways.nth(chance.randrange(ways.count())).click()
        seen.append(page.locator(".chosen output").inner_text())
    raise AssertionError(f"no turn after {seen}")


def send(boards: Archive, page: Any, name: str = "alice") -> str:
    """Send the mail that the page writes, as a mail program would. Return its text."""
    uri = page.locator(".whole a").get_attribute("href")
    boards.tap(uri, f"{name}@mail.example")
    return parse_qs(urlsplit(uri).query)["body"][0]


@pytest.mark.parametrize("name", NAMES)
def test_turns_of_every_game_are_tapped_and_played(browser: Any, boards: Archive, at: At, name: str) -> None:
    begin(boards, name)
    chance = random.Random(name)
    page = browser.new_context(viewport=DESK).new_page()
    for number in range(2):
        page.goto(at("alice"))
        tap_a_turn(page, chance)
        turn = send(boards, page)
        answer = text(boards.letters.last("alice"))
        assert "Your turn" in answer
        assert turn in answer, number
    boards.letters.resign("alice")


@pytest.mark.parametrize("name", ["hexaphages", "quadraphages"])
def test_a_whole_match_is_played_without_an_email_of_the_player(
    browser: Any, boards: Archive, at: At, name: str
) -> None:
    begin(boards, name)
    chance, phone = random.Random(name), browser.new_context(viewport=PHONE, has_touch=True)
    number, sent = 0, [text(boards.letters.last("alice"))]
    while (url := at("alice")) is not None:
        page = phone.new_page()
        page.goto(url)
        tap_a_turn(page, chance)
        turn = page.get_by_label("Your turn").input_value()
        assert turn == page.locator(".chosen output").inner_text()
        page.get_by_role("button", name="Send this turn").click()
        assert "We have received this" in page.locator(".news").inner_text()
        assert page.url == url
        number += 1
        sent = [text(mail) for mail in boards.letters.wait() if mail["To"] == "alice@mail.example"]
        assert any(turn in each for each in sent), number
        if number == 1:
            page.get_by_text(f"Your turn was played: {turn}.").wait_for()  # without a tap
        page.close()
    assert number > 3
    assert "The match is over" in sent[-1]


def test_what_is_written_is_sent_without_javascript_and_refused_at_once(browser: Any, boards: Archive, at: At) -> None:
    begin(boards, "quadrupel")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(at("alice"))
    page.get_by_label("Your turn").fill("z9")
    page.get_by_role("button", name="Send this turn").click()
    assert "We can't read this as a turn" in page.locator(".news").inner_text()
    assert page.get_by_label("Your turn").input_value() == "z9"
    page.get_by_label("Your turn").fill("d2d1")
    page.get_by_role("button", name="Send this turn").click()
    assert "We have received this" in page.locator(".news").inner_text()
    boards.letters.wait()
    boards.letters.resign("alice")


def test_the_board_shows_each_choice_and_undoes_it(opened: Open, boards: Archive, at: At) -> None:
    begin(boards, "quadraphages")
    page = opened(at("alice"))
    shown = [page.locator("svg.board").inner_html()]
    page.get_by_role("button", name="1", exact=True).click()
    page.locator("[data-cell=a6]").click()
    assert page.locator("[data-cell=a6]").get_attribute("aria-label") == "a6, X stone"
    assert page.locator("[data-cell=a7]").get_attribute("aria-label") == "a7, X marked cell"
    assert page.locator(".said").inner_text() == "Chosen: 1 a7a6 i3. Next: i2, i4, h3."
    page.locator("[data-cell=c1]").click(force=True)
    assert "c1 can't be chosen now." in page.locator(".said").inner_text()
    assert not page.locator(".whole").is_visible()
    page.locator("[data-cell=h3]").click()
    assert page.locator(".chosen output").inner_text() == "1 a7a6 i3h3"
    assert page.locator(".whole a").get_attribute("href").endswith("&body=1%20a7a6%20i3h3")
    for left in ("1 a7a6 i3", "1 a7"):
        page.get_by_role("button", name="Undo").click()
        assert page.locator(".chosen output").inner_text() == left
    page.get_by_role("button", name="Start over").click()
    assert page.locator(".chosen output").inner_text() == "\N{EN DASH}"
    assert re.sub(r' (?:aria-|class|tabindex)[^=]*="[^"]*"', "", page.locator("svg.board").inner_html()) == re.sub(
        r' (?:aria-|class|tabindex)[^=]*="[^"]*"', "", shown[0]
    )
    boards.letters.resign("alice")


def test_it_needs_no_mouse_and_copies_the_turn(opened: Open, boards: Archive, at: At) -> None:
    begin(boards, "quadrupel")
    page = opened(at("alice"), permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-cell][tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.cell") == "d2"
    page.keyboard.press("Enter")
    assert page.locator(".chosen output").inner_text() == "d2"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.cell") == "d1"
    page.keyboard.press(" ")
    assert page.locator(".chosen output").inner_text() == "d2d1"
    page.get_by_role("button", name="quadrupel").press("Enter")
    assert page.locator(".chosen output").inner_text() == "d2d1 quadrupel"
    assert page.locator(".whole a").get_attribute("href").endswith("&body=d2d1%20quadrupel")
    page.get_by_role("button", name="Copy turn").press("Enter")
    page.get_by_text("Copied: d2d1 quadrupel").wait_for()
    page.keyboard.press("Backspace")
    assert page.locator(".chosen output").inner_text() == "d2d1"
    boards.letters.resign("alice")


def test_an_answer_is_prepared_by_tapping(opened: Open, boards: Archive, at: At) -> None:
    boards.begin("alice", "bob", "quadrature")
    page = opened(at("bob"))
    for cell in ("b3", "b4"):
        page.locator(f"[data-cell={cell}]").click()
    assert not page.locator(".whole").is_visible()
    for cell in ("c9", "c8"):
        page.locator(f"[data-cell={cell}]").click()
    assert page.locator("[data-cell=b4]").get_attribute("aria-label") == "b4, Black man"
    assert page.locator("[data-cell=c8]").get_attribute("aria-label") == "c8, White man"
    assert send(boards, page, "bob") == "if b3b4 then c9c8"
    assert "Prepared in match" in text(boards.letters.last("bob"))
    boards.turn("alice", "b3b4")
    assert "c9c8" in text(boards.letters.last("alice"))
    boards.letters.resign("alice")


@pytest.mark.parametrize("name", ["hexaphages", "kvadratik"])
def test_on_a_phone_it_is_tapped_and_works_offline(browser: Any, boards: Archive, at: At, name: str) -> None:
    """Without a complaint of a script; Chromium itself complains of an icon that it wanted then."""
    begin(boards, name)
    page = browser.new_context(viewport=PHONE, has_touch=True).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(at("alice"))
    page.context.set_offline(True)
    chance = random.Random(2)
    while not page.locator(".whole").is_visible():
        ways = page.locator(".tapping .can, .choices button")
        ways.nth(chance.randrange(ways.count())).tap()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
    assert page.locator(".whole a").get_attribute("href").startswith("mailto:")
    assert page.evaluate("[document.cookie, localStorage.length, sessionStorage.length].join()") == ",0,0"
    assert not complaints
    boards.letters.resign("alice")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anybody_out(browser: Any, boards: Archive, at: At, scheme: str) -> None:
    begin(boards, "kvadratik")
    page = browser.new_context(color_scheme=scheme, bypass_csp=True, viewport=PHONE).new_page()
    page.goto(at("alice"))
    for _ in range(2):
        accessible(page)
        tap_a_turn(page, random.Random(3))
    boards.letters.resign("alice")

"""Chromium, and what every page must be in it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import missing

Open = Callable[..., Any]
PHONE, TABLET, DESK = ({"width": w, "height": h} for w, h in ((360, 740), (768, 1024), (1280, 900)))


def library(name: str) -> Any:
    """Import a library that only these tests need, or skip them; but not in CI."""
    try:
        return __import__(name, fromlist=["*"])
    except ImportError:
        missing(name, "make browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Provide Debian's Chromium."""
    program = shutil.which("chromium")
    if program is None:
        missing("Chromium", "chromium")
    sync_api = library("playwright.sync_api")
    quiet = ("--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run")
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=[*quiet, *sandbox, "--disable-quic"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Provide a function that opens a page. The test fails if a page complains of anything."""
    complaints: list[str] = []

    def open_page(url: str, **context: Any) -> Any:
        page = browser.new_context(**context).new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    assert not complaints


def accessible(page: Any) -> None:
    """Check that nothing on a page keeps anybody out, as far as axe can tell."""
    axe = library("axe_playwright_python.base")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.evaluate(Path(axe.AXE_FILE_PATH).read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")
    assert found["passes"]
    assert not [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]]


def well_formed(path: Path) -> None:
    """Check that the HTML of a file has no errors."""
    parser = library("tinyhtml5.parser").HTMLParser()
    parser.parse(path.read_bytes(), transport_encoding="utf-8")
    assert not parser.errors, path

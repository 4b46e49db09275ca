"""Every command, option, key, template and dependency is documented."""

import re

import pytest

from docs import manpage
from notation.games import GAMES
from pbem.cli.command_index import COMMANDS as OPERATOR_COMMANDS
from pbem.features.all import FEATURES
from pbem.messages.template_files import template_folders
from tests.docs.pages import PAGES, ROOT, page, section

LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)(?:#[^)]*)?\)")


def test_commands() -> None:
    told = page("docs/commands.md")
    for name, command in FEATURES.commands.items():
        about = section(told, name)
        assert f"`{command.usage}`" in about
        for alias in command.aliases:
            assert f"`{alias}`" in about


@pytest.mark.parametrize("game", GAMES.games(), ids=GAMES)
def test_games_and_their_options(game) -> None:
    about = section(page("docs/commands.md"), "Options of the games")
    for option in game.options:
        assert f"| {game.title} | `{option.name}` |" in about
        for choice in option.choices:
            assert f"`{choice}`" in about
    assert section(page("docs/notation.md"), game.title)
    assert f"**{game.title}**" in page("README.md")
    assert (ROOT / "templates" / "rules" / f"{game.key}.md").is_file()


def test_the_operator_s_verbs() -> None:
    about = section(page("docs/operating.md"), "Commands for the operator")
    for name in OPERATOR_COMMANDS:
        assert f"| `pbem {name}" in about


def test_templates() -> None:
    about = section(page("docs/architecture.md"), "The templates")
    for folder in template_folders():
        for path in [*folder.glob("*.j2"), *folder.glob("sections/*.j2")]:
            assert f"`{path.name.partition('.')[0]}`" in about


def test_tables() -> None:
    from sqlmodel import SQLModel

    about = section(page("docs/architecture.md"), "The tables")
    for name in SQLModel.metadata.tables:
        assert f"| `{name}` |" in about


def test_the_version_is_in_the_changelog() -> None:
    text = page("CHANGELOG.md")
    released = re.search(r"^## \[(\d[^\]]*)\]", text, re.MULTILINE)
    to_come = re.search(r"^## \[Unreleased\]\s+Becomes (\S+)\.$", text, re.MULTILINE)
    versions = [found[1] for found in (to_come, released) if found]
    assert manpage.VERSION in versions[:1]


def test_links_lead_somewhere() -> None:
    for name in PAGES:
        for link in LINK.findall(page(name)):
            assert "://" in link or (ROOT / name).parent.joinpath(link).exists(), (name, link)


def test_what_security_promises_names_tests_that_there_are() -> None:
    named = re.findall(r"`(tests/[^`]*)`", page("SECURITY.md"))
    assert len(named) > 10
    for name in named:
        assert (ROOT / name).is_file(), name

"""What an admin looks up at the terminal: the version, the man page, completion, the links of the unit."""

import os
import re
import shutil
import subprocess
from importlib.metadata import version

import typer

from docs import manpage
from pbem.cli import index
from tests.docs.pages import ROOT, page
from tests.operating.site import Site
from tests.servers import missing


def test_the_version_is_that_of_the_package(site: Site) -> None:
    done = site.pbem("--version")
    assert (done.code, done.out) == (0, f"pbem {version('pbem')}\n")
    assert done.out.startswith(f"pbem {manpage.VERSION}")


def test_the_man_page_is_made_from_the_commands() -> None:
    assert f"\n{manpage.page()}\n" in page("docs/pbem.1"), "make docs"


def test_the_man_page_shows_every_command_and_option() -> None:
    program = shutil.which("man")
    if program is None:
        missing("man", "man-db")
        raise AssertionError
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MANWIDTH": "200", "MANROFFOPT": "-ww"}
    words = [program, "--warnings", "-l", str(ROOT / "docs" / "pbem.1")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600, check=True)
    assert done.stderr == ""
    shown = re.sub(".\b", "", done.stdout)
    assert f"pbem {manpage.VERSION}" in shown
    parts = re.split(r"^   (pbem .*)\n", shown, flags=re.MULTILINE)
    headings = dict(zip((head.split(" [")[0] for head in parts[1::2]), parts[2::2], strict=True))
    for path, command in _tree():
        about = headings.pop(path)
        assert " ".join((command.help or "").split()) in " ".join(about.split())
        for option in [each for each in command.params if each.param_type_name == "option" and not each.hidden]:
            assert all(re.search(rf"(?<!\S){name}\b", about) for name in option.opts), (path, option.name)
    assert not headings


def _tree() -> list[tuple[str, typer.core.TyperCommand]]:
    """Return all commands with their paths, such as `pbem tournament open`."""
    return [(f"pbem {name}", index.load(name)) for name in index.COMMANDS]


def test_pipx_is_given_a_path_and_not_a_name() -> None:
    """Debian 12's pipx takes `pbem-1.0.0-py3-none-any.whl` for the name of a package."""
    given = [
        words
        for name in ("README.md", "docs/operating.md")
        for words in re.findall(r"^(?:\w+=\S+ )*pipx install (?:--\S+ )*'?([^\s']+)", page(name), re.MULTILINE)
    ]
    assert given
    assert all(re.match(r"\.(/|\[|$)", path) for path in given), given

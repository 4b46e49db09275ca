"""What an admin looks up at the terminal: the version, the man page, completion, the links of the unit."""

from importlib.metadata import version

from docs import manpage
from tests.docs.pages import page
from tests.operating.site import Site


def test_the_version_is_that_of_the_package(site: Site) -> None:
    done = site.pbem("--version")
    assert (done.code, done.out) == (0, f"pbem {version('pbem')}\n")
    assert done.out.startswith(f"pbem {manpage.VERSION}")


def test_the_man_page_is_made_from_the_commands() -> None:
    assert f"\n{manpage.page()}\n" in page("docs/pbem.1"), "make docs"

"""The site for web browsers, frozen into a folder."""

from tests.operating.site import Site


def test_a_site_is_written(site: Site) -> None:
    done = site.pbem("publish", str(site.folder / "web"))
    assert done.code == 0
    assert "0 matches in" in done.out
    assert (site.folder / "web" / "index.html").is_file()
    assert ": 0 files written, 0 removed" in site.pbem("publish", str(site.folder / "web")).out

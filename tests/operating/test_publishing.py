"""The site for web browsers as the operator has it: by hand, and from a daemon."""

import pytest

from tests.operating.daemons import Daemon
from tests.operating.site import Site
from tests.servers import until


def test_a_site_is_written_by_hand(site: Site) -> None:
    done = site.pbem("publish", str(site.folder / "web"))
    assert done.code == 0
    assert "0 matches in" in done.out
    assert (site.folder / "web" / "index.html").is_file()
    assert ": 0 files written, 0 removed" in site.pbem("publish", str(site.folder / "web")).out


def test_a_folder_with_other_files_is_refused(site: Site) -> None:
    done = site.pbem("publish", str(site.folder))
    assert done.code == 2
    assert "isn't empty, and nothing was published there: choose another folder" in done.err


@pytest.mark.slow
def test_a_daemon_publishes_by_itself(site: Site) -> None:
    with site.config.open("a", encoding="utf-8") as file:
        file.write('[publish]\nfolder = "web"\n')
    daemon = Daemon(site).ready()
    until(lambda: daemon.lines("published"), "it has published")
    assert daemon.lines("published")[0]["matches"] == 0
    daemon.end()
    assert (site.folder / "web" / "index.html").is_file()


@pytest.mark.slow
def test_a_daemon_that_cannot_publish_says_why_and_goes_on(site: Site) -> None:
    with site.config.open("a", encoding="utf-8") as file:
        file.write('[publish]\nfolder = "in"\n')
    site.drop(b"From: ann@mail.example\nTo: games@pbem.example\n\nhelp\n")
    daemon = Daemon(site).ready()
    (line, *_) = until(lambda: daemon.lines("publishing failed"), "it has tried")
    assert "isn't empty" in line["error"]
    done, _ = daemon.end()
    assert done.code == 0

"""Web servers can show what is published, as docs/publishing.md has them set up, and nothing that is private."""

import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbem.publishing.web_server import HEADERS
from tests.docs.pages import page
from tests.operating.site import Site
from tests.publishing.site import store_many
from tests.servers import HOST, SBIN, free_port, give_away, listens, missing, unprivileged, until

SHOWN = {
    "/": "text/html",
    "/style.css": "text/css",
    "/index.json": "application/json",
    "/feed.xml": "application/xml",
    "/matches/0/1.html": "text/html",
    "/matches/0/1.txt": "text/plain",
    "/matches/0/1.png": "image/png",
}
HIDDEN = ["/.published.json", "/.unfinished/", "/matches/0/2.html"]


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a folder that everybody can enter; pytest's are closed."""
    with tempfile.TemporaryDirectory(prefix="web") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def published(site: Site, place: Path) -> Path:
    """Return the folder of a site with a match."""
    with site.server() as server:
        store_many(server.engine, 1)
    done = site.process("publish", str(place / "web"))
    assert done.code == 0, done.said
    return place / "web"


def test_everybody_can_read_what_is_published(published: Path) -> None:
    made = [published, *published.rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o755, 0o644}


def documented(language: str, web: Path, upstream: int, **changes: str) -> str:
    """Return a block of the page in that language, with these changes for the test: for `pbem serve`, or for files."""
    proxy, files = re.findall(rf"```{language}\n(.*?)```", page("docs/publishing.md"), re.DOTALL)
    block = (
        proxy.replace("127.0.0.1:8080", f"{HOST}:{upstream}") if upstream else files.replace("/var/www/pbem", str(web))
    )
    for before, after in changes.items():
        assert before.replace("_", " ") in block
        block = block.replace(before.replace("_", " "), after)
    return str(block)


def program(name: str) -> str:
    found = shutil.which(name, path=SBIN)
    if found is None:
        missing(name, name)
        raise AssertionError
    return found


def nginx(folder: Path, web: Path, port: int, upstream: int = 0) -> list[str]:
    """Return what starts nginx with the documented block."""
    block = documented("nginx", web, upstream, listen_80=f"listen {HOST}:{port}")
    scratch = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = f"events {{}}\nhttp {{\ninclude /etc/nginx/mime.types;\naccess_log off;\n{scratch}{block}}}\n"
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    return [
        program("nginx"), "-p", str(folder), "-c", "nginx.conf", "-e", "stderr",
        "-g", f"daemon off; pid {folder}/pid;",
    ]  # fmt: skip


def caddy(folder: Path, web: Path, port: int, upstream: int = 0) -> list[str]:
    """Return what starts Caddy with the documented block; it must not ask for a certificate here."""
    block = documented("caddy", web, upstream, **{"games.example.org": f"http://{HOST}:{port}"})
    (folder / "Caddyfile").write_text(f"{{\nadmin off\n}}\n{block}", encoding="utf-8")
    return [program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def test_both_examples_send_the_same_headers() -> None:
    found = re.findall(r'(?m)^\s+(?:add_header )?([A-Z][A-Za-z-]+) "([^"]*)"(?: always;)?$', page("docs/publishing.md"))
    assert found == [*HEADERS.items()] * 2


def fetched(url: str) -> tuple[int, str, dict[str, str | None]]:
    """Return the status, the content type and the other headers of what is there."""
    try:
        with urllib.request.urlopen(url) as got:
            kind = got.headers["Content-Type"].replace("text/xml", "application/xml")  # one is as good as the other
            return got.status, kind, {name: got.headers[name] for name in HEADERS}
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Content-Type"], {name: error.headers[name] for name in HEADERS}


def shows_what_was_published(port: int) -> None:
    for path, kind in SHOWN.items():
        status, found, headers = fetched(f"http://{HOST}:{port}{path}")
        assert (status, found.partition(";")[0], headers) == (200, kind, dict(HEADERS))
    for path in HIDDEN:
        status, found, headers = fetched(f"http://{HOST}:{port}{path}")
        assert (status, found.partition(";")[0], headers) == (404, "text/html", dict(HEADERS))


@contextmanager
def running(words: list[str], folder: Path, port: int) -> Iterator[None]:
    """Run a web server as another user than the one who has published, if root runs the tests."""
    give_away(folder)
    around = {"PATH": SBIN, "HOME": str(folder)}
    with subprocess.Popen(words, cwd=folder, env=around, stderr=subprocess.DEVNULL, **unprivileged()) as process:
        try:
            until(lambda: listens(port), "it listens")
            yield
        finally:
            process.terminate()


@pytest.mark.slow
@pytest.mark.parametrize("server", [nginx, caddy])
def test_a_frozen_site_is_shown_by(server: Callable[..., list[str]], published: Path, place: Path) -> None:
    folder, port = place / "server", free_port()
    folder.mkdir()
    with running(server(folder, published, port), folder, port):
        shows_what_was_published(port)


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.usefixtures("published")
def test_it_is_shown_by_pbem_itself_as_its_unit_starts_it_and_by_a_web_server_in_front(
    site: Site, place: Path, end: signal.Signals
) -> None:
    (line,) = re.findall(r"ExecStart=/opt/pbem/bin/pbem (.*)", page("deploy/pbem-web.service"))
    words = line.replace("/etc/pbem/pbem.toml", str(site.config)).replace("127.0.0.1:8080", f"{HOST}:0").split()
    program = [sys.executable, "-uc", "from pbem.cli import main; main()", *words]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        try:
            said = process.stdout.readline()
            assert said.startswith(f"the site is at http://{HOST}:")
            port = int(said.rpartition("/;")[0].rpartition(":")[2])
            shows_what_was_published(port)
            for server in (nginx, caddy):
                folder, front = place / server.__name__, free_port()
                folder.mkdir()
                with running(server(folder, place, front, port), folder, front):
                    shows_what_was_published(front)
            taken = subprocess.run([*program[:-1], f"{HOST}:{port}"], capture_output=True, text=True, check=False)
        finally:
            process.send_signal(end)
        assert (process.wait(), process.stderr.read()) == (0, "")
    assert (taken.returncode, taken.stdout) == (2, "")
    assert taken.stderr == f"pbem: can't listen at {HOST}, port {port}: Address already in use\n"

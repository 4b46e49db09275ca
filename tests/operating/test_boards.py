"""A board that sends turns, as an operator has it: `pbem serve` beside a daemon, both on one database."""

import http.client
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import urlencode

import pytest

from pbem.storage import database
from pbem.tokens import Keyring, Purpose, Token
from tests.operating.daemons import Daemon
from tests.operating.site import ADDRESS, KEY, Site, environment
from tests.publishing.site import NEXT, store_many
from tests.servers import HOST, until

pytestmark = pytest.mark.slow
BOARDS = '[serve]\nurl = "https://games.example/"\nboards = true\npost = true\n'


@contextmanager
def serving(site: Site, **around: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run `pbem serve`; provide the process and its port."""
    words = [sys.executable, "-uc", "from pbem.cli import main; main()", "serve", "--listen", f"{HOST}:0"]
    words += ["--config", str(site.config)]
    with subprocess.Popen(words, env=environment() | around, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process, int(process.stdout.readline().rpartition("/;")[0].rpartition(":")[2])
        finally:
            process.terminate()


def sent(port: int, board: str, turn: str) -> int:
    """Send the form of a board. Return the status of the answer."""
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    with closing(http.client.HTTPConnection(HOST, port, timeout=60)) as connection:
        connection.request("POST", board, urlencode({"turn": turn}), kind)
        return connection.getresponse().status


@pytest.mark.parametrize(("step", "plies"), [("received", 2), ("stored", 3)])
def test_a_turn_is_played_once_though_its_page_is_killed(site: Site, step: str, plies: int) -> None:
    """Before it is stored, the player sees no answer and nothing was played; after that, it is played."""
    with site.config.open("a", encoding="utf-8") as file:
        file.write(BOARDS)
    site.make()
    engine = database.connect(site.database)
    store_many(engine, 1)
    (player,) = site.rows("select seat0 from match")
    board = f"/board/{Keyring(KEY.strip(), (ADDRESS,)).format(Token(Purpose.BOARD, player, 1, 2), 0)}"
    with serving(site, PBEM_FAILPOINT=step) as (process, port):
        with pytest.raises(ConnectionError):
            sent(port, board, NEXT)
        assert process.wait() == -signal.SIGKILL
    daemon = Daemon(site).ready()
    with serving(site) as (_, port):
        until(lambda: site.rows("select plies from match") == [plies], "what was stored is played")
        assert sent(port, board, NEXT) == (422 if plies == 3 else 303)
        until(lambda: site.rows("select plies from match") == [3], "it is played")
        assert sent(port, board, NEXT) == 422
    assert site.rows("select count(*) from incoming where source = 'board 1'") == [1]
    daemon.end()
    engine.dispose()

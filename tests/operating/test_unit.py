"""deploy/pbem.service is as strict as docs/operating.md says, and not too strict for the server."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pbem import isolated
from pbem.mail.transports import listener, smtp
from pbem.server import daemon
from tests.docs.pages import ROOT, page
from tests.servers import missing

UNIT = ROOT / "deploy" / "pbem.service"
WEB = ROOT / "deploy" / "pbem-web.service"


@pytest.fixture
def analyze() -> str:
    """Return the path of systemd-analyze, which works without a running systemd."""
    program = shutil.which("systemd-analyze")
    if program is None:
        missing("systemd-analyze", "systemd")
        raise AssertionError
    return program


def test_its_exposure_is_what_the_documents_say(analyze: str) -> None:
    done = subprocess.run(
        [analyze, "security", "--offline=true", "--threshold=10", str(UNIT)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    measured = re.search(r"Overall exposure level for pbem\.service: (\d\.\d)", done.stdout)
    said = re.search(r"an exposure of\s+\*\*(\d\.\d), OK\*\*", page("docs/operating.md"))
    assert measured, done.stdout + done.stderr
    assert said
    assert measured[1] == said[1]


def test_what_is_left_is_what_it_needs(analyze: str) -> None:
    done = subprocess.run(
        [analyze, "security", "--offline=true", "--json=short", str(UNIT)], capture_output=True, text=True, timeout=600
    )
    left = {row["json_field"] for row in json.loads(done.stdout) if row["exposure"] is not None and not row["set"]}
    about = page("docs/operating.md")
    for field in left:
        assert f"`{field.partition('_')[0]}" in about, f"docs/operating.md does not say why {field} is open"


def test_it_is_sound_with_its_drop_in(analyze: str, tmp_path: Path) -> None:
    here, drop_ins = tmp_path / "pbem.service", tmp_path / "pbem.service.d"
    drop_ins.mkdir()
    (drop_in,) = re.findall(r"```ini\n(.*?)```", page("docs/operating.md"), re.DOTALL)
    (drop_ins / "override.conf").write_text(drop_in, encoding="utf-8")
    here.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/pbem/bin/pbem", "/bin/true"), encoding="utf-8")
    done = subprocess.run([analyze, "verify", "--man=no", str(here)], capture_output=True, text=True, timeout=600)
    assert [line for line in done.stderr.splitlines() if "pbem.service" in line] == []
    (drop_ins / "override.conf").write_text(f"{drop_in}LoadCredential=\nSecret=x\n", encoding="utf-8")
    again = subprocess.run([analyze, "verify", "--man=no", str(here)], capture_output=True, text=True, timeout=600)
    assert "override.conf" in again.stderr, "the drop-in is looked at"


def test_the_server_stops_long_before_systemd_kills_it() -> None:
    """Tests of a running server allow more time, for slow machines; these are its own limits."""
    allowed = re.search(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert allowed
    assert daemon.STOP_SECONDS + daemon.LAST_SECONDS <= 5 <= int(allowed[1]) / 2
    assert listener.GRACE_SECONDS <= daemon.STOP_SECONDS
    assert isolated.CLOSE_SECONDS + smtp.CLOSE_SECONDS <= daemon.STOP_SECONDS


def test_the_unit_of_the_site_is_sound_and_has_no_more_rights_than_the_server(analyze: str, tmp_path: Path) -> None:
    here = tmp_path / WEB.name
    here.write_text(WEB.read_text(encoding="utf-8").replace("/opt/pbem/bin/pbem", "/bin/true"), encoding="utf-8")
    done = subprocess.run([analyze, "verify", "--man=no", str(here)], capture_output=True, text=True, timeout=600)
    assert [line for line in done.stderr.splitlines() if WEB.name in line] == []
    levels = []
    for unit in (WEB, UNIT):
        words = [analyze, "security", "--offline=true", "--threshold=10", str(unit)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=600)
        found = re.search(r"Overall exposure level for [a-z-]+\.service: (\d\.\d)", done.stdout)
        assert found, done.stdout + done.stderr
        levels.append(float(found[1]))
    assert levels[0] <= levels[1]

"""`make audit` fails on a known vulnerability, and when the database of vulnerabilities can't be reached."""

import importlib.util
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.docs.pages import ROOT


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / ".ci" / "audit.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def package(name: str, *holes: str) -> dict[str, Any]:
    return {"name": name, "version": "1.0", "vulns": [{"id": hole, "fix_versions": ["1.1"]} for hole in holes]}


SKIPPED = {"name": "jinja2", "skip_reason": "Dependency not found on PyPI and could not be audited: jinja2 (3.1.6)"}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([package("a"), package("b")], 0, "no hole is known in 2 packages"),
        ([package("a", "PYSEC-1"), package("b")], 1, "a hole is known: a 1.0: PYSEC-1, mended in 1.1"),
        ([package("a", "PYSEC-1"), SKIPPED], 1, "a hole is known: a 1.0"),
        ([package("a", "PYSEC-1"), SKIPPED], 1, "nothing is known of jinja2"),
        ([], 2, "nothing is known"),
        ([package("a"), SKIPPED], 2, "nothing is known of jinja2"),
    ],
)
def test_the_verdict(audit: ModuleType, packages: list[dict[str, Any]], code: int, words: str) -> None:
    given, lines = audit.verdict({"dependencies": packages})
    assert given == code
    assert words in "\n".join(lines)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("sys.exit(1)", 2),  # as without a network
        ("out.write_text(json.dumps({'dependencies': [{'name': 'x', 'version': '1', 'vulns': [{'id': 'V'}]}]}))", 1),
        ("out.write_text(json.dumps({'dependencies': [{'name': 'x', 'version': '1', 'vulns': []}]}))", 0),
        ("out.write_text('{\"depend')", 2),  # it was killed, or its disk is full
    ],
)
def test_what_pip_audit_leaves_behind_decides(audit: ModuleType, tmp_path: Path, script: str, code: int) -> None:
    """A program that ends as pip-audit does, whose exit code alone isn't conclusive."""
    program = tmp_path / "pip-audit"
    head = (
        f"#!{sys.executable}\nimport json, pathlib, sys\nout = pathlib.Path(sys.argv[sys.argv.index('--output') + 1])\n"
    )
    program.write_text(f"{head}{script}\n", encoding="utf-8")
    program.chmod(0o700)
    assert audit.verdict(audit.ask(str(program)))[0] == code


def test_without_the_program_nothing_is_known(audit: ModuleType, tmp_path: Path) -> None:
    assert audit.verdict(audit.ask(str(tmp_path / "missing")))[0] == 2
    assert json.dumps(audit.verdict(None)[1]).count("nothing is known") == 1


# The program itself, where it is installed (make .venv/audit/ready), and a database of ours

PROGRAM = ROOT / ".venv" / "audit" / "bin" / "pip-audit"
HOLE = {
    "id": "PYSEC-0000-1",
    "schema_version": "1.6.0",
    "affected": [
        {
            "package": {"name": "jinja2", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}],
        }
    ],
}


class Database(ThreadingHTTPServer):
    """Answers as OSV does: about jinja2 with `known`, about others with nothing, and from some time on badly."""

    known: bytes = b"{}"
    answers = sys.maxsize
    """How many questions it answers well."""
    badly = 500, b""


class _Answer(BaseHTTPRequestHandler):
    server: Database

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code, content = 200, self.server.known if question["package"]["name"] == "jinja2" else b"{}"
        if self.server.answers <= 0:
            code, content = self.server.badly
        self.server.answers -= 1
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture
def osv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    if not PROGRAM.exists():
        pytest.skip("pip-audit isn't installed")
    with Database(("127.0.0.1", 0), _Answer) as served:
        monkeypatch.setenv("HOME", str(tmp_path))  # it keeps answers there
        monkeypatch.setenv("PIP_AUDIT_OSV_URL", f"http://127.0.0.1:{served.server_port}/v1/query")
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield served
        served.shutdown()
        thread.join()


@pytest.mark.slow
def test_the_program_looks_all_packages_up_and_tells_a_hole(audit: ModuleType, osv: Database) -> None:
    lines = audit.LOCK.read_text(encoding="utf-8").splitlines()
    number = sum("==" in line and "sys_platform == 'win32'" not in line for line in lines)
    assert audit.verdict(audit.ask(str(PROGRAM))) == (0, [f"audit: no hole is known in {number} packages"])
    osv.known = json.dumps({"vulns": [HOLE]}).encode()
    code, told = audit.verdict(audit.ask(str(PROGRAM)))
    assert code == 1
    assert [line.partition(": jinja2 ")[2].partition(": ")[2] for line in told] == ["PYSEC-0000-1, mended in 99.1"]


@pytest.mark.slow
@pytest.mark.parametrize("badly", [(500, b""), (429, b""), (200, b"<html>Log in"), (200, b'{"message": "no"}')])
@pytest.mark.parametrize("answers", [0, 5])
def test_a_database_that_fails_is_not_one_without_holes(
    audit: ModuleType, osv: Database, badly: tuple[int, bytes], answers: int
) -> None:
    osv.badly, osv.answers = badly, answers
    code, (line,) = audit.verdict(audit.ask(str(PROGRAM)))
    assert code == 2
    assert line.endswith("so nothing is known")

"""`make audit` fails on a known vulnerability, and when the database of vulnerabilities can't be reached."""

import importlib.util
import json
import sys
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

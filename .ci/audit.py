"""Whether anything that the server runs with has a known hole: pip-audit over the lock file, by the OSV database.

Exit codes: 0 nothing is known · 1 a hole is known · 2 nobody could be asked, so nothing is known either way.
pip-audit itself ends with 0 where it could look nothing up, and with 1 where it could not connect.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "deploy" / "lock" / "run.txt"
SECONDS = 60
CLEAN, FOUND, UNKNOWN = 0, 1, 2


def holes(report: dict[str, Any]) -> Iterator[str]:
    """Each known hole as a line, with the version that mends it.

    >>> list(holes({"dependencies": [{"name": "x", "version": "1", "vulns": [{"id": "V-1", "fix_versions": ["2"]}]}]}))
    ['x 1: V-1, mended in 2']
    """
    for package in report["dependencies"]:
        for hole in package.get("vulns", ()):
            mended = ", ".join(hole.get("fix_versions", ())) or "no version yet"
            yield f"{package['name']} {package['version']}: {hole['id']}, mended in {mended}"


def skipped(report: dict[str, Any]) -> list[str]:
    """What could not be looked up.

    >>> skipped({"dependencies": [{"name": "x", "skip_reason": "not found"}]})
    ['x']
    """
    return [package["name"] for package in report["dependencies"] if "skip_reason" in package]


def verdict(report: dict[str, Any] | None) -> tuple[int, Sequence[str]]:
    """The exit code, and what to say."""
    if report is None:
        return UNKNOWN, ["audit: the database of holes can't be reached from here, so nothing is known"]
    found = [f"audit: a hole is known: {hole}" for hole in holes(report)]
    unknown = [f"audit: nothing is known of {', '.join(names)}"] if (names := skipped(report)) else []
    if found or unknown:
        return (FOUND if found else UNKNOWN), [*found, *unknown]
    if not report["dependencies"]:
        return UNKNOWN, ["audit: no package was looked up, so nothing is known"]
    return CLEAN, [f"audit: no hole is known in {len(report['dependencies'])} packages"]


def ask(program: str) -> dict[str, Any] | None:
    """What pip-audit finds; None where it could not ask."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "report.json"
        command = [program, "--require-hashes", "--disable-pip", "--requirement", str(LOCK), "--vulnerability-service"]
        command += ["osv", "--timeout", "5", "--progress-spinner", "off", "--format", "json", "--output", str(answer)]
        try:
            subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - our own words
        except (OSError, subprocess.TimeoutExpired):
            return None
        try:
            report: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return report


if __name__ == "__main__":
    code, lines = verdict(ask(sys.argv[1]))
    print("\n".join(lines))
    sys.exit(code)

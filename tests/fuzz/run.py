"""Fuzz every target for some seconds with atheris, one after the other, or one alone.

    python -m tests.fuzz.run SECONDS [TARGET]

The folder .fuzz holds what each begins with, and the input that broke a promise, if any; then it exits with 1.
"""

import subprocess
import sys

from tests.fuzz.seeds import ROOT, SEEDS

FOLDER = ROOT / ".fuzz"
LONGEST = 20_000
SLOW_SECONDS = 10
"""An input that takes longer counts as a failure."""


def fuzz(target: str, seconds: int) -> None:
    """Fuzz for that many seconds; libFuzzer then ends the process, with a non-zero exit code after a failure."""
    import atheris  # type: ignore[import-not-found]  # optional: deploy/lock/fuzz.txt

    with atheris.instrument_imports(include=["pbem", "notation", "engines", "email", "authres", "flufl", "dkim"]):
        from tests.fuzz.targets import TARGETS

    corpus = FOLDER / target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[target]()):
        (corpus / f"seed{number}").write_bytes(seed[:LONGEST])
    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SLOW_SECONDS}"]
    options += ["-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={FOLDER}/{target}-"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[target])
    atheris.Fuzz()


def main(seconds: str) -> None:
    """Fuzz all targets, each in a process of its own."""
    done = {
        target: subprocess.run([sys.executable, "-m", __spec__.name, seconds, target], cwd=ROOT) for target in SEEDS
    }
    broken = [target for target, process in done.items() if process.returncode]
    sys.exit(f"broken: {', '.join(broken)}" if broken else 0)


if __name__ == "__main__":
    if sys.argv[2:]:
        fuzz(sys.argv[2], int(sys.argv[1]))
    else:
        main(sys.argv[1])

"""Fuzz one target with atheris.

    python -m tests.fuzz.one TARGET SECONDS FOLDER

FOLDER holds its corpus, and the input that broke a promise, if any. `make fuzz` runs all targets.
"""

import sys
from pathlib import Path

LONGEST = 20_000
SLOW_SECONDS = 10
"""An input that takes longer counts as a failure."""


def main(target: str, seconds: int, folder: Path) -> None:
    """Fuzz for that many seconds; libFuzzer then ends the process, with a non-zero exit code after a failure."""
    import atheris  # type: ignore[import-not-found]  # optional: deploy/lock/fuzz.txt

    with atheris.instrument_imports(include=["pbem", "notation", "engines", "email", "authres", "flufl", "dkim"]):
        from tests.fuzz.targets import TARGETS
    from tests.fuzz.seeds import SEEDS

    corpus = folder / target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[target]()):
        (corpus / f"seed{number}").write_bytes(seed[:LONGEST])
    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SLOW_SECONDS}"]
    options += ["-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={folder}/{target}-"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))

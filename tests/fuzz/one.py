"""Fuzz one target with atheris.

    python -m tests.fuzz.one TARGET SECONDS FOLDER

What it learns is kept in FOLDER, and where a promise is broken, the input lies there too. `make fuzz` runs them all.
"""

import sys
from pathlib import Path

LONGEST = 20_000
SLOW_SECONDS = 10
"""An input that takes so long is a find."""


def main(target: str, seconds: int, folder: Path) -> None:
    """Fuzz until the time is over; libFuzzer ends the process, with an exit code other than 0 at a find."""
    import atheris  # type: ignore[import-not-found]  # not among what the tests need: deploy/lock/fuzz.txt

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

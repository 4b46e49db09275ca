"""Checking signed records: verify."""

import base64
import binascii
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from engines.core import BadOption
from notation.record import BadRecord
from pbem import signatures
from pbem.cli import core
from pbem.cli.core import CONFIG, FOUND, IMPOSSIBLE, ConfigOption, app, errors, out
from pbem.cli.records import messages
from pbem.features.records import imported, verified
from pbem.features.records.verified import Signed
from pbem.signatures import NotSigned
from pbem.storage import database
from pbem.storage.models import ServerKey


@app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Game records (.json), or messages with all headers (.eml).", metavar="FILE"),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key", help="A public key of the server that signed, or its keys.json; by default our own keys."
        ),
    ] = None,
    turns: Annotated[bool, typer.Option("--turns", help="Also print the turns, and when each was received.")] = False,
    config_file: ConfigOption = CONFIG,
) -> None:
    keys = [known for each in key for known in _given(each)] if key else _ours(config_file)
    if not files:
        for known in keys:
            until = "in use" if known.until is None else f"until {known.until:%Y-%m-%d}"
            out.print(f"{known.public}  {signatures.fingerprint(known.public or '')}  {until}", highlight=False)
        return
    faults = 0
    for file in files:
        try:
            found = list(_signed(file))
            if not found:
                raise NotSigned("no message in it carries a match")
            for each in found:
                whose = verified.what_is_known(each, keys)
                if each.fault:
                    raise NotSigned(f"{each.title}: it is signed with {whose}, but {each.fault}")
                _tell(file, each, whose, turns=turns)
        except (NotSigned, BadRecord, BadOption, OSError) as error:
            out.print(f"{file}: {error}", markup=False, highlight=False, soft_wrap=True)
            faults += 1
    if faults:
        raise typer.Exit(FOUND)


def _signed(file: Path) -> Iterator[Signed]:
    """Yield the signed matches of a file; raise NotSigned, BadRecord or OSError."""
    with file.open("rb") as opened:
        raw = opened.read(imported.LARGEST + 1)
    if len(raw) <= imported.LARGEST and raw.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
        yield verified.in_text(raw.decode("utf-8-sig", "replace"))
        return
    for message in messages(file):
        yield from verified.in_message(message)


def _tell(file: Path, signed: Signed, whose: str, *, turns: bool) -> None:
    when = "" if signed.written is None else f" on {signed.written:%Y-%m-%d %H:%M} UTC"
    lines = [
        f"{file}: {signed.title}",
        f"  signed by {signed.domain}{when} with {whose}, {signatures.fingerprint(signed.public)}",
        f"  {len(signed.record.moves)} turns, all legal",
    ]
    if turns:
        times = [f"{time:%Y-%m-%d %H:%M} UTC  " for time in signed.played] or [""] * len(signed.record.moves)
        pairs = zip(times, signed.record.moves, strict=True)
        lines += [f"  {number}. {time}{text}" for number, (time, text) in enumerate(pairs, start=1)]
    for line in lines:
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def _ours(config_file: Path) -> list[ServerKey]:
    """Return the keys of the configured server."""
    with core.stored(config_file) as server, database.read_only(server.engine) as session:
        return verified.signing_keys(session)


def _given(text: str) -> list[ServerKey]:
    """Return the keys that an operator names: one in base64, or those of a site in its keys.json."""
    try:
        if Path(text).is_file():
            return [verified.from_json(each) for each in json.loads(Path(text).read_text(encoding="utf-8"))["keys"]]
        if len(base64.b64decode(text, validate=True)) == signatures.KEY:
            return [ServerKey(fingerprint="", public=text)]
    except (binascii.Error, ValueError, KeyError, TypeError, OSError):
        pass
    errors.print(f"pbem: {text} is neither a public key nor a file with some, as the site has it", markup=False)
    raise typer.Exit(IMPOSSIBLE)

"""Tokens in their file, which only its owner can read, and which is replaced as a whole."""

import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pbem.secret import BadConfig


@dataclass(frozen=True, slots=True)
class Tokens:
    access: str = field(repr=False)
    expires: float
    """In seconds since 1970."""
    refresh: str = field(repr=False)
    client_id: str


def load(path: Path) -> Tokens | None:
    """Return the tokens; None if there are none. Raises BadConfig."""
    try:
        return Tokens(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadConfig(f"{path} can't be read: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise BadConfig(f'{path} has no tokens; "pbem login" writes it anew') from error


def save(path: Path, tokens: Tokens) -> None:
    """Store the tokens, all or nothing; for the owner of the folder if we are root. Raises OSError."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # it is ours alone
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(tokens), file)
            file.flush()
            os.fsync(file.fileno())
            if os.geteuid() == 0:
                owner = path.parent.stat()
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise

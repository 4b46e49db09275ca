"""Locks on folders, among processes of ours: the operating system keeps them, so a crash frees them."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process of ours, and no other thread, holds the folder, and hold it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def share(folder: Path) -> int:
    """Wait until nobody holds the folder for themselves, and hold it with others; until the result is closed."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


@contextmanager
def shared(folder: Path) -> Iterator[None]:
    """Wait until nobody holds the folder for themselves, and hold it with others."""
    descriptor = share(folder)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def locked_if_free(folder: Path) -> Iterator[bool]:
    """Provide whether nobody else holds the folder, without waiting, and hold it then; False if it can't be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:  # removed meanwhile, or somebody else's
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            is_ours = False
        else:
            is_ours = True
        yield is_ours
    finally:
        os.close(descriptor)

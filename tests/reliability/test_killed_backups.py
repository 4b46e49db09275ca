"""Backups and `pbem restore`, killed before each step that writes: a file, a name, a folder or a database."""

import itertools
import multiprocessing
import os
import signal
import stat
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog

from pbem import config
from pbem.cli.index import app
from pbem.server.backups.by_itself import Backups
from pbem.server.daemon import void_leases
from pbem.storage import database
from pbem.storage.leases import new_holder
from tests.operating.daemons import Site
from tests.operating.places import backup, everything, filled, place, restore

pytestmark = pytest.mark.sql
START = datetime(2026, 11, 23, 3, 15, tzinfo=UTC)

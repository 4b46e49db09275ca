"""What to do about an error of the database, by what it says: PostgreSQL gives no code for a refused login."""

import re
from pathlib import Path

from sqlalchemy import URL


def find(said: str, url: URL) -> str | None:
    user, name = url.username or "the user", url.database
    if "pooling mode" in said:
        return "write pool_mode = transaction or session in the pooler's configuration"
    if "unsupported startup parameter" in said:
        return "take it out of database in [server], or name PostgreSQL itself there"
    if "too many clients" in said or "no more connections allowed" in said:
        return "raise max_connections of PostgreSQL, or max_client_conn of PgBouncer"
    if "too many connections for role" in said:
        return f'let a superuser of PostgreSQL run "ALTER ROLE {user} CONNECTION LIMIT -1"'
    if "invalid response" in said:
        return "correct host and port in database of [server]: another program listens there"
    if re.search(r"role .* does not exist|authentication failed|no password supplied", said):
        return "correct the user and the password in database of [server], or make that user (createuser)"
    if f'database "{name}" does not exist' in said:
        return f'"createdb -O {user} {name}" makes it; or correct database in [server]'
    if schema := re.search(r"permission denied for schema (\S+)", said):
        return f'let a superuser of PostgreSQL run in {name}: "GRANT USAGE, CREATE ON SCHEMA {schema[1]} TO {user}"'
    if "no schema has been selected" in said:
        return f'let a superuser of PostgreSQL run in {name}: "CREATE SCHEMA {user} AUTHORIZATION {user}"'
    if "permission denied" in said:
        return f"make {user} the owner of the tables, or name their owner in database of [server]"
    if "not a database" in said or "malformed" in said:
        return "correct database in [server], or restore a backup"
    if re.search("disk I/O error|disk is full|No space left", said):
        return f"make room where {name} is; if there is room, look at the disk (dmesg)"
    if re.search("readonly database|unable to open database", said):
        if name and Path(name).is_dir():
            return f"{name} is a folder: name a file in database of [server]"
        return (
            f"let the user that runs pbem write {name}, its -wal and -shm, and its folder: see their owner, "
            "and how the disk is mounted"
        )
    if re.search("read-only transaction|read-write mode during recovery", said):
        return "name the primary server in database of [server]: this one is its copy"
    return None

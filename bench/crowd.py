"""A crowd in a database: many players, their matches, and what they leave in other tables, made by SQL in seconds.

The crowd's nth match is one of two of its players, who play with each other only. Matches are spread over two years.
Each turn came by a message, and two messages told of it; what messages said is there for the last three months.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, text

NOW = datetime(2026, 3, 1, tzinfo=UTC)
"""The time of the latest turn."""
MINUTES, KEPT_MINUTES = 730 * 24 * 60, 90 * 24 * 60
"""How long the crowd has been playing, and for how long the server keeps what messages say."""
MATCHES_A_PLAYER = 20
TURNS = (
    *("2 c1a1 g9g7", "a7a5 i3g3 3 a5a8 g3d3", "a1d1 g7g4 2 d1b1 g4e4", "a8c8 d3f3 5 c8h8 f3a3"),
    *("b1g1 e4e9 2 e9e7 g1e1", "a3c3 h8f8 1 c3c2 f8f7", "e1e2 e7e6 4 e2i2 e6a6", "c2g2 f7b7 6 b7h7 g2g8"),
    *("a6g6 i2i8 1 g6g5 i8i9", "h7h6 ---- 1 h6h5 ----"),
)
"""The beginning of a match."""
FEW = 4
"""How many turns of it have been played if nobody says otherwise."""
WITH_NUMBERS = ("player", "match", "incoming", "outgoing", "ply", "tournament")
SELECTS = {
    "player (id, name, address, confirmed, epoch, created)": """
        select :player + n, 'player' || (:player + n), 'player' || (:player + n) || '@mail.example', {first}, 0, {first}
        from counted where n <= :players""",
    """"match" (id, game, options, seat0, seat1, challenger, by_address, plies, time, created, started, state, ended,
        winner, termination, to_move, due, remind)""": """
        select :match + n, 'quadraphages', '{options}', first, second, first, false, :turns, '14d/move', at, at,
            case when n <= :over then 'over' else 'running' end, case when n <= :over then at end,
            case when n <= :over then 1 end, case when n <= :over then 'rules' end,
            case when n > :over then 1 - :turns % 2 end,
            case when n > :over then {never} end, case when n > :over then {never} end
        from contest""",
    """incoming (id, key, size, source, sender, recipients, state, attempts, verdict, player, received, handled,
        removed)""": """
        select message, 'crowd' || message, 1000, 'imap', 'player' || mover || '@mail.example', '[]', 'done', 1,
            'done: move', mover, at, at, case when n <= :old then {now} end
        from played""",
    "rawmessage (incoming, raw)": "select message, :raw from played where n > :old",
    "ply (id, match, number, seat, text, incoming, played)": """
        select :ply + message - :incoming, :match + n, number, number % 2, words, message, at from played""",
    """outgoing (id, message_id, template, match, ply, player, epoch, purpose, token_subject, address, incoming,
        "references", is_notice, state, attempts, due, created, sent, removed)""": """
        select answer, '<crowd' || answer || '@pbem.example>', 'turn', :match + n, number, reader, 0, 'PLAY',
            :match + n, 'player' || reader || '@mail.example', message, '[]', true, 'sent', 1, at, at, at,
            case when n <= :old then {now} end
        from answered""",
    "outgoingcontent (outgoing, payload)": """
        select answer, '{{"match": 1, "ply": 1, "message": [], "by": ""}}' from answered where n > :old""",
    "seek (player, game, options, begin, rated, repeat, created, expires, closed)": """
        select :player + n, 'quadraphages', '{options}', 'me', false, 1, {now}, {soon},
            case when each > 1 then {now} end
        from counted, ten where n <= :players""",
    "block (player, blocked, created)": """
        select :player + n, :player + (n + each - 1) % :players + 1, {now}
        from counted, ten where n <= :players and each < 10 and each < :players""",
    "presence (player, seen, listed)": """
        select :player + n, {now}, case when n % 2 = 0 then {now} end from counted where n <= :players""",
    "vacation (player, chosen, begins, ends, told)": """
        select :player + n, {first}, {first}, {first}, {first} from counted, ten where n <= :players""",
    "calendar (player, chosen, begins, zone, days)": """
        select :player + n, {first}, {first}, 'UTC', 'mon-fri' from counted, ten where n <= :players""",
    "analysis (match, player, asked, due, done, attempts)": """
        select :match + n, first, at, at, at, 0 from contest where n % 10 = 0""",
    "announcement (subject, lines, told, last, number, created)": """
        select 'News', '["There are some."]', 1, 1, 1, {now} from counted where n <= 100""",
    "moderationact (at, actor, act, player, note)": """
        select {now}, 'operator', 'rename', :player + n, '' from counted where n <= :players""",
    "playerrating (player, game, week, rating, deviation, volatility, wins, draws, losses, superseded)": """
        select :player + n, 'quadraphages', weeks.week, 1500, 200, 0.06, 1, 0, 1, weeks.following
        from counted, (select {week1} as week, {week2} as following union all select {week2}, null) as weeks
        where n <= :players""",
    "tournament (id, title, kind, game, options, rated, time, places, closes, created, started, ended)": """
        select :tournament + n / 5, 'Cup', 'knock-out', 'quadraphages', '{options}', true, '14d+1d,auto', 64, at,
            at, at, at
        from contest where n % 5 = 0""",
    "entry (tournament, player, entered, seed, rung)": """
        select :tournament + n / 5, first, at, 1, 1 from contest where n % 5 = 0
        union all select :tournament + n / 5, second, at, 2, 2 from contest where n % 5 = 0""",
    "pairing (tournament, round, board, game, first, second, match)": """
        select :tournament + n / 5, 1, :match + n, 1, first, second, :match + n from contest where n % 5 = 0""",
    "watch (player, match, created)": """
        select first, :match + n, {now} from contest where n <= :players""",
}
"""For each table with its columns, a statement that yields what the crowd leaves in it."""
TEMPORARY = {
    "counted": """with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < :most)
        select n from numbers""",
    "ten": "select n as each from counted where n <= 10",
    "contest": """select n, :player + n % :players + 1 as first,
        :player + (n % :players + 1 + (n / :players) % (:players - 1)) % :players + 1 as second, {at} as at
        from counted where n <= :matches""",
    "played": """select n, number, words, :incoming + :turns * (n - 1) + number as message,
        case when number % 2 = 1 then second else first end as mover, first, second, at
        from contest, turn where number <= :turns""",
    "answered": """select 2 * (message - :incoming) + :outgoing - 1 as answer, first as reader, n, number, message, at
        from played
        union all select 2 * (message - :incoming) + :outgoing, second, n, number, message, at from played""",
}
"""What these statements read: numbers, the crowd's matches, their turns, and the messages about these."""

INDEXES = {
    "sqlite": "select name, sql from sqlite_master where type = 'index' and sql <> ''",
    "postgresql": """select indexname, indexdef from pg_indexes where schemaname = current_schema() and not exists
        (select 1 from pg_constraint where conname = indexname and connamespace = current_schema()::regnamespace)""",
}
"""All indexes but those of keys, and how they are made."""


def fill(
    engine: Engine,
    matches: int,
    players: int | None = None,
    now: datetime = NOW,
    turns: int = FEW,
    running: int | None = None,
) -> None:
    """Add that many matches with their players, up to ten turns each, and messages.

    Two thirds of them still run, unless `running` says how many.
    """
    people = players or max(4, 2 * matches // MATCHES_A_PLAYER)
    chosen: dict[str, Any] = {"players": people, "matches": matches, "turns": turns, "now": now.isoformat(" ")}
    chosen |= {"over": matches // 3 if running is None else matches - running, "most": max(100, matches, people)}
    chosen |= {"old": matches - matches * KEPT_MINUTES // MINUTES, "raw": b"From: somebody\n\na turn\n"}
    with _loading(engine) as connection:
        for table in WITH_NUMBERS:
            highest = connection.exec_driver_sql(f'select coalesce(max(id), 0) from "{table}"')
            chosen[table] = highest.scalar_one()
        _add(connection, _written(engine.dialect.name), chosen)
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in WITH_NUMBERS:
                connection.exec_driver_sql(f"select setval('{table}_id_seq', (select max(id) from \"{table}\"))")
            connection.exec_driver_sql("vacuum analyze")


def _written(dialect: str) -> dict[str, str]:
    """Return how the database writes the times in these statements, and what they share."""
    is_sqlite = dialect == "sqlite"

    def before(minutes: object) -> str:
        if is_sqlite:
            return f"strftime('%Y-%m-%d %H:%M:%f', :now, (-1 * ({minutes})) || ' minutes') || '000'"
        return f"cast(:now as timestamptz) - ({minutes}) * interval '1 minute'"

    def day(number: int) -> str:
        return f"date({before(1440 * number)})"

    return {
        "at": before(f"cast(:matches - n as bigint) * {MINUTES} / :matches"),
        "now": before(0),
        "first": before(MINUTES),
        "soon": before(-KEPT_MINUTES),
        "never": before(-10 * MINUTES),
        "week1": day(7),
        "week2": day(0),
        "options": '{"first": "o"}',
    }


def _add(connection: Connection, written: dict[str, str], chosen: dict[str, Any]) -> None:
    """Add the rows to all tables."""
    connection.exec_driver_sql("create temporary table turn (number integer, words varchar)")
    turns = [{"number": number, "words": words} for number, words in enumerate(TURNS, start=1)]
    connection.execute(text("insert into turn values (:number, :words)"), turns)
    for table, select in TEMPORARY.items():
        connection.execute(text(f"create temporary table {table} as {select.format_map(written)}"), chosen)
    for table, select in SELECTS.items():
        connection.execute(text(f"insert into {table} {select.format_map(written)}"), chosen)
    for table in ("turn", *TEMPORARY):
        connection.exec_driver_sql(f"drop table {table}")


@contextmanager
def _loading(engine: Engine) -> Iterator[Connection]:
    """Provide a connection for many rows: foreign keys aren't checked, and indexes are made at the end."""
    with engine.connect() as connection:
        is_sqlite = engine.dialect.name == "sqlite"
        if is_sqlite:
            driver: Any = connection.connection.dbapi_connection
            for pragma in ("foreign_keys=OFF", "synchronous=OFF", "cache_size=-500000", "temp_store=FILE"):
                driver.execute(f"PRAGMA {pragma}").close()
        with connection.begin():
            if not is_sqlite:
                for setting in (
                    "time zone 'UTC'",
                    "session_replication_role = replica",
                    "maintenance_work_mem = '1GB'",
                ):
                    connection.exec_driver_sql(f"set local {setting}")
            indexes = [tuple(row) for row in connection.exec_driver_sql(INDEXES[engine.dialect.name])]
            for name, _ in indexes:
                connection.exec_driver_sql(f'drop index "{name}"')
            yield connection
            for _, statement in indexes:
                connection.exec_driver_sql(statement)
        if is_sqlite:
            connection.invalidate()  # another connection has the usual settings again

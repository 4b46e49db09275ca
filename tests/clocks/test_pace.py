"""When news is sent: every hour in every time zone, on every day, including those when clocks change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.messages import general_preferences
from pbem.players import news_times_and_pauses

ZONES = ("UTC", "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia")
ZONES += ("America/Havana", "Asia/Beirut", "Pacific/Kiritimati", "Africa/Casablanca")
QUARTER = timedelta(minutes=15)

times = st.datetimes(datetime(2005, 1, 1), datetime(2036, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - `timezones` has it
changes = st.sampled_from(
    [
        datetime(2011, 12, 30, 5, tzinfo=UTC),
        datetime(2026, 3, 28, 22, tzinfo=UTC),
        datetime(2026, 10, 24, 22, tzinfo=UTC),
        datetime(2026, 3, 8, 5, tzinfo=UTC),
        datetime(2026, 11, 1, 4, tzinfo=UTC),
    ]
)
moments = times | st.builds(lambda day, hours: day + timedelta(hours=hours), changes, st.floats(-30, 30))


def strikes(moment: datetime, hour: int, zone: ZoneInfo) -> bool:
    """Return whether clocks in that zone strike the hour at that moment, for the first time on that day."""
    local = moment.astimezone(zone)
    return (local.hour, local.minute, local.second, local.fold) == (hour, 0, 0, 0)


@given(moments, st.integers(0, 23), st.sampled_from(ZONES))
def test_it_is_the_next_time_that_the_hour_strikes(after: datetime, hour: int, key: str) -> None:
    zone = ZoneInfo(key)
    struck = news_times_and_pauses.next_hour(after, hour, zone)

    assert after < struck
    quarter = after.replace(minute=0, second=0, microsecond=0)
    while quarter < struck:
        assert quarter <= after or not strikes(quarter, hour, zone)
        quarter += QUARTER
    if not strikes(struck, hour, zone):  # the hour is skipped: it is struck when the clocks jump over it
        before, then = (struck - timedelta(seconds=1)).astimezone(zone), struck.astimezone(zone)
        wall = datetime.combine(then.date(), datetime.min.time()) + timedelta(hours=hour)
        assert before.replace(tzinfo=None) < wall <= then.replace(tzinfo=None)


@given(moments, st.integers(0, 23), st.sampled_from([zone for zone in ZONES if zone != "Pacific/Apia"]))
def test_it_strikes_once_a_day(after: datetime, hour: int, key: str) -> None:
    zone, days = ZoneInfo(key), []
    for _ in range(5):
        after = news_times_and_pauses.next_hour(after, hour, zone)
        days.append(after.astimezone(zone).date())

    assert days == [days[0] + timedelta(days=number) for number in range(5)]


def test_a_day_that_a_zone_leaves_out_makes_no_second_mail() -> None:
    """Samoa skipped 30 December 2011."""
    zone, after = ZoneInfo("Pacific/Apia"), datetime(2011, 12, 29, 0, tzinfo=UTC)
    days = []
    for _ in range(3):
        after = news_times_and_pauses.next_hour(after, 8, zone)
        days.append(after.astimezone(zone).strftime("%d %H"))

    assert days == ["29 08", "31 08", "01 08"]


@pytest.mark.parametrize(
    ("after", "hour", "expected"),
    [
        ("2026-03-28T23:30", 2, "2026-03-29T01:00"),  # skipped: at 3 summer time, when it would have been 2
        ("2026-03-29T01:00", 2, "2026-03-30T00:00"),
        ("2026-10-24T22:30", 2, "2026-10-25T00:00"),  # twice: the first
        ("2026-10-25T00:30", 2, "2026-10-26T01:00"),  # and not the second
        ("2026-01-01T07:00", 8, "2026-01-02T07:00"),  # exactly at the hour: already sent
    ],
)
def test_in_vienna(after: str, hour: int, expected: str) -> None:
    struck = news_times_and_pauses.next_hour(datetime.fromisoformat(f"{after}+00:00"), hour, ZoneInfo("Europe/Vienna"))

    assert struck.strftime("%Y-%m-%dT%H:%M") == expected


@given(moments, st.sampled_from(["each", "batch", "daily", "weekly"]), st.integers(0, 23), st.sampled_from(ZONES))
def test_nothing_is_told_before_it_happened_nor_days_later(happened: datetime, way: str, hour: int, zone: str) -> None:
    choices = general_preferences.with_defaults({"hour": str(hour), "zone": zone})
    told = news_times_and_pauses.due_at(way, choices, None, happened)

    assert told is not None
    assert happened <= told <= happened + timedelta(hours=49, days=7 if way == "weekly" else 0)
    assert (told > happened) == (way != "each")
    assert news_times_and_pauses.due_at(way, choices, happened, happened) is None

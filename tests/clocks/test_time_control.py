"""Time controls as people write them."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notation.time_control import (
    LONGEST,
    SHORTEST,
    BadTime,
    TimeControl,
    duration,
    format_control,
    of_flags,
    parse,
    parse_duration,
)
from pbem.matches.clock.working_days import NAMES, BadDays, WorkingDays, format_days, parse_days

times = st.integers(SHORTEST // timedelta(minutes=1), LONGEST // timedelta(minutes=2)).map(
    lambda minutes: timedelta(minutes=minutes)
)


@st.composite
def controls(draw: st.DrawFn) -> TimeControl:
    """Return a time control that can be written down."""
    bank = draw(st.none() | times)
    turns = increment = cap = None
    if bank is not None:
        kind = draw(st.sampled_from(("whole", "turns", "increment")))
        turns = draw(st.integers(1, 1000)) if kind == "turns" else None
        increment = draw(times) if kind == "increment" else None
        cap = max(bank, increment) + draw(st.just(timedelta()) | times) if increment else None
    per_move, nag = draw(st.none() | times), draw(st.none() | times)
    return TimeControl(bank, increment or timedelta(), cap, turns, per_move, nag)


@given(control=controls())
@settings(max_examples=50)
def test_what_is_written_is_read_as_the_same(control: TimeControl) -> None:
    assert parse(format_control(control)) == control
    assert parse(format_control(control).upper()) == control


@given(text=st.text(alphabet="0123456789dhmw+/<=,.-movenag ", max_size=30))
@settings(max_examples=100)
def test_whatever_is_written_is_a_time_control_or_refused_in_a_sentence(text: str) -> None:
    try:
        control, sentence = parse(text), ""
    except BadTime as bad:
        control, sentence = None, str(bad)
    assert sentence.endswith(".") if control is None else parse(format_control(control)) == control


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("3x/move", '"x" is no unit of time; use w, d, h, m.'),
        ("3/move", '"3" is no time.'),
        ("", '"" is no time.'),
        ("14d+", '"" is no time.'),
        ("90d/often", 'we expected "move", a number of turns or a time, not "often".'),
        ("90d/0", "0 is out of range: 1 to 1000 turns."),
        ("14d,7d", '"7d" says something a second time.'),
        ("14d+1d<=7d", "can't be less than the time at the beginning."),
        ("5m/move", "5m is out of range: 1h to 3650d."),
        ("10d/0d", "0m is out of range: 1h to 3650d."),
        ("0d/3d", "0m is out of range: 1h to 3650d."),
        ("10d/3y", 'we expected "move", a number of turns or a time, not "3y".'),
        ("10d/3d/2d", "we expected"),
        ("10d/3d/1d", "we expected"),
        ("14y", '"y" is no unit of time; use w, d, h, m.'),
        ("auto", '"auto" needs a limit. For example'),
        ("99999w", "99999w is too long"),
        ("\u0663d/move", "is no time."),
    ],
)
def test_a_slip_is_named_with_what_would_work(text: str, sentence: str) -> None:
    with pytest.raises(BadTime) as bad:
        parse(text)
    assert sentence in str(bad.value)


def test_rognlie_s_flags_mean_what_they_meant() -> None:
    assert of_flags({"totaltime": "365", "nagtime": "7", "forfeittime": "21"}) == parse("365d,21d/move,nag=7d")
    assert of_flags({"forfeittime": "0"}) == parse("none"), "0 switches a limit off"
    for flags in ({"timelimit": "3"}, {"nagtime": "soon"}, {"nagtime": "-1"}, {"totaltime": "999999"}):
        with pytest.raises(BadTime):
            of_flags(flags)


@given(time=times)
@settings(max_examples=30)
def test_a_duration_is_read_as_it_is_written(time: timedelta) -> None:
    assert parse_duration(duration(time)) == time


@given(days=st.frozensets(st.integers(0, 6), min_size=1))
@settings(max_examples=30)
def test_days_are_read_as_they_are_written(days: frozenset[int]) -> None:
    assert parse_days(format_days(days)) == days
    assert parse_days(",".join(NAMES[day] for day in days)) == days


@pytest.mark.parametrize("text", ["", "someday", "mon-", "mon-someday", "mon;tue", "1-5"])
def test_no_days_are_refused(text: str) -> None:
    if text == "mon-":
        assert parse_days(text) == {0}
        return
    with pytest.raises(BadDays):
        parse_days(text)
    with pytest.raises(BadDays):
        WorkingDays(days=frozenset())


@pytest.mark.parametrize(
    "text", ["10d/3d", "14d+1d<=21d/7d", "90d/30d/20", "3d/1d/move", "60d/30d,7d/2d/move,nag=1d,auto"]
)
def test_different_times_for_the_two_are_read_as_they_are_written(text: str) -> None:
    control = parse(text)

    assert format_control(control) == text
    assert control.swapped.swapped == control
    assert parse(format_control(control.swapped)) == control.swapped

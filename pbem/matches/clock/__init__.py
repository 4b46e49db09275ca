"""Time in matches, as values: time controls, calendars, and the clock that a log of events adds up to.

Start with `clock`. Nothing here knows of rows, mail or the present time.
"""

"""Time as players plan it: vacations, pauses, reminders, and running out of it."""

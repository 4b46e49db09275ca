"""The house: an opponent that always has time. What it thinks about is found in the database; it thinks in a process.

Start with `search_tasks`.
"""

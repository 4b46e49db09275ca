"""A queued message -> the bytes that are sent: templates, boards in text, HTML and pictures, links and headers.

Start with `render`, then `views`. May import: players, matches, reading, storage and the leaves of pbem.
"""

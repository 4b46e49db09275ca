"""A queued message -> the bytes that are sent: templates, boards in text, HTML and pictures, links and headers.

Start with `render`, then `views`.
"""

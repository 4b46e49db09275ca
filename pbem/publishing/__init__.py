"""The site for a web browser: pages from the database that show what players allow to be seen, and a crawl of them.

Start with `routes`, which says what is at which address. `visibility` decides what is shown and under which name,
`page_data` and `match_page_data` read it from the database, `html_pages` and `machine_readable` write it down, and
`board_form` has the board of a player's turn; `cached_pages` keeps what was rendered, `web_server` serves it, and
`freeze` freezes it. Never sends mail.
"""

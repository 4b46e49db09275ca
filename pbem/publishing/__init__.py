"""The site for a web browser: pages from the database that show what players allow to be seen, and a crawl of them.

Start with `routes`, which says what is at which address. `visibility` decides what is shown and under which name,
`lists`, `contents` and `statistics` read it from the database, `pages`, `feeds` and `machine_readable` write it down;
`web_server` serves it, and `crawl` freezes it. Imports rendering and what is below it; never anything that sends mail.
"""

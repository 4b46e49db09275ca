"""The archive for a web browser: a folder of files that shows what players allow to be seen; nothing runs behind it.

Start with `publication`, which says what is written in which order. `visibility` decides what is shown and under which
name, `contents` reads it from the database, `results` has statistics, `pages`, `feeds` and `machine_readable` make
files, and `folder` writes those that have changed. Imports rendering and what is below it; never anything that sends
mail.
"""

"""Between text and values: how moves, boards and records are written, and the games; no time, mail or SQL."""

"""The rules of the games: values in, values out; no time, chance, files, mail, SQL or logging."""

"""A play-by-email server: the only package that knows time, mail, SQL and files."""

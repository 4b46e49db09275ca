"""Setting up a server: what writes its configuration, and what shows it."""

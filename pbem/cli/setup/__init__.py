"""Setting up a server: what writes its configuration, what shows it, and what makes it again from a backup."""

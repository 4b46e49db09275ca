"""What the operator does to players and matches: closing accounts and matches, names, announcements. Each is kept."""

"""What players can do: one folder each, with its rules, commands, messages and what it does by time."""

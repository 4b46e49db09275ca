"""What players can do: one folder each, with its tables, rules, commands, messages and what it does by time."""

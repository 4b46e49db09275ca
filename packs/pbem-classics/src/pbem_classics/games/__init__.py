"""The games, a module each; an entry point names the pack of each."""

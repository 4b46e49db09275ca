"""The weekly bulletin: finished matches, open seeks, standings."""

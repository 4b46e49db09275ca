"""Games that people know, on OpenSpiel: a module for each game in `games`, and what they share beside it."""

from pathlib import Path

RULES = Path(__file__).parent / "rules"
"""The folder of the rules pages."""

"""Seeks, blocks, the directory and histories, with rows only."""

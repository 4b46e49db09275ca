"""Watching other people's matches."""

"""Seeks: open offers that anybody may take."""

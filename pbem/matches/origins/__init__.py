"""Matches that come from elsewhere than an offer: from records, from a position of another match, from our messages."""

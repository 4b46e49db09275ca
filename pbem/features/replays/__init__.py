"""Records of matches: sent, read in, and played on from."""

"""What anyone could do to the server or with it, and the bound on it: each scenario counted, none of them timed."""

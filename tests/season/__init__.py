"""A season that is simulated with the functions of the server, and recomputed from its records without any of them."""

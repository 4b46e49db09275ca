"""`pbem demo`: a whole match by email on one machine, what its players saw, and a browser to join them."""

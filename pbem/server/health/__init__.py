"""How a running server is, told to those who watch it: systemd, Prometheus, and the operator at a terminal."""

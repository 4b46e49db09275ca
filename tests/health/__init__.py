"""How a server is, as it tells systemd, Prometheus and the operator."""

"""Players among players: who is listed, what is told of each, how matches ended, and whom one wants nothing from."""

"""What happens by time, without a message of a player; `pbem.server.scheduler` calls each in turn."""

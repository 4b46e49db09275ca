"""The command that tells how the servers are: status."""

"""What the scheduler does by time, each in transactions of its own: time-outs, digests, telling the admin."""

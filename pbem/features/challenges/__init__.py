"""Challenges and invitations: how two people come to play."""

"""Attacks on the server, or on others by means of it, each as a story with assertions about what we send."""

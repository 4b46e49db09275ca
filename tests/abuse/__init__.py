"""Attacks with the server against others, each as a story in which what we send is counted."""

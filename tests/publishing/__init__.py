"""The site for web browsers."""

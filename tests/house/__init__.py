"""The house."""

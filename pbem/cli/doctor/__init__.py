"""The doctor: tries everything that is configured, and says in sentences what works and what to do.

A check is a function that yields findings. `examination` runs them all; `status` tells how
running servers are.
"""

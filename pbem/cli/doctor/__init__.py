"""The doctor: tries everything that is configured, and says in sentences what works and what to do.

A check is a function that yields findings; `examination` has the table of them. faults.toml has what to say about
errors of mail servers and the database. `status` tells how running servers are.
"""

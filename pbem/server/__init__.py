"""The daemon: take messages in, work through the queue, send what is owed, each in a thread.

Start with `daemon`, then `worker`. May import everything but the command line.
"""

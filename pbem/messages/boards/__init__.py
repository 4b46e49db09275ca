"""What boards look like: as pictures, as animations, as tables of HTML, and to be tapped.

Nothing here knows a match or a reader.
"""

"""What boards look like: as pictures, as animations, and as tables of HTML. Nothing here knows a match or a reader."""

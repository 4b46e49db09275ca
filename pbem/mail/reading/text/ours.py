"""What our own messages are known by where they are quoted: our address, the name in From, and how they begin.

A mail program may announce a quote in any language and form. Whatever it writes, it names the message's sender, so a
line with our address or name in it is judged more strictly than others.
"""

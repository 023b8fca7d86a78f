"""The wire: messages that all games share, and reading what bots write.

messages.py  handshake, disqualification, end
decode.py    one line of a bot -> reply or Malformed, never an exception
shapes.py    what is wrong with the fields of a message, in plain words
"""

"""One match: its description, its course and its result. Pure, without I/O.

limits.py    what a bot may use
sandbox.py   what keeps its processes apart from everything else
spec.py      what is played: game, bots, seed, options, limits
position.py  a turn of a recorded match, from which others are played
machine.py   the match as a state machine: handshake, faults, outcome
messages.py  the messages that all games share
decode.py    one line of a bot -> reply or `InvalidReply`, never an exception
shapes.py    what is wrong with the fields of a message, in plain words
pages.py     pages of spec/ by section: rules to quote
result.py    the result as one object
"""
